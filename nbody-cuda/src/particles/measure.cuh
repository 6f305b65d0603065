// Measures: a program sums a property over all particles. Each block of threads merges the totals
// of its particles; later launches merge the totals of blocks, always in the same order.
namespace nbody {

// Stores the total of a block, in a launch for n particles or totals; number c of block k is at
// [c * blocks + k].
__device__ __forceinline__ void store_block(const backup (&total)[FDIM], backup *totals, u32 n)
{
    if (threadIdx.x != 0) return;
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
#pragma unroll UNROLL_TOTAL
    for (int c = 0; c < FDIM; ++c) totals[c * blocks + blockIdx.x] = total[c];
}

// Merges the contributions of 256 particles in each block.
extern "C" __global__ void __launch_bounds__(BLOCK) measure(
    const Parameters parameters, const Space space, const RowP *__restrict__ particles,
    const PointerQ others, const u32 number_of_others, const PointerF results,
    const PointerG earlier, const u32 n, backup *__restrict__ totals)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    backup total[FDIM];
    reset(total);
    if (k < n) {
        Accumulators t = nothing();
        const SecondParticles<ParticleQ, PointerQ> all{others, number_of_others};
        act(parameters, space, load<ParticleP>(particles, k), load<ParticleQ>(others, k),
            results_of<ResultsF>(results, k, n), results_of<TotalG>(earlier, 0, 1), all, k, t);
        fold(t, total);
    }
    merge_block<48 * 1024>(total);
    store_block(total, totals, n);
}

// Merges the totals of 256 blocks of the previous launch in each block.
extern "C" __global__ void __launch_bounds__(BLOCK) merge_totals(
    const backup *__restrict__ parts, const u32 n, backup *__restrict__ totals)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    backup total[FDIM];
    reset(total);
    if (k < n) {
#pragma unroll UNROLL_TOTAL
        for (int c = 0; c < FDIM; ++c) total[c] = parts[size_t(c) * n + k];
    }
    merge_block<48 * 1024>(total);
    store_block(total, totals, n);
}

} // namespace nbody
