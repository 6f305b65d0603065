// Selections: an order of particles in which those that take part come first, and copies in this
// order. Particles are rows of words, of which an integer tells whether the particle takes part.
namespace nbody {

using u32 = unsigned int;
using Byte = unsigned char;

// The integers of particles, and which of them take part: those that are not zero, or, with
// `soonest`, those that are the first to follow `now`, modulo 2^32.
struct Rows {
    const Byte *rows;
    u32 n, row_bytes, byte, now, soonest;
};

// The state of a selection; the counts of blocks follow it.
struct State {
    u32 least; // of the differences to `now`
    u32 active; // particles that take part
    u32 ended; // blocks; zero before and after a launch
    u32 unused;
};

__device__ __forceinline__ u32 *counts_of(State *state) { return reinterpret_cast<u32 *>(state + 1); }

// Returns the difference of an integer to `now`.
__device__ __forceinline__ u32 due(const Rows &rows, u32 k)
{
    const Byte *const row = rows.rows + size_t(k) * rows.row_bytes;
    return *reinterpret_cast<const u32 *>(row + rows.byte) - rows.now;
}

__device__ __forceinline__ bool is_active(const Rows &rows, u32 k, const State *state)
{
    const u32 mine = due(rows, k);
    return rows.soonest ? mine == state->least : mine != 0;
}

// Increments a count and returns the previous one. It orders the writes of this block before it and
// the reads after it.
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

// Returns whether this block is the last of `blocks` to end, which then sees the writes of the others.
__device__ __forceinline__ bool is_last(State *state, u32 blocks)
{
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        last = count_one_more(&state->ended) == blocks - 1;
        if (last) state->ended = 0;
    }
    __syncthreads();
    return last;
}

// Returns the least value of a block, to its first thread.
__device__ __forceinline__ u32 least_of_block(u32 value)
{
    __shared__ u32 values[BLOCK];
    __syncthreads();
    values[threadIdx.x] = value;
    for (u32 half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && values[threadIdx.x + half] < values[threadIdx.x]) {
            values[threadIdx.x] = values[threadIdx.x + half];
        }
    }
    return values[0];
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

// Finds the least difference to `now`.
extern "C" __global__ void __launch_bounds__(BLOCK) find_least(
    const Rows rows, State *state, const u32 blocks)
{
    u32 *const counts = counts_of(state);
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    const u32 mine = least_of_block(k < rows.n ? due(rows, k) : ~0u);
    if (threadIdx.x == 0) counts[blockIdx.x] = mine;
    if (!is_last(state, blocks)) return;
    u32 least = ~0u;
    for (u32 b = threadIdx.x; b < blocks; b += BLOCK) least = counts[b] < least ? counts[b] : least;
    least = least_of_block(least);
    if (threadIdx.x == 0) state->least = least;
}

// Counts the particles of each block that take part, and replaces each count by the sum of those before
// it.
extern "C" __global__ void __launch_bounds__(BLOCK) count_active(
    const Rows rows, State *state, const u32 blocks)
{
    u32 *const counts = counts_of(state);
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    u32 sum;
    sum_before(k < rows.n && is_active(rows, k, state) ? 1 : 0, sum);
    if (threadIdx.x == 0) counts[blockIdx.x] = sum;
    if (!is_last(state, blocks)) return;
    u32 total = 0;
    for (u32 first = 0; first < blocks; first += BLOCK) {
        const u32 b = first + threadIdx.x;
        const u32 before = sum_before(b < blocks ? counts[b] : 0, sum);
        if (b < blocks) counts[b] = total + before;
        total += sum;
    }
    if (threadIdx.x == 0) state->active = total;
}

// Writes the indices of the particles, those that take part first.
extern "C" __global__ void __launch_bounds__(BLOCK) order(
    const Rows rows, State *state, u32 *__restrict__ indices)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    const bool active = k < rows.n && is_active(rows, k, state);
    u32 sum;
    const u32 before = counts_of(state)[blockIdx.x] + sum_before(active ? 1 : 0, sum);
    if (k < rows.n) indices[active ? before : state->active + k - before] = k;
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
