// The shares of blocks in consecutive rows.
namespace nbody {

using u64 = unsigned long long;

// The rows of a block of threads.
struct Share {
    u32 begin, end;
};

__device__ __forceinline__ Share share_of(u32 n)
{
    const u64 rows = (n + gridDim.x - 1) / gridDim.x, begin = blockIdx.x * rows, end = begin + rows;
    return {begin < n ? u32(begin) : n, end < n ? u32(end) : n};
}

} // namespace nbody
