// Selections: an order of particles in which active particles come first, and copies in this
// order. Particles are rows of words; an integer of the row tells whether the particle is active.
namespace nbody {

using u64 = unsigned long long;

__device__ __forceinline__ BlockFound *found_of(SelectionState *state)
{
    return reinterpret_cast<BlockFound *>(state + 1);
}

// Returns the difference of the integer of a particle to `now`; without `soonest`, 0 for an active
// particle and 1 for others. Active particles have the least difference.
__device__ __forceinline__ u32 due(const Candidates &candidates, u32 k)
{
    const Byte *const row = candidates.rows + size_t(k) * candidates.row_bytes;
    const u32 integer = *reinterpret_cast<const u32 *>(row + candidates.byte);
    return candidates.soonest ? integer - candidates.now : integer == 0;
}

// Returns the greatest difference of particles that can be active.
__device__ __forceinline__ u32 limit(const Candidates &candidates) { return candidates.soonest ? ~0u : 0; }

// Returns the least value over the threads of a block.
__device__ __forceinline__ u32 least_of_block(u32 value)
{
    __shared__ u32 least[WARPS];
    for (u32 half = LANES / 2; half > 0; half /= 2) {
        const u32 other = value_of(threadIdx.x ^ half, value);
        value = other < value ? other : value;
    }
    __syncthreads();
    if (threadIdx.x % LANES == 0) least[threadIdx.x / LANES] = value;
    __syncthreads();
    for (u32 warp = 0; warp < WARPS; ++warp) value = least[warp] < value ? least[warp] : value;
    return value;
}

// Finds the active particles. The last block combines the findings of all blocks, and sends the
// least difference to the host; the upper half of the word has the number of particles with this
// difference.
extern "C" __global__ void __launch_bounds__(BLOCK) find_active(
    const Candidates candidates, SelectionState *state, const u32 blocks, volatile u64 *reply)
{
    BlockFound *const found = found_of(state);
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    const u32 mine = k < candidates.n ? due(candidates, k) : ~0u;
    const u32 least_here = least_of_block(mine < limit(candidates) ? mine : limit(candidates));
    u32 sum;
    sum_before(k < candidates.n && mine == least_here ? 1 : 0, sum);
    if (threadIdx.x == 0) found[blockIdx.x] = {least_here, sum};
    if (!is_last(&state->ended, blocks)) return;
    u32 least = ~0u;
    for (u32 b = threadIdx.x; b < blocks; b += BLOCK) {
        least = found[b].least < least ? found[b].least : least;
    }
    least = least_of_block(least);
    u32 active = 0;
    for (u32 first = 0; first < blocks; first += BLOCK) {
        const u32 b = first + threadIdx.x;
        const bool has_least = b < blocks && found[b].least == least;
        const u32 before = sum_before(has_least ? found[b].count : 0, sum);
        if (b < blocks) found[b].count = active + before;
        active += sum;
    }
    if (threadIdx.x != 0) return;
    state->least = least;
    state->active = active;
    state->due = candidates.now + least;
    *reply = u64(active) << 32 | least;
}

// Writes the indices of the particles, active particles first.
extern "C" __global__ void __launch_bounds__(BLOCK) order(
    const Candidates candidates, SelectionState *state, u32 *__restrict__ indices)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    const bool active = k < candidates.n && due(candidates, k) == state->least;
    u32 sum;
    const u32 before = found_of(state)[blockIdx.x].count + sum_before(active ? 1 : 0, sum);
    if (k < candidates.n) indices[active ? before : state->active + k - before] = k;
}

// Copies the rows with these indices, one thread per word.
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
