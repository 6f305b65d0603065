// The screen of neighbour lists: tensor cores find the pairs of a group that may be within the
// cutoff.
//
// The square of a distance is |i|^2 - 2 i.j + |j|^2: the product of rows (-2 x, -2 y, -2 z, 1) of
// i-particles with columns (x, y, z, |j|^2) of j-particles. Tensor cores add this product to |i|^2
// less the greatest square of a hit. Their coordinates have 11 bits. The limit is widened by the
// largest resulting error, and the FORCE-LOOP tests each hit against the cutoff itself.
namespace nbody {

// The greatest distance of a hit must be known for each i-particle.
constexpr bool SCREENS =
    CUTOFF && !CUTOFF_READS_J && !PERIODIC && sizeof(real) == 4 && HAS_TENSOR_CORES;

constexpr u32 TILES = WORD / 8; // tiles of 8 j-particles in a word

__device__ __forceinline__ float truncated(float x)
{
    return ::__uint_as_float(::__float_as_uint(x) & TF32);
}

// Returns a coordinate of a particle; zero for the third one in two dimensions.
template <int POSITION, typename Particle>
__device__ __forceinline__ float coordinate(const Particle &particle, int axis)
{
    if (axis >= DIMENSIONS) return 0.0f;
    return float(reinterpret_cast<const real *>(&particle)[POSITION + axis * COORDINATE]);
}

// Returns the squared distance of a j-particle from the origin, in the coordinates of the screen.
__device__ __forceinline__ float norm2_of(const ParticleJ &j)
{
    const float x = truncated(coordinate<POSITION_J>(j, 0));
    const float y = truncated(coordinate<POSITION_J>(j, 1));
    const float z = truncated(coordinate<POSITION_J>(j, 2));
    return x * x + y * y + z * z;
}

// The screen of a warp. In the products, the i-particle of lane 4 g + r has row g + 8 r, and lane
// 4 g + t has the sums of the rows g + 8 r for octet t of the j-particles in a word.
class Screen {
    u32 rows[2][2]; // column t of the rows g, g + 8; g + 16, g + 24
    float begin[4]; // initial sums of these rows
    bool screens; // whether its numbers neither overflow nor underflow

public:
    template <typename Law>
    __device__ __forceinline__ Screen(const Law &self, const Space &space, const ParticleI &i)
    {
        if constexpr (SCREENS) fill(::fabsf(float(cutoff_of(self, space, i))), i);
    }

    // Returns whether the screen can be used.
    __device__ __forceinline__ bool works() const { return screens; }

    // Returns the possible hits of the i-particle of this lane, one bit each, the last candidate
    // lowest. Column c of tile s is the column of candidate `candidate(s, c)` of the word.
    __device__ __forceinline__ u32 hits(const u32 (&columns)[TILES]) const
    {
        u32 bits[4] = {}; // one for each row g + 8 r
#pragma unroll
        for (u32 s = 0; s < TILES; ++s) {
#pragma unroll
            for (u32 half = 0; half < 2; ++half) {
                const float first = begin[2 * half], second = begin[2 * half + 1];
                float sums[4];
                multiply_add(rows[half], columns[s], {first, first, second, second}, sums);
#pragma unroll
                for (u32 k = 0; k < 4; ++k) push_sign(sums[k], bits[2 * half + k / 2]);
            }
        }
        return of_lane(bits[0] << 24 | bits[1] << 16 | bits[2] << 8 | bits[3]);
    }

    // Returns the candidate in column c of tile s. The four pairs of octet t are in different
    // tiles, beginning with pair t, so that the columns of a tile are in different banks of shared
    // memory.
    static __device__ __forceinline__ u32 candidate(u32 s, u32 c)
    {
        const u32 t = c / 2;
        return 8 * t + 2 * ((s + t) % TILES) + c % 2;
    }

private:
    __device__ __forceinline__ void fill(float reach, const ParticleI &i)
    {
        float x[3], norm2 = 0.0f;
#pragma unroll
        for (int axis = 0; axis < 3; ++axis) {
            // Rounds to nearest.
            const u32 bits = ::__float_as_uint(coordinate<POSITION_I>(i, axis)) + 0x1000;
            x[axis] = ::__uint_as_float(bits & TF32);
            norm2 += x[axis] * x[axis];
        }
        // A j-particle within reach has at most the distance `extent` from the origin. Rounding
        // moves it by at most 2^-10 of its distance, and i by 2^-11. The sums are accurate to
        // 2^-18 of their terms.
        const float extent = ::sqrtf(norm2) * 1.001f + reach;
        const float widened = reach + 0x1.8p-10f * extent;
        const float limit = widened * widened + 0x1p-16f * (extent * extent);
        screens = ::__all_sync(~0u, int(limit > 1e-30f && limit < 1e30f && extent < 1e15f));
        const u32 lane = threadIdx.x % LANES, g = lane / 4, t = lane % 4;
#pragma unroll
        for (u32 r = 0; r < 4; ++r) {
            const int from = int(4 * g + r);
            u32 column = ::__float_as_uint(1.0f);
#pragma unroll
            for (u32 axis = 0; axis < 3; ++axis) {
                const u32 number = ::__shfl_sync(~0u, ::__float_as_uint(-2.0f * x[axis]), from);
                if (t == axis) column = number;
            }
            rows[r / 2][r % 2] = column;
            const u32 number = ::__shfl_sync(~0u, ::__float_as_uint(norm2 - limit), from);
            begin[r] = ::__uint_as_float(number);
        }
    }

    // Returns the bits of row g + 8 t, given the bits of rows g + 8 r in four bytes, r = 0
    // highest.
    static __device__ __forceinline__ u32 of_lane(u32 bits)
    {
        const u32 t = threadIdx.x % 4;
        // Moves the pairs of each octet to their places.
        const u32 moved = 0x01010101u * (0xffu >> (2 * t));
        bits = (bits >> (2 * t) & moved) | (bits << (8 - 2 * t) & ~moved);
        // Transposes bytes in four lanes.
        const u32 second = ::__shfl_sync(~0u, bits, int(threadIdx.x % LANES ^ 2));
        bits = ::__byte_perm(bits, second, t & 2 ? 0x5410 : 0x3276);
        const u32 first = ::__shfl_sync(~0u, bits, int(threadIdx.x % LANES ^ 1));
        return ::__byte_perm(bits, first, t & 1 ? 0x6240 : 0x3715);
    }
};

} // namespace nbody
