// Cells: ranges of particles whose keys begin alike, divided as in nbody-core's `tree::cells`.
// Each cell comes after its parent, the children of a cell are consecutive, and one depth follows
// another. All depths are divided at once: each boundary begins a child, and the first boundary of
// a cell also ends one.
namespace nbody {

constexpr u32 CELLS = BLOCK / FAN; // summed at a time by a block, with a thread for each child

// A boundary: its level, the depth of the cell that it divides, whether it is the first boundary
// of that cell, and the cell that begins at it.
struct Mark {
    u32 level, depth;
    bool is_first;
    // Before cells are written, and where no cell is divided: the levels in sight behind it in its
    // warp.
    u32 cell;

    static __device__ __forceinline__ Mark of(u64 word)
    {
        const u32 low = u32(word);
        return {low & 0xff, low >> 8 & 0xff, (low >> 16) > 0, u32(word >> 32)};
    }

    __device__ __forceinline__ u64 word() const
    {
        return u64(cell) << 32 | u32(is_first) << 16 | depth << 8 | level;
    }

    // Returns the number of cells that the boundary adds.
    __device__ __forceinline__ u32 cells() const { return level == 0 ? 0 : is_first ? 2 : 1; }

    // Returns the level as a bit of levels in sight. Boundaries between parts of particles with
    // equal keys are never in sight: 0.
    __device__ __forceinline__ u32 seen(u32 bits) const
    {
        return level == 0 || level > bits ? 0 : 1u << (level - 1);
    }
};

// Returns the particles of a warp, which are consecutive.
__device__ __forceinline__ Share share_of_warp(u32 n)
{
    const Share share = share_of(n);
    const u32 each = (share.end - share.begin + BLOCK - 1) / BLOCK * LANES;
    const u32 begin = share.begin + threadIdx.x / LANES * each, end = begin + each;
    return {begin < share.end ? begin : share.end, end < share.end ? end : share.end};
}

__device__ __forceinline__ u32 rounds_of(const Share &share)
{
    return (share.end - share.begin + LANES - 1) / LANES;
}

// Returns the mark of a boundary of a share, or an empty mark beyond the share.
__device__ __forceinline__ Mark mark_of(const Cells &cells, const Share &share, u32 k)
{
    return Mark::of(k < share.end ? cells.marks[k] : 0);
}

// Returns the place of the levels in sight of a block; the levels in sight of its warps follow.
__device__ __forceinline__ Sights *sights_of(const Cells &cells, u32 block)
{
    return cells.sights + block * (WARPS + 1);
}

// The first phase: creates the root, and finds the levels of boundaries and the levels in sight of
// each block.
__device__ __forceinline__ void find_levels(
    const Cells &cells, const u64 *keys, u32 n, u32 dimensions, Extent *extent)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        cells.cells[0] = {0, n, NO_CHILD, 0};
        *extent = {1, 1, 0};
    }
    const Share share = share_of_warp(n);
    const u32 lane = threadIdx.x % LANES, bits = bits_along(dimensions);
    Sights sights = {};
    for (u32 round = rounds_of(share); round-- > 0;) {
        const u32 k = share.begin + round * LANES + lane;
        Mark mark = {};
        if (k < share.end) mark.level = level_of(keys, n, k, dimensions, mark.is_first);
        u32 all;
        look<Side::BEFORE>(mark.seen(bits), all);
        sights.before = in_sight(sights.before, all);
        mark.cell = in_sight(look<Side::BEHIND>(mark.seen(bits), all), sights.behind);
        sights.behind = in_sight(all, sights.behind);
        if (k < share.end) cells.marks[k] = mark.word();
    }
    Sights *const of_block = sights_of(cells, blockIdx.x), *const of_warps = of_block + 1;
    if (lane == 0) of_warps[threadIdx.x / LANES] = sights;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (u32 warp = 1; warp < WARPS; ++warp) {
        sights.before = in_sight(of_warps[warp].before, sights.before);
        sights.behind = in_sight(sights.behind, of_warps[warp].behind);
    }
    *of_block = sights;
}

// Returns the levels in sight from this warp in the warps before and behind it.
__device__ __forceinline__ Sights sights_of_warp(const Cells &cells)
{
    __shared__ Sights of_block;
    const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    Sights sights = {};
    for (u32 first = 0; warp == 0 && first < gridDim.x; first += LANES) {
        const u32 b = first + lane;
        const Sights other = b < gridDim.x ? *sights_of(cells, b) : Sights{};
        u32 all;
        look<Side::BEFORE>(b < blockIdx.x ? other.before : 0, all);
        sights.before = in_sight(all, sights.before);
        look<Side::BEHIND>(b > blockIdx.x ? other.behind : 0, all);
        sights.behind = in_sight(sights.behind, all);
    }
    if (threadIdx.x == 0) of_block = sights;
    __syncthreads();
    sights = of_block;
    const Sights *const of_warps = sights_of(cells, blockIdx.x) + 1;
    for (u32 w = 0; w < warp; ++w) sights.before = in_sight(of_warps[w].before, sights.before);
    for (u32 w = WARPS; --w > warp;) sights.behind = in_sight(of_warps[w].behind, sights.behind);
    return sights;
}

// Returns the place of the cell counts before each warp of this block.
__device__ __forceinline__ u32 *counts_of_warps(const Cells &cells)
{
    return cells.counts + (gridDim.x + blockIdx.x * WARPS) * DEPTHS;
}

// The second phase: finds the depths of boundaries, and counts the cells of each depth.
__device__ __forceinline__ void find_depths(const Cells &cells, u32 n, u32 dimensions, Extent *extent)
{
    __shared__ u32 counts[WARPS][DEPTHS];
    const u32 lane = threadIdx.x % LANES, warp = threadIdx.x / LANES, bits = bits_along(dimensions);
    for (u32 k = threadIdx.x; k < WARPS * DEPTHS; k += BLOCK) counts[k / DEPTHS][k % DEPTHS] = 0;
    Sights sights = sights_of_warp(cells);
    const Share share = share_of_warp(n);
    for (u32 round = 0; round < rounds_of(share); ++round) {
        const u32 k = share.begin + round * LANES + lane;
        Mark mark = mark_of(cells, share, k);
        const u32 seen = mark.seen(bits);
        u32 all;
        const u32 before = in_sight(look<Side::BEFORE>(seen, all), sights.before);
        sights.before = in_sight(all, sights.before);
        if (mark.level == 0) continue;
        // Between equal keys, all levels in sight are coarser.
        const u32 coarser = (before | in_sight(mark.cell, sights.behind)) & (seen - 1);
        mark.depth = ::__popc(coarser) + (seen > 0 ? 0 : mark.level - bits - 1);
        mark.is_first |= seen > 0 && (before & seen) == 0;
        cells.marks[k] = mark.word();
        ::atomicAdd(&counts[warp][mark.depth + 1], mark.cells());
    }
    __syncthreads();
    u32 sum = 0;
    for (u32 w = 0; threadIdx.x < DEPTHS && w < WARPS; ++w) {
        counts_of_warps(cells)[w * DEPTHS + threadIdx.x] = sum;
        sum += counts[w][threadIdx.x];
    }
    if (threadIdx.x < DEPTHS) cells.counts[threadIdx.x * gridDim.x + blockIdx.x] = sum;
    // Each warp reports the last depth of its threads.
    const u32 are = ::__ballot_sync(~0u, sum > 0);
    const u32 depths = are > 0 ? warp * LANES + LANES - ::__clz(int(are)) : 1;
    if (lane == 0 && depths > 1) ::atomicMax(&extent->depths, depths);
}

// Finds, for each warp and depth, the first cell that the boundaries of the warp add. Returns the
// number of all cells.
__device__ __forceinline__ u32 first_cells(const Cells &cells, u32 depths, u32 (&next)[WARPS][DEPTHS])
{
    __shared__ u32 sums[DEPTHS + 1];
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    for (u32 depth = 1 + warp; depth < depths; depth += WARPS) {
        u32 all = 0, before = 0;
        for (u32 b = lane; b < gridDim.x; b += LANES) {
            const u32 count = cells.counts[depth * gridDim.x + b];
            all += count;
            before += b < blockIdx.x ? count : 0;
        }
        for (u32 half = LANES / 2; half > 0; half /= 2) {
            all += value_of(lane ^ half, all);
            before += value_of(lane ^ half, before);
        }
        if (lane < WARPS) next[lane][depth] = before + counts_of_warps(cells)[lane * DEPTHS + depth];
        if (lane == 0) sums[depth + 1] = all;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[0] = 0;
        sums[1] = 1; // the root
        for (u32 depth = 1; depth < depths; ++depth) sums[depth + 1] += sums[depth];
    }
    __syncthreads();
    for (u32 depth = 1 + lane; depth < depths; depth += LANES) next[warp][depth] += sums[depth];
    if (blockIdx.x == 0 && threadIdx.x <= depths) cells.firsts[threadIdx.x] = sums[threadIdx.x];
    return sums[depths];
}

// Returns the place of the cells that a boundary adds. `next` has the next place of each depth.
// All lanes take part.
__device__ __forceinline__ u32 place_of(const Mark &mark, u32 (&next)[DEPTHS])
{
    const u32 lane = threadIdx.x % LANES, depth = mark.depth + 1, before = (1u << lane) - 1;
    u32 place = 0;
    for (u32 rest = ::__ballot_sync(~0u, mark.level > 0); rest > 0;) {
        const u32 leader = ::__ffs(int(rest)) - 1, of_leader = value_of(leader, depth);
        const bool is_same = mark.level > 0 && depth == of_leader;
        const u32 same = ::__ballot_sync(~0u, is_same);
        const u32 first = ::__ballot_sync(~0u, is_same && mark.is_first);
        if (is_same) place = next[depth] + ::__popc(same & before) + ::__popc(first & before);
        ::__syncwarp();
        if (lane == leader) next[depth] += ::__popc(same) + ::__popc(first);
        ::__syncwarp();
        rest &= ~same;
    }
    return place;
}

// The third phase: writes the cells if they fit.
__device__ __forceinline__ void write_cells(
    const Cells &cells, const u64 *keys, u32 n, u32 dimensions, Extent *extent)
{
    __shared__ u32 next[WARPS][DEPTHS];
    const u32 count = first_cells(cells, extent->depths, next);
    const bool has_room = count <= cells.capacity;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        extent->cells = count;
        extent->is_short = !has_room;
    }
    if (!has_room) return;
    ::__syncwarp();
    const Share share = share_of_warp(n);
    const u32 bits = bits_along(dimensions);
    for (u32 round = 0; round < rounds_of(share); ++round) {
        const u32 k = share.begin + round * LANES + threadIdx.x % LANES;
        Mark mark = mark_of(cells, share, k);
        mark.cell = place_of(mark, next[threadIdx.x / LANES]);
        if (mark.level == 0) continue;
        const Division division = division_at(keys, n, k, mark.level, mark.is_first, dimensions);
        const u32 level = mark.level < bits ? mark.level : bits;
        if (mark.is_first) cells.cells[mark.cell++] = {division.first, k, NO_CHILD, level};
        cells.cells[mark.cell] = {k, division.end, NO_CHILD, level};
        cells.marks[k] = mark.word();
    }
}

// Returns the divided cell with these particles.
__device__ __forceinline__ u32 cell_between(const Cells &cells, u32 n, u32 first, u32 end)
{
    const Mark before = Mark::of(cells.marks[first]);
    const Mark behind = Mark::of(end < n ? cells.marks[end] : 0);
    // The finer of the two boundaries divides its parent. The first child ends at the first
    // boundary.
    if (before.level >= behind.level) return before.level > 0 ? before.cell : 0;
    return behind.cell - 1;
}

// The fourth phase: links each cell to its children, and to the next cell after its descendants.
__device__ __forceinline__ void link_cells(const Cells &cells, u32 n, u32 count)
{
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < count; k += gridDim.x * BLOCK) {
        const u32 first = cells.cells[k].first;
        u32 end = cells.cells[k].end, children = 1;
        const Mark mark = Mark::of(end < n ? cells.marks[end] : 0);
        cells.next[k] = mark.cell;
        if (!mark.is_first || mark.cell != k + 1) continue;
        while (end < n && Mark::of(cells.marks[end]).level == mark.level) {
            end = cells.cells[k + children].end;
            ++children;
        }
        cells.cells[cell_between(cells, n, first, end)].children = k * FAN + children - 1;
    }
}

// Runs a phase of the division into cells; the last phase only if the cells fit.
__device__ __forceinline__ void divide(
    const Cells &cells, const u64 *keys, u32 n, u32 dimensions, Extent *extent, u32 phase)
{
    if (phase == 0) find_levels(cells, keys, n, dimensions, extent);
    else if (phase == 1) find_depths(cells, n, dimensions, extent);
    else if (phase == 2) write_cells(cells, keys, n, dimensions, extent);
    else if (!extent->is_short) link_cells(cells, n, extent->cells);
}

} // namespace nbody
