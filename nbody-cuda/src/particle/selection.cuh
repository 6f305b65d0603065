// Selections: an order of particles in which those that take part come first, and copies in this
// order. Particles are rows of words, of which one tells whether the particle takes part.
namespace nbody {

using u32 = unsigned int;
using Byte = unsigned char;

// Returns whether particle k takes part: the integer at this byte of its row is not zero.
__device__ __forceinline__ bool is_active(const Byte *rows, u32 k, u32 row_bytes, u32 byte)
{
    return *reinterpret_cast<const u32 *>(rows + size_t(k) * row_bytes + byte) != 0;
}

// Returns the sum over the threads of a block that come before this one, and in `sum` that over all.
__device__ __forceinline__ u32 sum_before(u32 count, u32 &sum)
{
    __shared__ u32 sums[BLOCK];
    __syncthreads();
    sums[threadIdx.x] = count;
    __syncthreads();
    for (u32 step = 1; step < u32(BLOCK); step *= 2) {
        const u32 before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    sum = sums[BLOCK - 1];
    return sums[threadIdx.x] - count;
}

// Counts the particles of each block that take part.
extern "C" __global__ void __launch_bounds__(BLOCK) count_active(
    const Byte *__restrict__ rows, const u32 n, const u32 row_bytes, const u32 byte, u32 *counts)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    u32 sum;
    sum_before(k < n && is_active(rows, k, row_bytes, byte) ? 1 : 0, sum);
    if (threadIdx.x == 0) counts[blockIdx.x] = sum;
}

// Replaces each count by the sum of those before it; the sum of all follows the last. One block.
extern "C" __global__ void __launch_bounds__(BLOCK) sum_counts(u32 *counts, const u32 blocks)
{
    u32 total = 0;
    for (u32 first = 0; first < blocks; first += BLOCK) {
        const u32 k = first + threadIdx.x;
        u32 sum;
        const u32 before = sum_before(k < blocks ? counts[k] : 0, sum);
        if (k < blocks) counts[k] = total + before;
        total += sum;
    }
    if (threadIdx.x == 0) counts[blocks] = total;
}

// Writes the indices of the particles, those that take part first.
extern "C" __global__ void __launch_bounds__(BLOCK) order(
    const Byte *__restrict__ rows, const u32 n, const u32 row_bytes, const u32 byte,
    const u32 *__restrict__ counts, u32 *__restrict__ indices)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    const bool active = k < n && is_active(rows, k, row_bytes, byte);
    u32 sum;
    const u32 before = counts[blockIdx.x] + sum_before(active ? 1 : 0, sum);
    const u32 active_of_all = counts[(n + BLOCK - 1) / BLOCK];
    if (k < n) indices[active ? before : active_of_all + k - before] = k;
}

// Copies the rows of these indices, with one thread per word.
extern "C" __global__ void __launch_bounds__(BLOCK) gather(
    const u32 *__restrict__ from, const u32 *__restrict__ indices, u32 *__restrict__ to,
    const u32 count, const u32 words)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const u32 k = u32(at / words);
    const u32 word = u32(at % words);
    if (k < count) to[at] = from[size_t(indices[k]) * words + word];
}

} // namespace nbody
