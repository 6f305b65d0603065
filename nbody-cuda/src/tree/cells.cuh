// Cells: ranges of particles with a common beginning of their keys, as nbody-core's `tree::cells` divides them:
// each behind its parent, the children of a cell together, one depth after another.
namespace nbody {

constexpr u32 LEAF = 16; // the most particles of a cell that is not divided
constexpr u32 DEPTHS = 48; // more than cells can have
constexpr u32 CELLS = BLOCK / FAN; // that a block divides at a time, with a thread for each child

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
    u32 *begins; // of the particles of the children of each cell
    u32 *counts; // of children of the cells of each block
    u32 *firsts; // the first cell of each depth, and the end of the last ones
    u32 capacity;
};

// The depths that have cells, and how many there are.
struct Extent {
    u32 depths, cells;
    u32 is_short; // there was no room for more
};

__device__ __forceinline__ u32 log2_of(u64 n)
{
    const u32 high = u32(n >> 32);
    return high ? 63 - ::__clz(int(high)) : 31 - ::__clz(int(u32(n)));
}

// Returns the bits of a key along each axis.
__device__ __forceinline__ u32 bits_along(u32 dimensions) { return KEY_BITS / dimensions; }

// The level of the children of a cell, or the particles of each if all of its keys are equal.
struct Division {
    u32 level, shift, part;
};

__device__ __forceinline__ Division divide(const u64 *keys, const Cell &cell, u32 dimensions)
{
    const u32 count = cell.end - cell.first, bits = bits_along(dimensions);
    const u64 differ = keys[cell.first] ^ keys[cell.end - 1];
    if (differ == 0) {
        const u32 part = (count + FAN - 1) / FAN;
        return {bits, 0, part < LEAF ? LEAF : part};
    }
    const u32 level = bits - log2_of(differ) / dimensions;
    return {level, (bits - level) * dimensions, 0};
}

// Narrows a range down to the part of it where the keys before this one end, by loads that do not wait for each other.
template <u32 PARTS>
__device__ __forceinline__ void narrow(const u64 *keys, u64 least, u32 &first, u32 &count)
{
    const u32 part = count / PARTS;
    u32 parts = 0;
#pragma unroll
    for (u32 k = 1; k < PARTS; ++k) parts += keys[first + k * part] < least;
    count = parts == PARTS - 1 ? count - parts * part : part;
    first += parts * part;
}

// Returns where the particles of a child of a cell begin: of the one with this digit, or later ones.
__device__ __forceinline__ u32 begin_of_child(
    const u64 *keys, const Cell &cell, u32 digit, u32 dimensions)
{
    const Division division = divide(keys, cell, dimensions);
    if (division.part > 0) {
        const u64 begin = cell.first + u64(digit) * division.part;
        return begin < cell.end ? u32(begin) : cell.end;
    }
    if (digit >> dimensions > 0) return cell.end;
    const u64 before = keys[cell.first] >> division.shift >> dimensions << dimensions;
    const u64 least = (before + digit) << division.shift;
    u32 first = cell.first, count = digit == 0 ? 0 : cell.end - cell.first;
    while (count > 15) narrow<16>(keys, least, first, count);
    while (count > 3) narrow<4>(keys, least, first, count);
    while (count > 0 && keys[first] < least) {
        ++first;
        --count;
    }
    return first;
}

// The cells of a depth that a block divides.
struct Mine {
    u32 begin, end;
};

__device__ __forceinline__ Mine cells_of_block(const Cells &cells, u32 depth)
{
    const u32 first = cells.firsts[depth], end = cells.firsts[depth + 1];
    const u32 tiles = (end - first + CELLS - 1) / CELLS;
    const u32 of_block = (tiles + gridDim.x - 1) / gridDim.x * CELLS;
    const u64 begin = first + u64(blockIdx.x) * of_block;
    return {begin < end ? u32(begin) : end, begin + of_block < end ? u32(begin) + of_block : end};
}

// Returns where the particles of the next child of the same cell begin.
__device__ __forceinline__ u32 end_of_child(u32 begin, u32 end_of_cell)
{
    const u32 next = value_of(threadIdx.x + 1, begin);
    return threadIdx.x % FAN == FAN - 1 ? end_of_cell : next;
}

// The first phase of a depth: finds the children of its cells, and counts them.
__device__ __forceinline__ void count_children(
    const Cells &cells, const u64 *keys, u32 dimensions, u32 depth)
{
    const Mine mine = cells_of_block(cells, depth);
    u32 found = 0;
    for (u32 tile = mine.begin; tile < mine.end; tile += CELLS) {
        const u32 k = tile + threadIdx.x / FAN, digit = threadIdx.x % FAN;
        u32 begin = 0, end = 0;
        if (k < mine.end) {
            const Cell cell = cells.cells[k];
            const bool is_divided = cell.end - cell.first > LEAF;
            begin = is_divided ? begin_of_child(keys, cell, digit, dimensions) : cell.end;
            end = cell.end;
            cells.begins[size_t(k) * FAN + digit] = begin;
        }
        found += begin < end_of_child(begin, end);
    }
    u32 sum;
    sum_before(found, sum);
    if (threadIdx.x == 0) cells.counts[blockIdx.x] = sum;
}

// The second phase: writes the children behind the cells of this depth.
__device__ __forceinline__ void write_children(
    const Cells &cells, const u64 *keys, u32 dimensions, u32 depth, Extent *extent)
{
    u32 before = 0, all = 0;
    for (u32 b = threadIdx.x; b < gridDim.x; b += BLOCK) {
        const u32 count = cells.counts[b];
        all += count;
        before += b < blockIdx.x ? count : 0;
    }
    u32 children, mine_before;
    sum_before(all, children);
    sum_before(before, mine_before);
    const u32 first = cells.firsts[depth + 1];
    const bool has_room = children <= cells.capacity - first;
    if (blockIdx.x == 0 && threadIdx.x == 0 && children > 0) {
        extent->cells = first + children;
        extent->is_short = !has_room;
        if (has_room) extent->depths = depth + 2;
        cells.firsts[depth + 2] = first + children;
    }
    if (!has_room) return;
    const Mine mine = cells_of_block(cells, depth);
    u32 written = first + mine_before;
    for (u32 tile = mine.begin; tile < mine.end; tile += CELLS) {
        const u32 k = tile + threadIdx.x / FAN, digit = threadIdx.x % FAN;
        Cell cell = {};
        u32 begin = 0;
        if (k < mine.end) {
            cell = cells.cells[k];
            begin = cells.begins[size_t(k) * FAN + digit];
        }
        const u32 end = end_of_child(begin, cell.end);
        const bool is_child = begin < end;
        const u32 siblings = ::__ballot_sync(~0u, is_child) >> threadIdx.x % LANES / FAN * FAN;
        const u32 of_cell = ::__popc(siblings % (1u << FAN));
        u32 sum;
        const u32 child = written + sum_before(is_child, sum);
        written += sum;
        if (is_child) {
            const bool is_last = siblings % (1u << FAN) >> digit == 1;
            cells.cells[child] = {begin, end, NO_CHILD, divide(keys, cell, dimensions).level};
            cells.next[child] = is_last ? cells.next[k] : child + 1;
        }
        if (of_cell > 0 && digit == 0) cells.cells[k].children = child * FAN + of_cell - 1;
    }
}

} // namespace nbody
