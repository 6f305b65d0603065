// Sums over the threads of a block.
namespace nbody {

constexpr u32 WARPS = BLOCK / LANES;

// Returns the value of another thread of this warp.
template <typename T> __device__ __forceinline__ T value_of(u32 lane, T value)
{
    return ::__shfl_sync(~0u, value, int(lane % LANES));
}

// Returns the sum over the earlier threads of the block; `sum` receives the sum over all threads.
__device__ __forceinline__ u32 sum_before(u32 count, u32 &sum)
{
    __shared__ u32 sums[WARPS];
    u32 before = count;
    for (u32 step = 1; step < LANES; step *= 2) {
        const u32 earlier = value_of(threadIdx.x - step, before);
        if (threadIdx.x % LANES >= step) before += earlier;
    }
    __syncthreads();
    if (threadIdx.x % LANES == LANES - 1) sums[threadIdx.x / LANES] = before;
    __syncthreads();
    before -= count;
    sum = 0;
    for (u32 warp = 0; warp < WARPS; ++warp) {
        if (warp < threadIdx.x / LANES) before += sums[warp];
        sum += sums[warp];
    }
    return before;
}

} // namespace nbody
