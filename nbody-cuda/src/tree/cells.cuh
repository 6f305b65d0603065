// Cells: ranges of particles with a common beginning of their keys, as nbody-core's `tree::cells` divides them:
// each behind its parent, the children of a cell together, one depth after another. All depths are divided at once: each
// boundary begins a child, and the first one of a cell ends another.
namespace nbody {

constexpr u32 DEPTHS = 48; // more than cells can have
constexpr u32 CELLS = BLOCK / FAN; // that a block sums up at a time, with a thread for each child

// A cell, and where its children are.
struct Cell {
    u32 first, end; // of its particles
    u32 children;
    u32 level; // the number of divisions of all cells of the frame that it comes from
};

// The memory of cells.
struct Cells {
    Cell *cells;
    u32 *next; // the cell behind each one and all that is in it; 0 if there is none
    u64 *marks; // of boundaries
    Sights *sights; // of each block
    u32 *counts; // of cells, of each depth and block
    u32 *firsts; // the first cell of each depth, and the end of the last ones
    u32 capacity;
};

// The depths that have cells, and how many there are.
struct Extent {
    u32 depths, cells;
    u32 is_short; // there was no room for more
};

// A boundary: its level, the depth of the cell that it divides, whether it is the first one there, and the cell that
// begins behind it.
struct Mark {
    u32 level, depth;
    bool is_first;
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

    // Returns the number of cells that it adds.
    __device__ __forceinline__ u32 cells() const { return level == 0 ? 0 : is_first ? 2 : 1; }
};

// The first phase: makes the root, finds the levels of boundaries, and those in sight of each block.
__device__ __forceinline__ void find_levels(
    const Cells &cells, const u64 *keys, u32 n, u32 dimensions, Extent *extent)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        cells.cells[0] = {0, n, NO_CHILD, 0};
        *extent = {1, 1, 0};
    }
    const Share share = share_of(n);
    Sights sights = {};
    for (u32 tile = share.begin; tile < share.end; tile += BLOCK) {
        const u32 k = tile + threadIdx.x;
        const u32 level = k < share.end ? level_of(keys, n, k, dimensions) : 0;
        const u64 own = level == 0 ? 0 : 1ull << level;
        if (k < share.end) cells.marks[k] = own;
        u64 all;
        look<Side::BEFORE>(own, all);
        sights.before = in_sight(all, sights.before);
        look<Side::BEHIND>(own, all);
        sights.behind = in_sight(sights.behind, all);
    }
    if (threadIdx.x == 0) cells.sights[blockIdx.x] = sights;
}

// Returns what is in sight of a block in those before and behind it.
__device__ __forceinline__ Sights sights_of_block(const Cells &cells)
{
    Sights sights = {};
    for (u32 tile = 0; tile < gridDim.x; tile += BLOCK) {
        const u32 b = tile + threadIdx.x;
        const Sights of_block = b < gridDim.x && b != blockIdx.x ? cells.sights[b] : Sights{};
        u64 all;
        look<Side::BEFORE>(b < blockIdx.x ? of_block.before : 0, all);
        sights.before = in_sight(all, sights.before);
        look<Side::BEHIND>(b > blockIdx.x ? of_block.behind : 0, all);
        sights.behind = in_sight(sights.behind, all);
    }
    return sights;
}

// The second phase: finds the depths of boundaries, and counts the cells of each.
__device__ __forceinline__ void find_depths(const Cells &cells, u32 n, Extent *extent)
{
    __shared__ u32 counts[DEPTHS];
    __syncthreads();
    if (threadIdx.x < DEPTHS) counts[threadIdx.x] = 0;
    const Share share = share_of(n);
    const u32 tiles = (share.end - share.begin + BLOCK - 1) / BLOCK;
    Sights sights = sights_of_block(cells);
    u64 all;
    for (u32 tile = tiles; tile-- > 0;) {
        const u32 k = share.begin + tile * BLOCK + threadIdx.x;
        const u64 own = k < share.end ? cells.marks[k] : 0;
        const u64 behind = in_sight(look<Side::BEHIND>(own, all), sights.behind);
        sights.behind = in_sight(all, sights.behind);
        // The level of the boundary is the highest bit.
        if (own > 0) cells.marks[k] = own | (behind & (own - 1));
    }
    for (u32 tile = 0; tile < tiles; ++tile) {
        const u32 k = share.begin + tile * BLOCK + threadIdx.x;
        const u64 mark = k < share.end ? cells.marks[k] : 0;
        const u32 level = mark == 0 ? 0 : log2_of(mark);
        const u64 own = mark == 0 ? 0 : 1ull << level;
        const u64 before = in_sight(look<Side::BEFORE>(own, all), sights.before);
        sights.before = in_sight(all, sights.before);
        if (mark == 0) continue;
        const u64 outer = (mark | before) & (own - 1);
        const u32 depth = ::__popc(u32(outer)) + ::__popc(u32(outer >> 32));
        const Mark found = {level, depth, (before & own) == 0, 0};
        cells.marks[k] = found.word();
        ::atomicAdd(&counts[depth + 1], found.cells());
    }
    __syncthreads();
    if (threadIdx.x < DEPTHS) cells.counts[threadIdx.x * gridDim.x + blockIdx.x] = counts[threadIdx.x];
    if (threadIdx.x > 0) return;
    u32 depths = DEPTHS;
    while (depths > 1 && counts[depths - 1] == 0) --depths;
    ::atomicMax(&extent->depths, depths);
}

// Finds the first cell of each depth that boundaries of this block add. Returns the number of all cells.
__device__ __forceinline__ u32 first_cells(const Cells &cells, u32 depths, u32 (&next)[DEPTHS])
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
        if (lane > 0) continue;
        sums[depth + 1] = all;
        next[depth] = before;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        sums[0] = 0;
        sums[1] = 1; // the root
        for (u32 depth = 1; depth < depths; ++depth) {
            next[depth] += sums[depth];
            sums[depth + 1] += sums[depth];
        }
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x <= depths) cells.firsts[threadIdx.x] = sums[threadIdx.x];
    return sums[depths];
}

// Returns the place of the cells that a boundary adds, from that of the next ones of each depth on. All threads take
// part.
__device__ __forceinline__ u32 place_of(const Mark &mark, u32 (&next)[DEPTHS])
{
    __shared__ u32 places[WARPS][DEPTHS];
    const u32 warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, depth = mark.depth + 1;
    ::__syncwarp();
    for (u32 k = lane; k < DEPTHS; k += LANES) places[warp][k] = 0;
    ::__syncwarp();
    u32 place = 0;
    for (u32 rest = ::__ballot_sync(~0u, mark.level > 0); rest > 0;) {
        const u32 leader = ::__ffs(int(rest)) - 1, of_leader = value_of(leader, depth);
        const bool is_same = mark.level > 0 && depth == of_leader;
        const u32 same = ::__ballot_sync(~0u, is_same);
        const u32 first = ::__ballot_sync(~0u, is_same && mark.is_first);
        const u32 before = (1u << lane) - 1;
        if (is_same) place = ::__popc(same & before) + ::__popc(first & before);
        if (lane == leader) places[warp][depth] = ::__popc(same) + ::__popc(first);
        rest &= ~same;
    }
    __syncthreads();
    if (threadIdx.x < DEPTHS) {
        u32 sum = next[threadIdx.x];
        for (u32 w = 0; w < WARPS; ++w) {
            const u32 count = places[w][threadIdx.x];
            places[w][threadIdx.x] = sum;
            sum += count;
        }
        next[threadIdx.x] = sum;
    }
    __syncthreads();
    return mark.level > 0 ? places[warp][depth] + place : 0;
}

// The third phase: writes the cells, if there is room.
__device__ __forceinline__ void write_cells(
    const Cells &cells, const u64 *keys, u32 n, u32 dimensions, Extent *extent)
{
    __shared__ u32 next[DEPTHS];
    const u32 count = first_cells(cells, extent->depths, next);
    const bool has_room = count <= cells.capacity;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        extent->cells = count;
        extent->is_short = !has_room;
    }
    if (!has_room) return;
    const Share share = share_of(n);
    for (u32 tile = share.begin; tile < share.end; tile += BLOCK) {
        const u32 k = tile + threadIdx.x;
        Mark mark = Mark::of(k < share.end ? cells.marks[k] : 0);
        mark.cell = place_of(mark, next);
        if (mark.level == 0) continue;
        const Division division = division_at(keys, n, k, mark.level, dimensions);
        const u32 bits = bits_along(dimensions), level = mark.level < bits ? mark.level : bits;
        if (mark.is_first) cells.cells[mark.cell++] = {division.first, k, NO_CHILD, level};
        cells.cells[mark.cell] = {k, division.end, NO_CHILD, level};
        cells.marks[k] = mark.word();
    }
}

// Returns the cell with these particles, which is divided.
__device__ __forceinline__ u32 cell_between(const Cells &cells, u32 n, u32 first, u32 end)
{
    const Mark before = Mark::of(cells.marks[first]);
    const Mark behind = Mark::of(end < n ? cells.marks[end] : 0);
    // Its parent is divided at the finer one. The first child ends at the first boundary.
    if (before.level >= behind.level) return before.level > 0 ? before.cell : 0;
    return behind.cell - 1;
}

// The fourth phase: tells each cell its children, and the cell behind it.
__device__ __forceinline__ void link_cells(const Cells &cells, u32 n, u32 count)
{
    const u32 first_of_all = blockIdx.x * BLOCK + threadIdx.x, stride = gridDim.x * BLOCK;
    for (u32 k = first_of_all; k < n; k += stride) {
        const Mark mark = Mark::of(cells.marks[k]);
        if (!mark.is_first) continue;
        const u32 child = mark.cell - 1;
        u32 children = 2, end = cells.cells[mark.cell].end;
        while (end < n && Mark::of(cells.marks[end]).level == mark.level) {
            end = cells.cells[child + children].end;
            ++children;
        }
        const u32 parent = cell_between(cells, n, cells.cells[child].first, end);
        cells.cells[parent].children = child * FAN + children - 1;
    }
    for (u32 k = first_of_all; k < count; k += stride) {
        const u32 end = cells.cells[k].end;
        cells.next[k] = end < n ? Mark::of(cells.marks[end]).cell : 0;
    }
}

} // namespace nbody
