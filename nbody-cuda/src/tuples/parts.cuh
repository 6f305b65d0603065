// Sums over tuples of several particles: one kernel evaluates each tuple, and stores the result of each
// of its particles; another sums these parts by particles.
namespace nbody {

// The result of a particle of a tuple, in the precision of the results.
struct alignas(FDIM * sizeof(Word) > 8 ? 16 : FDIM * sizeof(Word)) Part {
    Word words[FDIM];
};

// Parts that a thread reads at once, so that it does not wait for one after another.
constexpr u32 READ = 4;

// Evaluates n tuples, with a thread for each. The results of their particles are stored at the places
// `slots`, which follow one another for each particle.
extern "C" __global__ void __launch_bounds__(BLOCK) evaluate_tuples(
    const Parameters parameters, const Space space, const RowP *__restrict__ particles,
    const RowT *__restrict__ records, const Indices *__restrict__ members,
    const Indices *__restrict__ slots, const u32 n, Part *__restrict__ parts)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    Accumulators f[MEMBERS];
    evaluate(parameters, space, load_tuple(particles, records, members, k), f);
    const Indices places = slots[k];
#pragma unroll
    for (int m = 0; m < MEMBERS; ++m) {
        backup sum[FDIM];
        reset(sum);
        fold(f[m], sum);
        Part part;
#pragma unroll
        for (int c = 0; c < FDIM; ++c) part.words[c] = narrow(c, sum[c]);
        parts[places.at[m]] = part;
    }
}

// Sums the parts of n particles, with a thread for each. Particle k has the parts first[k] to
// first[k + 1] - 1.
extern "C" __global__ void __launch_bounds__(BLOCK) sum_parts(
    const u32 *__restrict__ first, const Part *__restrict__ parts, ColumnsF *results, const u32 n,
    const u32 adds)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    const u32 begin = first[k], end = first[k + 1];
    if (begin == end && adds) return;
    Stored stored(results, k, n, adds);
    backup sum[FDIM];
    reset(sum);
    for (u32 at = begin; at < end; at += READ) {
        Part read[READ];
#pragma unroll
        for (u32 j = 0; j < READ; ++j) {
            if (at + j < end) read[j] = parts[at + j];
        }
#pragma unroll
        for (u32 j = 0; j < READ; ++j) {
            if (at + j >= end) break;
            backup numbers[FDIM];
#pragma unroll
            for (int c = 0; c < FDIM; ++c) numbers[c] = widen(c, read[j].words[c]);
            merge(numbers, sum);
        }
    }
    stored.store(sum);
}

} // namespace nbody
