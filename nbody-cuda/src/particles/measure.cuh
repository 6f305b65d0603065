// Measures: a program sums a property over all particles. Each block of threads merges the totals
// of its particles; later launches merge the totals of blocks, always in the same order.
namespace nbody {

// Returns the number of totals that a block exchanges at a time.
__device__ constexpr u32 exchanged()
{
    constexpr size_t SHARED = 48 * 1024; // shared memory of a block, in bytes
    u32 count = BLOCK / 2;
    while (count > 1 && count * FDIM * sizeof(backup) > SHARED) count /= 2;
    return count;
}

// Loops over a total are unrolled, so that its numbers can be in registers, unless they exceed the
// 255 registers of a thread: such a loop would take long to compile.
constexpr int UNROLL = FDIM * sizeof(backup) / sizeof(u32) <= 255 ? FDIM : 1;

// Merges the totals of a block into the total of its first thread: the first half of the threads
// merges the totals of the second half, and so on, until one thread is left.
__device__ __forceinline__ void merge_block(backup (&total)[FDIM])
{
    constexpr u32 COUNT = exchanged();
    __shared__ backup later[FDIM][COUNT];
    for (u32 half = BLOCK / 2; half > 0; half /= 2) {
        for (u32 first = 0; first < half; first += COUNT) {
            const u32 count = half < COUNT ? half : COUNT;
            const u32 mine = threadIdx.x - first; // less than `count` in threads that merge
            const u32 theirs = mine - half;
            __syncthreads();
            if (theirs < count) {
#pragma unroll UNROLL
                for (int c = 0; c < FDIM; ++c) later[c][theirs] = total[c];
            }
            __syncthreads();
            if (mine < count) {
                backup part[FDIM];
#pragma unroll UNROLL
                for (int c = 0; c < FDIM; ++c) part[c] = later[c][mine];
                merge(part, total);
            }
        }
    }
}

// Stores the total of a block, in a launch for n particles or totals; number c of block k is at
// [c * blocks + k].
__device__ __forceinline__ void store_block(const backup (&total)[FDIM], backup *totals, u32 n)
{
    if (threadIdx.x != 0) return;
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
#pragma unroll UNROLL
    for (int c = 0; c < FDIM; ++c) totals[c * blocks + blockIdx.x] = total[c];
}

// Merges the contributions of 256 particles in each block.
extern "C" __global__ void __launch_bounds__(BLOCK) measure(
    const Parameters parameters, const Space space, const RowP *__restrict__ particles,
    const RowQ *__restrict__ others, const ColumnsF *__restrict__ results, const u32 n,
    backup *__restrict__ totals)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    backup total[FDIM];
    reset(total);
    if (k < n) {
        Accumulators t = nothing();
        act(parameters, space, load<ParticleP>(particles, k), load<ParticleQ>(others, k),
            results_of(results, k, n), k, t);
        fold(t, total);
    }
    merge_block(total);
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
#pragma unroll UNROLL
        for (int c = 0; c < FDIM; ++c) total[c] = parts[size_t(c) * n + k];
    }
    merge_block(total);
    store_block(total, totals, n);
}

} // namespace nbody
