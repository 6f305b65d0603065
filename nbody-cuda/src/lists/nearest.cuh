// The distance of j-particles from the nearest i-particle of a group, by tensor cores.
//
// The squared distance is |j|^2 plus the least |i|^2 - 2 i.j, a product of rows (x, y, z, 1) of
// j-particles with columns (-2 x, -2 y, -2 z, |i|^2) of i-particles. It decides for nearly all
// j-particles whether they are within reach. An exact test decides for j-particles too close to
// the limit.
namespace nbody {

// A position relative to the centre of a group, and the number one for tensor cores.
struct alignas(16) Relative {
    float x[3], one;
};

__device__ __forceinline__ float norm2_of(float x, float y, float z)
{
    return x * x + y * y + z * z;
}

__device__ __forceinline__ float value_of(u32 lane, float value)
{
    return ::__uint_as_float(value_of(lane, ::__float_as_uint(value)));
}

// The j-particles of a leaf, one per lane. In the products, the j-particle of lane 4 g + r has row
// g + 8 r.
struct Leaf {
    Relative rows[LANES];

    // Returns the place of row g + 8 r. The rows of eight lanes, and also the rows with the same
    // r, are in different banks of shared memory.
    static __device__ __forceinline__ u32 place(u32 g, u32 r) { return 8 * r + (g ^ 2 * r); }

    // Returns the j-particle of a lane.
    __device__ __forceinline__ Relative &operator[](u32 lane) { return rows[place(lane / 4, lane % 4)]; }
};

// The i-particles of a group, one per lane. In the products, the i-particle of lane 8 s + c has
// column c of tile s.
class Nearest {
    static constexpr u32 TILES = LANES / 8;
    static constexpr u32 ROWS = LANES / 8; // rows of a lane in the products
    u32 columns[TILES]; // number t of column g

public:
    __device__ __forceinline__ explicit Nearest(const Relative &i)
    {
        const u32 g = threadIdx.x % LANES / 4, t = threadIdx.x % 4;
        const float norm2 = norm2_of(i.x[0], i.x[1], i.x[2]);
        const float numbers[] = {-2.0f * i.x[0], -2.0f * i.x[1], -2.0f * i.x[2], norm2};
#pragma unroll
        for (u32 s = 0; s < TILES; ++s) {
            columns[s] = 0;
#pragma unroll
            for (u32 k = 0; k < 4; ++k) {
                // Rounds to nearest.
                const u32 number = (::__float_as_uint(numbers[k]) + 0x1000) & TF32;
                const u32 of_column = value_of(8 * s + g, number);
                if (t == k) columns[s] = of_column;
            }
        }
    }

    // Returns the squared distance of the j-particle of this lane from the nearest i-particle,
    // less its own squared distance from the centre.
    __device__ __forceinline__ float operator()(const Leaf &leaf) const
    {
        const u32 g = threadIdx.x % LANES / 4, t = threadIdx.x % 4;
        float least[ROWS]; // one for each row g + 8 r
#pragma unroll
        for (u32 half = 0; half < ROWS; half += 2) {
            u32 rows[2];
#pragma unroll
            for (u32 r = 0; r < 2; ++r) {
                const Relative *const row = leaf.rows + Leaf::place(g, half + r);
                rows[r] = ::__float_as_uint(reinterpret_cast<const float *>(row)[t]) & TF32;
            }
#pragma unroll
            for (u32 s = 0; s < TILES; ++s) {
                float products[4];
                multiply_add(rows, columns[s], {}, products);
#pragma unroll
                for (u32 r = 0; r < 2; ++r) {
                    const float of_tile = ::fminf(products[2 * r], products[2 * r + 1]);
                    least[half + r] = s == 0 ? of_tile : ::fminf(least[half + r], of_tile);
                }
            }
        }
        return of_lane(least);
    }

private:
    // Returns the least number of a row among the four lanes with the same g; each of these lanes
    // returns another row.
    static __device__ __forceinline__ float of_lane(float (&least)[ROWS])
    {
#pragma unroll
        for (u32 count = ROWS / 2; count > 0; count /= 2) {
            const bool is_upper = threadIdx.x & count;
#pragma unroll
            for (u32 k = 0; k < count; ++k) {
                const float kept = is_upper ? least[k + count] : least[k];
                const float given = is_upper ? least[k] : least[k + count];
                least[k] = ::fminf(kept, value_of(threadIdx.x ^ count, given));
            }
        }
        return least[0];
    }
};

} // namespace nbody
