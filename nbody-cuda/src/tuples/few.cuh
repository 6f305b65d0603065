// Sums over tuples of one or two particles: each particle evaluates its tuples, which takes less time
// than to pass results through memory. A tuple is in memory once for each of its particles.
namespace nbody {

// Loads a tuple of particle k, which is in registers.
__device__ __forceinline__ Loaded load_tuple_of(
    const RowP &own, u32 k, const RowP *particles, const RowT *records, const Indices *members,
    u32 tuple)
{
    Loaded loaded;
    loaded.indices = members[tuple];
    loaded.record = row_of(records, tuple);
#pragma unroll
    for (int m = 0; m < MEMBERS; ++m) {
        const u32 index = loaded.indices.at[m];
        loaded.particles[m] = own;
        if (index != k) loaded.particles[m] = particles[index];
    }
    return loaded;
}

// Sums the results of n particles, with a thread for each. Particle k has the tuples first[k] to
// first[k + 1] - 1.
extern "C" __global__ void __launch_bounds__(BLOCK) sum_tuples(
    const Parameters parameters, const Space space, const RowP *__restrict__ particles,
    const RowT *__restrict__ records, const Indices *__restrict__ members,
    const u32 *__restrict__ first, ColumnsF *results, const u32 n, const u32 adds)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    const u32 begin = first[k], end = first[k + 1];
    if (begin == end && adds) return;
    Stored stored(results, k, n, adds);
    backup sum[FDIM];
    reset(sum);
    const RowP own = particles[k];
    if (begin < end) {
        // The next tuple is on its way from memory while one is evaluated.
        Loaded next = load_tuple_of(own, k, particles, records, members, begin);
        for (u32 at = begin; at < end; ++at) {
            const Loaded tuple = next;
            if (at + 1 < end) next = load_tuple_of(own, k, particles, records, members, at + 1);
            Accumulators f[MEMBERS];
            evaluate(parameters, space, tuple, f);
            backup part[FDIM];
            reset(part);
#pragma unroll
            for (int m = 0; m < MEMBERS; ++m) {
                if (tuple.indices.at[m] == k) fold(f[m], part);
            }
#pragma unroll
            for (int c = 0; c < FDIM; ++c) part[c] = widen(c, narrow(c, part[c]));
            merge(part, sum);
        }
    }
    stored.store(sum);
}

} // namespace nbody
