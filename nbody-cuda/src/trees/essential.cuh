// Locally essential trees: the sources that act on i-particles of other ranks, which may be anywhere
// in some boxes. Cells are tested as in nbody-core's `trees::essential`, operation by operation.
namespace nbody {

// Finds a box in units of the frame.
__device__ __forceinline__ BoxSeen see(const Frame &frame, const BoxAround &box)
{
    BoxSeen seen;
    for (u32 axis = 0; axis < 3; ++axis) {
        const float least = float((box.lo[axis] - frame.origin[axis]) * frame.scale);
        const float greatest = float((box.hi[axis] - frame.origin[axis]) * frame.scale);
        const float slack = SLACK * ::fmaxf(::fabsf(least), ::fabsf(greatest));
        seen.middle[axis] = 0.5f * least + 0.5f * greatest;
        seen.half[axis] = 0.5f * greatest - 0.5f * least + slack;
    }
    return seen;
}

// Returns the squared distance of a cell from a box; 0 for a cell with several images near the box.
__device__ __forceinline__ float distance2(
    const Seen &cell, float radius, const BoxSeen &box, const float (&length)[3])
{
    const float infinite = ::__uint_as_float(0x7f800000u);
    float distance2 = 0.0f;
    bool is_clear = true;
    for (u32 axis = 0; axis < 3; ++axis) {
        float apart = cell.centre[axis] - box.middle[axis];
        const float of_box = length[axis], half = box.half[axis];
        if (of_box < infinite) {
            apart -= of_box * ::rintf(apart / of_box);
            is_clear &= ::fabsf(apart) + half + radius < 0.5f * of_box;
        }
        const float outside = ::fmaxf(::fabsf(apart) - half, 0.0f);
        distance2 += outside * outside;
    }
    return is_clear ? distance2 : 0.0f;
}

// Returns whether a cell acts from afar on all i-particles in a box at this distance.
__device__ __forceinline__ bool acts_on(
    const EssentialTree &tree, const Seen &cell, float distance2, u32 box)
{
    if (!(MARGIN * cell.limit2 < distance2)) return false;
    if (!tree.estimate) return true;
    const u32 step = ::__float_as_uint(distance2 / MARGIN) >> STEP_BITS;
    return cell.strength + tree.estimate[step] <= tree.most[box];
}

// Marks a cell, and the ranks for which its children are tested.
__device__ __forceinline__ void mark(const EssentialTree &tree, u32 k, const float (&length)[3])
{
    const Seen cell = tree.cells[k];
    const float radius = tree.radii[k];
    const u64 open = tree.marks[k].open;
    u64 far = 0;
    for (u32 rank = 0; rank < tree.ranks; ++rank) {
        bool is_far = open >> rank & 1;
        for (u32 box = rank > 0 ? tree.ends[rank - 1] : 0; is_far && box < tree.ends[rank]; ++box) {
            is_far = acts_on(tree, cell, distance2(cell, radius, tree.seen[box], length), box);
        }
        far |= u64(is_far) << rank;
    }
    tree.marks[k].far = far;
    if (cell.children == NO_CHILD) return;
    const u32 first = cell.children / FAN, end = first + cell.children % FAN + 1;
    for (u32 child = first; child < end; ++child) tree.marks[child].open = open & ~far;
}

// The sources through which a cell acts on a rank.
struct Acting {
    u32 first, count;
};

__device__ __forceinline__ Acting acting_of(const EssentialTree &tree, u32 k, u32 rank)
{
    const Marks marks = tree.marks[k];
    const bool is_far = marks.far >> rank & 1, is_open = marks.open >> rank & 1;
    if (!is_far && !is_open) return {0, 0};
    const Seen cell = tree.cells[k];
    const u32 far = cell.counts >> COUNT_BITS;
    if (is_far && far > 0) return {tree.nj + k * tree.room, far};
    if (!is_far && cell.children != NO_CHILD) return {0, 0};
    return {cell.first, cell.counts % (1u << COUNT_BITS)};
}

// Counts the sources in the cells of the block for each rank.
__device__ __forceinline__ void count_sources(const EssentialTree &tree)
{
    const Share share = share_of(tree.extent->cells);
    for (u32 rank = 0; rank < tree.ranks; ++rank) {
        u32 count = 0, sum;
        for (u32 k = share.begin + threadIdx.x; k < share.end; k += BLOCK) {
            count += acting_of(tree, k, rank).count;
        }
        sum_before(count, sum);
        if (threadIdx.x == 0) tree.counts[rank * gridDim.x + blockIdx.x] = sum;
    }
}

// Replaces the counts of blocks by their sums over earlier blocks, and tells the host the sums over
// all.
__device__ __forceinline__ void place_sources(const EssentialTree &tree)
{
    for (u32 rank = blockIdx.x; rank < tree.ranks; rank += gridDim.x) {
        u32 *const counts = tree.counts + rank * gridDim.x;
        u32 place = 0;
        for (u32 first = 0; first < gridDim.x; first += BLOCK) {
            const u32 block = first + threadIdx.x;
            const u32 count = block < gridDim.x ? counts[block] : 0;
            u32 sum;
            const u32 before = sum_before(count, sum);
            if (block < gridDim.x) counts[block] = place + before;
            place += sum;
        }
        if (threadIdx.x != 0) continue;
        tree.counts[tree.ranks * gridDim.x + rank] = place;
        *reinterpret_cast<volatile u64 *>(tree.replies[rank]) = place;
    }
}

// Tests the cells depth by depth, then counts the sources for each rank. The bounds leave registers
// for the call of a division.
extern "C" __global__ void __launch_bounds__(BLOCK, 2) mark_sources(
    const EssentialTree tree, u32 *arrived, const u32 first_phase, const u32 end_phase)
{
    const Frame frame = *tree.frame;
    float length[3];
    for (u32 axis = 0; axis < 3; ++axis) {
        const double of_box = frame.length[axis];
        length[axis] = of_box > 0.0 ? float(of_box * frame.scale) : ::__uint_as_float(0x7f800000u);
    }
    for (u32 phase = first_phase; phase < end_phase; ++phase) {
        if (phase > first_phase) grid_barrier(arrived);
        if (phase > tree.extent->depths && phase < COUNT_PHASE) phase = COUNT_PHASE;
        if (phase >= end_phase) break;
        const u32 begin = blockIdx.x * BLOCK + threadIdx.x, step = gridDim.x * BLOCK;
        if (phase == 0) {
            const u32 boxes = tree.ends[tree.ranks - 1];
            for (u32 k = begin; k < boxes; k += step) tree.seen[k] = see(frame, tree.boxes[k]);
            if (begin == 0) tree.marks[0].open = tree.asking;
        } else if (phase < COUNT_PHASE) {
            const u32 first = tree.firsts[phase - 1], end = tree.firsts[phase];
            for (u32 k = first + begin; k < end; k += step) mark(tree, k, length);
        } else if (phase == COUNT_PHASE) {
            count_sources(tree);
        } else {
            place_sources(tree);
        }
    }
}

// Lists the sources for one rank after another, cells in the order of their depth. The grid has the
// number of blocks of the grid that has counted.
extern "C" __global__ void __launch_bounds__(BLOCK) list_sources(
    const EssentialTree tree, u32 *__restrict__ list)
{
    const Share share = share_of(tree.extent->cells);
    for (u32 rank = 0; rank < tree.ranks; ++rank) {
        const u32 total = tree.counts[tree.ranks * gridDim.x + rank];
        u32 place = tree.counts[rank * gridDim.x + blockIdx.x];
        for (u32 first = share.begin; total > 0 && first < share.end; first += BLOCK) {
            const u32 k = first + threadIdx.x;
            const Acting acting = k < share.end ? acting_of(tree, k, rank) : Acting{0, 0};
            u32 sum;
            const u32 before = sum_before(acting.count, sum);
            for (u32 m = 0; m < acting.count; ++m) list[place + before + m] = acting.first + m;
            place += sum;
        }
        list += total;
    }
}

} // namespace nbody
