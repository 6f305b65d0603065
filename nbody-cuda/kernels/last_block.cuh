// Detection of the last block of a launch to end, which continues with the results of all blocks.
//
// So one launch sums and merges: the last block of a tile merges the parts of all blocks, in
// order.
namespace nbody {

// Increments a count and returns its previous value. Orders earlier writes of this block before
// the increment, and later reads after it, at a lower cost than fences.
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

// Returns whether this block is the last of `blocks` to arrive. The last block sees the writes of
// the others, and resets the count to zero.
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
