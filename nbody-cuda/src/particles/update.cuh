// Updates: a program changes each particle, with one thread per particle.
namespace nbody {

// Writes the numbers of a particle that the program changes, rounded to the precision of the
// buffer.
template <typename Row> struct RowWriter {
    using Word = typename Row::Word;
    const Space &space;
    Row &row;
    bool spoilt; // by NaN, which replaces all numbers
    double point[3] = {}; // the coordinates so far of a point to wrap into a triclinic box

    __device__ __forceinline__ void coordinate(int c, double x)
    {
        if constexpr (WRAP && TRICLINIC) {
            point[AXES[c]] = x;
            const int dimensions = AXES[c] + 1;
            // The next point begins with another x; other numbers have axis 0, too.
            if (c + 1 < PDIM && AXES[c + 1] == dimensions) return;
            const double length[] = {space.length[0], space.length[1], dimensions > 2 ? space.length[2] : 0.0};
            wrap_tilted(point, length, space.tilt);
            for (int axis = 0; axis < dimensions; ++axis) {
                put(c - AXES[c] + axis, below(point[axis], length[axis]));
            }
            return;
        }
        if constexpr (WRAP) {
            const double length = space.length[AXES[c]];
            if (length > 0.0) {
                x = wrap(x, length);
                const double at = stored(x);
                if (x < length && at >= length && at < infinity()) x = 0.0;
            }
        }
        put(c, x);
    }
    __device__ __forceinline__ void put(int c, double x)
    {
        real(c, x);
        if constexpr (Row::DOUBLE_SINGLE) {
            if (CHANGES[c]) row.words[Row::place(c) + 1] = spoilt ? 0.0f : low(x);
        }
    }
    __device__ __forceinline__ void real(int c, double x)
    {
        if (CHANGES[c]) row.words[Row::place(c)] = spoilt ? Word(not_a_number()) : Word(x);
    }
    __device__ __forceinline__ void index(int c, u32 n)
    {
        if (CHANGES[c]) row.words[Row::place(c)] = word<Word>(spoilt ? ~0u : n);
    }

    // Returns a coordinate that stays less than the length when it is stored.
    static __device__ __forceinline__ double below(double x, double length)
    {
        constexpr double LESS = 1.0 - (Row::DOUBLE_SINGLE ? 0x1p-45 : 0x1p-22);
        const double at = stored(x);
        return x < length && at >= length && at < infinity() ? length * LESS : x;
    }

    // Returns a coordinate as stored.
    static __device__ __forceinline__ double stored(double x)
    {
        const double hi = Word(x);
        if constexpr (Row::DOUBLE_SINGLE) return hi + low(x);
        else return hi;
    }

    // Returns the rounding error of a coordinate in `float`; zero for an infinite coordinate.
    static __device__ __forceinline__ float low(double x)
    {
        const float hi = float(x);
        return abs(hi) < infinity() ? float(x - hi) : 0.0f;
    }
};

// Runs the program for each particle. `others` are the second particles, and `results` the results
// of an interaction, component c of particle k at [c * n + k]; `total` is the
// total that all particles read. They are null if the program does not read them. With `order`, particle k and its second particle have index order[k]. With
// `from`, particle k becomes a copy of the particle with this index in `from`. With `due`, this
// time replaces the parameter at word `due_at`.
extern "C" __global__ void __launch_bounds__(BLOCK) update(
    const Parameters parameters, const Space space, RowP *particles,
    const PointerQ others, const u32 number_of_others, const PointerF results,
    const PointerG total, const u32 n, const u32 *__restrict__ order,
    const RowP *__restrict__ from, const u32 *__restrict__ due, const u32 due_at)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    const u32 index = order ? order[k] : k;
    RowP row = from ? from[index] : particles[index];
    ParticleP p = unpack<ParticleP>(row);
    Parameters self = parameters;
    if (due) set_due(self, due_at, *due);
    TotalG g = results_of<TotalG>(total, 0, 1);
    const SecondParticles<ParticleQ, PointerQ> all{others, number_of_others};
    act(self, space, p, load<ParticleQ>(others, index), results_of<ResultsF>(results, k, n), g, all);
    RowWriter<RowP> writer{space, row, has_nan(g)};
    each_number(p, writer);
    particles[from ? k : index] = row;
}

} // namespace nbody
