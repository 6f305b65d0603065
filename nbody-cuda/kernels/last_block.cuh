// The last block of a launch to end, which goes on with what all have done.
namespace nbody {

// Increments a count and returns the previous one. It orders the writes of this block before it and
// the reads after it, at less cost than fences.
__device__ __forceinline__ u32 count_one_more(u32 *count)
{
#ifdef __CUDACC__
    u32 before;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                 : "=r"(before) : "l"(count) : "memory");
    return before;
#else
    return ::atomicAdd(count, 1u);
#endif
}

// Returns whether this block is the last of `blocks` to arrive, which then sees the writes of the
// others. It resets the count to zero.
__device__ __forceinline__ bool is_last(u32 *ended, u32 blocks)
{
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = count_one_more(ended) == blocks - 1;
        if (last) *ended = 0;
    }
    __syncthreads();
    return last;
}

} // namespace nbody
