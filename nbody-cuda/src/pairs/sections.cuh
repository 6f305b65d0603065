// Partial sums of ranks that share out both directions of each pair. The blocks of a launch form
// sections of `blocks_of_section` blocks, and each rank has consecutive sections. The sums of
// sections are added as the nodes of a binary tree, so that their order does not depend on the
// number of ranks: a rank adds up the largest subtrees within its sections, and then every rank adds
// up the subtrees of all ranks.
namespace nbody {

static_assert(SECTIONS == 1u << LEVELS, "a binary tree");

// The nodes of the tree that wait for their right sibling, one at most of each level.
struct Nodes {
    backup waiting[LEVELS + 1][FDIM];

    // Adds a node of this level and index; adds up siblings below level `top`.
    __device__ __forceinline__ void add(backup (&sum)[FDIM], u32 level, u32 index, u32 top)
    {
        for (; level < top && index % 2 == 1; ++level, index /= 2) {
            merge(sum, waiting[level]);
            copy(waiting[level], sum);
        }
        copy(sum, waiting[level]);
    }

    __device__ __forceinline__ static void copy(const backup (&from)[FDIM], backup (&to)[FDIM])
    {
#pragma unroll
        for (int c = 0; c < FDIM; ++c) to[c] = from[c];
    }
};

// Returns the first section of a rank.
__device__ __forceinline__ u32 section_of(u32 rank, u32 ranks)
{
    return u32(u64(SECTIONS) * rank / ranks);
}

// Returns the level of the largest subtree that begins with this section and ends by `end`.
__device__ __forceinline__ u32 level_of(u32 section, u32 end)
{
    u32 level = section == 0 ? LEVELS : ::__ffs(int(section)) - 1;
    while (section + (1u << level) > end) --level;
    return level;
}

// Returns the row of a particle in `parts`, which have rows for each subtree of each rank.
__device__ __forceinline__ u32 row_of(u32 rank, u32 slot, const Parts &parts, u32 k)
{
    return (rank * parts.slots + slot) * parts.rows + k;
}

// Adds up the subtrees of this rank for each particle, from the sums of its blocks. In a section,
// the sums of j-particles come first, both in the order of meetings.
extern "C" __global__ void __launch_bounds__(BLOCK) merge_sections(
    const Share share, const Parts parts, const backup *__restrict__ i_parts,
    const backup *__restrict__ j_parts, backup *__restrict__ out)
{
    const u32 n = share.n;
    const u32 k = share.first * TILE + blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    const u32 rows = parts.ranks * parts.slots * parts.rows;
    const u32 own = k / TILE;
    const u32 end = section_of(parts.rank + 1, parts.ranks);
    const auto meeting_of = [=](u32 tile) {
        return share.meetings_before(tile) + (k - tile * TILE) / J_GROUP;
    };
    u32 section = section_of(parts.rank, parts.ranks);
    // The next tile whose row of `j_parts`, and the next block whose tile of `i_parts`, is to add.
    const u64 begin = share.begin(section * parts.blocks_of_section);
    u32 tile = share.first;
    while (tile < share.end && tile <= own && meeting_of(tile) < begin) ++tile;
    u32 block = 0, block_end = 0;
    if (own < share.end) {
        block = share.block_of(share.meetings_before(own));
        block_end = share.block_of(share.meetings_before(own + 1) - 1) + 1;
        if (block < share.block_begin) block = share.block_begin;
    }
    for (u32 slot = 0; section < end; ++slot) {
        const u32 level = level_of(section, end);
        Nodes nodes;
        for (u32 k_section = 0; k_section < 1u << level; ++k_section, ++section) {
            const u32 last = (section + 1) * parts.blocks_of_section;
            const u64 last_meeting = share.begin(last);
            backup sum[FDIM];
            backup part[FDIM];
            reset(sum);
            for (; tile < share.end && tile <= own && meeting_of(tile) < last_meeting; ++tile) {
                load(j_parts + share.j_part(tile), k - tile * TILE, n - tile * TILE, part);
                merge(part, sum);
            }
            for (; block < block_end && block < last; ++block) {
                // A block without a meeting has written nothing.
                if (share.begin(block) == share.begin(block + 1)) continue;
                load(i_parts + share.i_part(block, own), k % TILE, TILE, part);
                merge(part, sum);
            }
            nodes.add(sum, 0, section, level);
        }
        store(nodes.waiting[level], out, row_of(parts.rank, slot, parts, k), rows);
    }
}

// Adds up the subtrees of all ranks for each particle. The launch with the first tile stores them;
// later launches add to `out`.
extern "C" __global__ void __launch_bounds__(BLOCK) combine_sections(
    const Share share, const Parts parts, const backup *__restrict__ sums,
    backup *__restrict__ out)
{
    const u32 n = share.n;
    const u32 k = share.first * TILE + blockIdx.x * BLOCK + threadIdx.x;
    if (k >= n) return;
    const u32 rows = parts.ranks * parts.slots * parts.rows;
    Nodes nodes;
    for (u32 rank = 0; rank < parts.ranks; ++rank) {
        const u32 end = section_of(rank + 1, parts.ranks);
        u32 slot = 0;
        for (u32 section = section_of(rank, parts.ranks); section < end; ++slot) {
            const u32 level = level_of(section, end);
            backup sum[FDIM];
            load(sums, row_of(rank, slot, parts, k), rows, sum);
            nodes.add(sum, level, section >> level, LEVELS);
            section += 1u << level;
        }
    }
    backup total[FDIM];
    if (share.first == 0) reset(total);
    else load(out, k, n, total);
    merge(nodes.waiting[LEVELS], total);
    store(total, out, k, n);
}

} // namespace nbody
