// Lists of rows: a kernel marks each row for some lists, and counts the rows of each block in each
// list; then the blocks list their rows, in order.
namespace nbody {

// Returns the number of the least bit.
__device__ __forceinline__ u32 first_bit(u64 bits)
{
    const u32 low = u32(bits);
    return u32(low != 0 ? ::__ffs(int(low)) : 32 + ::__ffs(int(bits >> 32))) - 1;
}

// Marks the rows of the block. The last block to end finds the place of each block's first row in each
// list, one list after another, and tells the host the lengths.
template <typename Marks>
__device__ __forceinline__ void mark_rows(const Listing &listing, const Marks &marks_of)
{
    __shared__ u32 counts[LISTS];
    for (u32 list = threadIdx.x; list < listing.lists; list += BLOCK) counts[list] = 0;
    __syncthreads();
    const Share share = share_of(listing.n);
    for (u32 k = share.begin + threadIdx.x; k < share.end; k += BLOCK) {
        const u64 marks = marks_of(k);
        listing.marks[k] = marks;
        for (u64 rest = marks; rest != 0; rest &= rest - 1) ::atomicAdd(&counts[first_bit(rest)], 1u);
    }
    __syncthreads();
    for (u32 list = threadIdx.x; list < listing.lists; list += BLOCK) {
        listing.counts[list * gridDim.x + blockIdx.x] = counts[list];
    }
    if (!is_last(listing.ended, gridDim.x)) return;
    u32 place = 0;
    for (u32 list = 0; list < listing.lists; ++list) {
        u32 *const of_blocks = listing.counts + list * gridDim.x;
        const u32 begin = place;
        for (u32 first = 0; first < gridDim.x; first += BLOCK) {
            const u32 block = first + threadIdx.x;
            const u32 count = block < gridDim.x ? of_blocks[block] : 0;
            u32 sum;
            const u32 before = sum_before(count, sum);
            if (block < gridDim.x) of_blocks[block] = place + before;
            place += sum;
        }
        if (threadIdx.x == 0) *reinterpret_cast<volatile u64 *>(listing.replies[list]) = place - begin;
    }
}

// Lists the rows of the block. The grid has the number of blocks of the grid that has marked.
extern "C" __global__ void __launch_bounds__(BLOCK) list_rows(
    const Listing listing, u32 *__restrict__ rows)
{
    __shared__ u32 places[LISTS];
    __shared__ u32 any[2];
    for (u32 list = threadIdx.x; list < listing.lists; list += BLOCK) {
        places[list] = listing.counts[list * gridDim.x + blockIdx.x];
    }
    const Share share = share_of(listing.n);
    for (u32 first = share.begin; first < share.end; first += BLOCK) {
        const u32 k = first + threadIdx.x;
        const u64 marks = k < share.end ? listing.marks[k] : 0;
        if (threadIdx.x < 2) any[threadIdx.x] = 0;
        __syncthreads();
        if (u32(marks) != 0) ::atomicOr(&any[0], u32(marks));
        if (marks >> 32 != 0) ::atomicOr(&any[1], u32(marks >> 32));
        __syncthreads();
        for (u64 rest = any[0] | u64(any[1]) << 32; rest != 0; rest &= rest - 1) {
            const u32 list = first_bit(rest);
            const bool is_listed = marks >> list & 1;
            u32 sum;
            const u32 before = sum_before(is_listed, sum);
            const u32 place = places[list];
            if (is_listed) rows[place + before] = k;
            __syncthreads();
            if (threadIdx.x == 0) places[list] = place + sum;
        }
        __syncthreads();
    }
}

} // namespace nbody
