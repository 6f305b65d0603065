// Both directions of a pair at once (Newton's third law, and more): each unordered pair of one
// set is evaluated once. The lanes of a warp keep some i-particles each, and 32 j-particles pass
// from lane to lane, together with what they feel.
//
// The i-particles are cut into tiles, one for all the warps of a block, and the j-particles into
// groups; a tile meets the groups from its own first one on. The blocks take equal shares of these
// meetings, one tile after another. What i-particles feel is folded into `i_parts` after each bag,
// and what the j-particles of a group feel is written to `j_parts`, one row for each tile;
// `merge_parts` adds both in a fixed order.
namespace nbody {

static_assert(sizeof(ParticleI) == IDIM * sizeof(real), "padding in ParticleI");

using u64 = unsigned long long;

constexpr u32 WARP = 32;
constexpr u32 WARPS = BLOCK / WARP;
constexpr u32 TILE = BLOCK * I_PER_THREAD;
constexpr u32 GROUP = 2 * WARP;
static_assert(TILE % GROUP == 0 && GROUP <= BLOCK, "tiles of whole groups");

// The tiles that one launch evaluates, of a set of `n` particles, and its blocks.
struct Share {
    u32 n;
    u32 first; // tile
    u32 end;   // behind the last tile
    u32 blocks;

    // The meetings of tiles with groups before those of this tile.
    __device__ __forceinline__ u64 meetings_before(u32 tile) const
    {
        const u64 groups = (n + GROUP - 1) / GROUP;
        const u64 k = tile - first;
        return k * (groups - u64(first) * (TILE / GROUP)) - k * (k - 1) / 2 * (TILE / GROUP);
    }

    // The first meeting of this block.
    __device__ __forceinline__ u64 begin(u32 block) const
    {
        return meetings_before(end) * block / blocks;
    }

    // The block that has this meeting.
    __device__ __forceinline__ u32 block_of(u64 meeting) const
    {
        return u32(((meeting + 1) * blocks - 1) / meetings_before(end));
    }

    // Which of `i_parts` has what this block adds to this tile.
    __device__ __forceinline__ size_t i_part(u32 block, u32 tile) const
    {
        return size_t(block + (tile - first)) * FDIM * TILE;
    }

    // Where the row of this tile begins in `j_parts`; it has a column for each particle from the
    // tile on.
    __device__ __forceinline__ size_t j_part(u32 tile) const
    {
        const u64 k = tile - first;
        return (k * (n - u64(first) * TILE) - k * (k - 1) / 2 * TILE) * FDIM;
    }
};

// To the next lane below, the first to the last.
template <typename T>
__device__ __forceinline__ void pass_on(T &value)
{
    constexpr u32 WORDS = sizeof(T) / sizeof(u32);
    u32 words[WORDS];
    ::memcpy(words, &value, sizeof(T));
#pragma unroll
    for (u32 &word : words) word = ::__shfl_sync(~0u, word, threadIdx.x + 1);
    ::memcpy(&value, words, sizeof(T));
}

// Adds what each of a pair does to the other.
__device__ __forceinline__ void meet_symmetric(
    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j,
    Accumulators &f, Accumulators &g)
{
    if (!is_beyond(self, space, i, j)) law::pair_symmetric(self, space, i, j, f, g);
}

extern "C" __global__ void __launch_bounds__(BLOCK, RESIDENT) symmetric(
    const Parameters parameters, const Space space, const ParticleI *__restrict__ particles,
    const Share share, backup *__restrict__ i_parts, backup *__restrict__ j_parts)
{
    // The j-particles of each group of 32, twice in a row, so that every lane reads on from its
    // own; and what they feel from the i-particles of each warp.
    __shared__ Slot bag[2 * GROUP];
    __shared__ Accumulators felt[WARPS][GROUP];
    __shared__ Parameters shared_self; // where lanes look up entries, each its own
    if (LOOKS_UP && threadIdx.x == 0) shared_self = parameters;
    if (LOOKS_UP) __syncthreads();
    const Parameters &self = LOOKS_UP ? shared_self : parameters;

    const u32 lane = threadIdx.x % WARP;
    const u32 warp = threadIdx.x / WARP;
    const u32 n = share.n;
    const u64 end = share.begin(blockIdx.x + 1);

    u32 tile = share.first;
    for (u64 meeting = share.begin(blockIdx.x); meeting < end;) {
        while (share.meetings_before(tile + 1) <= meeting) ++tile;
        const u64 tile_first = share.meetings_before(tile);
        const u64 tile_last = share.meetings_before(tile + 1);
        const u64 tile_end = tile_last < end ? tile_last : end;
        const u32 tile_begin = tile * TILE;
        const u32 row = warp * (WARP * I_PER_THREAD) + lane; // and every 32nd from there
        const u32 warp_begin = tile_begin + warp * (WARP * I_PER_THREAD);

        backup *const i_part = i_parts + share.i_part(blockIdx.x, tile);
        backup *const j_part = j_parts + share.j_part(tile);
        ParticleI i[I_PER_THREAD];
        Accumulators current[I_PER_THREAD];
        backup nil[FDIM];
        reset(nil);
#pragma unroll
        for (int m = 0; m < I_PER_THREAD; ++m) {
            const u32 index = tile_begin + row + m * WARP;
            i[m] = particles[index < n ? index : n - 1];
            current[m] = nothing();
            store(nil, i_part, row + m * WARP, TILE);
            const bool itself = SELF_PAIRS && meeting == tile_first;
            if (itself && !is_beyond(self, space, i[m], i[m])) {
                act(self, space, i[m], i[m], index, current[m]);
            }
        }

        for (; meeting < tile_end; ++meeting) {
            const u32 column = u32(meeting - tile_first) * GROUP;
            const u32 first = tile_begin + column;
            const bool mine = threadIdx.x < GROUP && first + threadIdx.x < n;
            if (mine) {
                const u32 at = 2 * WARP * warp + lane;
                bag[at].j = bag[at + WARP].j = particles[first + threadIdx.x];
            }
            __syncthreads();
#pragma unroll 1
            for (u32 part = 0; part < GROUP; part += WARP) {
                const Slot *const others = bag + 2 * part + lane;
                const u32 j_begin = first + part;
                Accumulators g = nothing();
                if (warp_begin + WARP * I_PER_THREAD <= j_begin && j_begin + WARP <= n) {
#pragma unroll UNROLL
                    for (u32 turn = 0; turn < WARP; ++turn) {
                        const ParticleJ j = others[turn].j;
#pragma unroll
                        for (int m = 0; m < I_PER_THREAD; ++m) {
                            meet_symmetric(self, space, i[m], j, current[m], g);
                        }
                        pass_on(g);
                    }
                } else if (warp_begin < j_begin + WARP) {
                    // Some of these pairs are met elsewhere, or are no pairs.
#pragma unroll 1
                    for (u32 turn = 0; turn < WARP; ++turn) {
                        const ParticleJ j = others[turn].j;
                        const u32 at = j_begin + (lane + turn) % WARP;
#pragma unroll
                        for (int m = 0; m < I_PER_THREAD; ++m) {
                            const Accumulators before = current[m], g_before = g;
                            meet_symmetric(self, space, i[m], j, current[m], g);
                            const bool met = tile_begin + row + m * WARP < at && at < n;
                            if (!met) current[m] = before;
                            if (!met) g = g_before;
                        }
                        pass_on(g);
                    }
                }
                felt[warp][part + lane] = g;
            }
            __syncthreads();
            if (mine) {
                backup total[FDIM];
                reset(total);
#pragma unroll
                for (u32 w = 0; w < WARPS; ++w) fold(felt[w][threadIdx.x], total);
                store(total, j_part, column + threadIdx.x, n - tile_begin);
            }
            const bool bag_ends = (column + GROUP) % BAG == 0;
            if ((FOLD_EACH_BAG && bag_ends) || meeting + 1 == tile_end) {
#pragma unroll
                for (int m = 0; m < I_PER_THREAD; ++m) {
                    backup total[FDIM];
                    load(i_part, row + m * WARP, TILE, total);
                    fold(current[m], total);
                    current[m] = nothing();
                    store(total, i_part, row + m * WARP, TILE);
                }
            }
        }
    }
}

// Adds the parts of each particle, first those of its own tile. The launch of the first tile
// begins `out`, the others add to it.
extern "C" __global__ void __launch_bounds__(BLOCK) merge_parts(
    const Share share, const backup *__restrict__ i_parts,
    const backup *__restrict__ j_parts, backup *__restrict__ out)
{
    const u32 n = share.n;
    const u32 k = share.first * TILE + blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    backup total[FDIM];
    backup part[FDIM];
    if (share.first == 0) reset(total);
    else load(out, k, n, total);
    const u32 own = k / TILE;
    if (own < share.end) {
        const u32 last = share.block_of(share.meetings_before(own + 1) - 1);
        for (u32 block = share.block_of(share.meetings_before(own)); block <= last; ++block) {
            load(i_parts + share.i_part(block, own), k % TILE, TILE, part);
            merge(part, total);
        }
    }
    for (u32 tile = share.first; tile < share.end && tile <= own; ++tile) {
        load(j_parts + share.j_part(tile), k - tile * TILE, n - tile * TILE, part);
        merge(part, total);
    }
    store(total, out, k, n);
}

} // namespace nbody
