// Totals of the threads of a block, merged in a fixed order.
namespace nbody {

// Returns the number of totals that a block exchanges at a time, in shared memory of this many
// bytes.
__device__ constexpr u32 exchanged(size_t shared)
{
    u32 count = BLOCK / 2;
    while (count > 1 && count * FDIM * sizeof(backup) > shared) count /= 2;
    return count;
}

// Loops over a total are unrolled, so that its numbers can be in registers, unless they exceed the
// 255 registers of a thread: such a loop would take long to compile.
constexpr int UNROLL_TOTAL = FDIM * sizeof(backup) / sizeof(u32) <= 255 ? FDIM : 1;

// Merges the totals of a block into the total of its first thread: the first half of the threads
// merges the totals of the second half, and so on, until one thread is left.
template <size_t SHARED>
__device__ __forceinline__ void merge_block(backup (&total)[FDIM])
{
    constexpr u32 COUNT = exchanged(SHARED);
    __shared__ backup later[FDIM][COUNT];
    for (u32 half = BLOCK / 2; half > 0; half /= 2) {
        for (u32 first = 0; first < half; first += COUNT) {
            const u32 count = half < COUNT ? half : COUNT;
            const u32 mine = threadIdx.x - first; // less than `count` in threads that merge
            const u32 theirs = mine - half;
            __syncthreads();
            if (theirs < count) {
#pragma unroll UNROLL_TOTAL
                for (int c = 0; c < FDIM; ++c) later[c][theirs] = total[c];
            }
            __syncthreads();
            if (mine < count) {
                backup part[FDIM];
#pragma unroll UNROLL_TOTAL
                for (int c = 0; c < FDIM; ++c) part[c] = later[c][mine];
                merge(part, total);
            }
        }
    }
}

} // namespace nbody
