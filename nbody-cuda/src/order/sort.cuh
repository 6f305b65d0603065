// A radix sort of 64-bit keys with values, by 8 bits in each pass, the lowest bits first. It is
// stable, and its result does not depend on timing: each block has a share of consecutive keys,
// and their places follow from the counts of keys in the shares before it. A pass has two phases
// of a launch.
namespace nbody {

using u16 = unsigned short;

constexpr u32 KEYS = 8; // keys of a thread in a batch
constexpr u32 BATCH = KEYS * BLOCK; // keys that a block moves at a time
constexpr u32 COLUMNS = BLOCK / DIGITS; // threads that sum the counts of a digit
static_assert(BLOCK % DIGITS == 0 && BATCH <= 1 << 16, "threads of a block");

// The shared memory of a block in a phase.
union SortShared {
    u32 counts[DIGITS];
    struct {
        u32 before[COLUMNS][DIGITS], all[COLUMNS][DIGITS];
    } sums;
    struct {
        u32 next[DIGITS]; // the place of the next key of a digit
        u32 shift[DIGITS]; // place in memory minus place in the batch
        // The rank of the first key of a warp among the keys of this digit; later its place in the
        // batch.
        u16 ranks[WARPS][DIGITS];
        u64 keys[BATCH];
        u32 values[BATCH];
    } batch;
};

__device__ __forceinline__ u32 digit_of(u64 key, u32 pass)
{
    return u32(key >> (DIGIT_BITS * pass)) % DIGITS;
}

// Returns a digit of a key in memory: one of its bytes, the lowest first.
__device__ __forceinline__ u32 digit_at(const u64 *key, u32 pass)
{
    static_assert(DIGIT_BITS == 8, "a byte a digit");
    return reinterpret_cast<const unsigned char *>(key)[pass];
}

__device__ __forceinline__ u32 squads() { return (gridDim.x + SQUAD - 1) / SQUAD; }

// Returns the memory for the sums of the counts of squads in a pass.
__device__ __forceinline__ u32 *sums_of(const Sort &sort, u32 pass)
{
    return sort.sums + pass % 2 * squads() * DIGITS;
}

// Clears the sums for a pass.
__device__ __forceinline__ void clear_sums(const Sort &sort, u32 pass)
{
    u32 *const sums = sums_of(sort, pass);
    const u32 count = squads() * DIGITS;
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) sums[k] = 0;
}

// The keys of a block, which are consecutive; `end` is excluded.
struct Share {
    u32 begin, end;
};

__device__ __forceinline__ Share share_of(u32 n)
{
    // Whole warps, and at least one key per thread.
    u32 keys = (n + gridDim.x - 1) / gridDim.x;
    keys = keys < BLOCK ? BLOCK : (keys + LANES - 1) / LANES * LANES;
    const u64 begin = u64(blockIdx.x) * keys;
    const u64 end = begin + keys;
    return {begin < n ? u32(begin) : n, end < n ? u32(end) : n};
}

// The first phase of a pass: each block counts its keys by digit.
__device__ __forceinline__ void count_digits(const Sort &sort, u32 pass, u32 (&counts)[DIGITS])
{
    const u32 digit = threadIdx.x;
    __syncthreads();
    if (digit < DIGITS) counts[digit] = 0;
    __syncthreads();
    const Share share = share_of(sort.n);
    const u64 *const keys = (pass % 2 == 0 ? sort.even : sort.odd).keys;
    for (u32 k = share.begin + threadIdx.x; k < share.end; k += BLOCK) {
        ::atomicAdd(&counts[digit_of(keys[k], pass)], 1u);
    }
    __syncthreads();
    if (digit >= DIGITS) return;
    const u32 count = counts[digit];
    sort.counts[blockIdx.x * DIGITS + digit] = count;
    u32 *const sums = sums_of(sort, pass) + blockIdx.x / SQUAD * DIGITS;
    if (count > 0) ::atomicAdd(&sums[digit], count);
}

// Returns the place of the first key of this block with the digit of this thread: after all keys
// of lower digits, and after the keys of this digit in earlier blocks.
__device__ __forceinline__ u32 first_place(const Sort &sort, u32 pass, SortShared &shared)
{
    const u32 digit = threadIdx.x % DIGITS, column = threadIdx.x / DIGITS;
    const u32 squad = blockIdx.x / SQUAD;
    const u32 *const sums = sums_of(sort, pass);
    u32 before = 0, all = 0;
#pragma unroll 4
    for (u32 s = column; s < squads(); s += COLUMNS) {
        const u32 sum = sums[s * DIGITS + digit];
        all += sum;
        before += s < squad ? sum : 0;
    }
#pragma unroll 4
    for (u32 b = squad * SQUAD + column; b < blockIdx.x; b += COLUMNS) {
        before += sort.counts[b * DIGITS + digit];
    }
    __syncthreads();
    shared.sums.before[column][digit] = before;
    shared.sums.all[column][digit] = all;
    __syncthreads();
    before = all = 0;
    for (u32 c = 0; c < COLUMNS; ++c) {
        before += shared.sums.before[c][digit];
        all += shared.sums.all[c][digit];
    }
    u32 sum;
    return before + sum_before(column == 0 ? all : 0, sum);
}

// Returns the lanes of this warp that have the same digit.
__device__ __forceinline__ u32 lanes_with(u32 digit)
{
    u32 lanes = ~0u;
    for (u32 k = 0; k < DIGIT_BITS; ++k) {
        const u32 bit = digit & 1u << k;
        const u32 votes = ::__ballot_sync(~0u, int(bit));
        lanes &= bit ? votes : ~votes;
    }
    return lanes;
}

// The second phase of a pass: each block moves its keys and values to their places in batches. A
// batch is sorted first, so that neighbouring threads write to neighbouring places.
__device__ __forceinline__ void move_keys(const Sort &sort, u32 pass, SortShared &shared)
{
    constexpr u32 SOME = 4;
    const u32 digit = threadIdx.x, warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const Keyed from = pass % 2 == 0 ? sort.even : sort.odd;
    const Keyed to = pass % 2 == 0 ? sort.odd : sort.even;
    clear_sums(sort, pass + 1);
    const Share share = share_of(sort.n);
    if (share.begin == share.end) return;
    const u32 first = first_place(sort, pass, shared);
    auto &batch = shared.batch;
    __syncthreads();
    if (digit < DIGITS) batch.next[digit] = first;
    for (u32 begin = share.begin; begin < share.end; begin += BATCH) {
        const u32 count = share.end - begin < BATCH ? share.end - begin : BATCH;
        const u32 rounds = (count + BLOCK - 1) / BLOCK;
        const u32 mine = begin + warp * LANES * rounds + lane;
        // The digit of each key. Missing keys have the greatest digit and come last.
        u32 place[KEYS];
#pragma unroll
        for (u32 k = 0; k < KEYS; ++k) {
            if (k >= rounds) break;
            const u32 at = mine + k * LANES;
            place[k] = DIGITS - 1;
            if (at < share.end) place[k] = digit_at(from.keys + at, pass);
        }
        for (u32 k = lane; k < DIGITS; k += LANES) batch.ranks[warp][k] = 0;
        ::__syncwarp();
        // Also the rank among the earlier keys of this digit in this warp.
#pragma unroll
        for (u32 k = 0; k < KEYS; ++k) {
            if (k >= rounds) break;
            u16 &ranked = batch.ranks[warp][place[k]];
            const u32 lanes = lanes_with(place[k]);
            const u32 before = ::__popc(lanes & ((1u << lane) - 1));
            const u32 rank = ranked + before;
            ::__syncwarp();
            if (before == 0) ranked = u16(rank + ::__popc(lanes));
            ::__syncwarp();
            place[k] = place[k] << 16 | rank;
        }
        __syncthreads();
        // The rank of the first key of each warp, and the place of the first key of each digit in
        // the batch.
        u32 all = 0;
        for (u32 w = 0; w < WARPS && digit < DIGITS; ++w) {
            const u32 ranked = batch.ranks[w][digit];
            batch.ranks[w][digit] = u16(all);
            all += ranked;
        }
        u32 sum;
        const u32 start = sum_before(all, sum);
        if (digit < DIGITS) {
            for (u32 w = 0; w < WARPS; ++w) batch.ranks[w][digit] += u16(start);
            batch.shift[digit] = batch.next[digit] - start;
            batch.next[digit] += all;
        }
        __syncthreads();
#pragma unroll
        for (u32 k = 0; k < KEYS; ++k) {
            const u32 at = mine + k * LANES;
            // The barrier keeps the compiler from loading more keys than fit the registers.
            if (k % SOME == 0) {
                if (k >= rounds) break;
                ::__syncwarp();
            }
            if (k >= rounds || at >= share.end) continue;
            const u32 sorted = batch.ranks[warp][place[k] >> 16] + (place[k] & 0xffff);
            batch.keys[sorted] = from.keys[at];
            batch.values[sorted] = pass == 0 ? at : from.values[at];
        }
        __syncthreads();
        for (u32 at = threadIdx.x; at < count; at += BLOCK) {
            const u64 key = batch.keys[at];
            const u32 target = batch.shift[digit_of(key, pass)] + at;
            to.keys[target] = key;
            to.values[target] = batch.values[at];
        }
        __syncthreads();
    }
}

// Runs a phase of a sort. An earlier phase must have cleared the sums of the first pass. The keys
// were written in an earlier phase; or in this phase, by the block that has them in its share.
__device__ __forceinline__ void sort_phase(const Sort &sort, u32 phase, SortShared &shared)
{
    if (phase % 2 == 0) {
        count_digits(sort, phase / 2, shared.counts);
    } else {
        move_keys(sort, phase / 2, shared);
    }
}

} // namespace nbody
