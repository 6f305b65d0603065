// Particles in the order of a Hilbert curve, and the boxes of groups. Keys and boxes are the same
// as in nbody-core's `order`, which defines them.
namespace nbody {

static_assert(GROUP == LANES, "a group is a warp");
constexpr u32 CHUNK = GROUP * GROUP; // particles of a box of the first level above groups

// The boxes of a level of the tree; level 0 is the level of groups.
struct Level {
    u32 first, count;
};

__device__ __forceinline__ Level level_of(u32 n, u32 level)
{
    Level found = {0, (n + GROUP - 1) / GROUP};
#pragma unroll 1
    for (u32 k = 0; k < level; ++k) {
        found = {found.first + found.count, (found.count + GROUP - 1) / GROUP};
    }
    return found;
}

// Returns the first level with at most GROUP boxes.
__device__ __forceinline__ u32 top_level(u32 n)
{
    u32 level = 0;
    for (u32 boxes = (n + GROUP - 1) / GROUP; boxes > GROUP; boxes = (boxes + GROUP - 1) / GROUP) ++level;
    return level;
}

// Finds the keys.
__device__ __forceinline__ void find_keys(const Order &order, Curve &curve)
{
    const Frame &frame = order.frame;
    find_curve(frame, curve);
    clear_sums(order.sort, 0);
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < order.from.n; k += gridDim.x * BLOCK) {
        order.sort.even.keys[k] = key_of(curve, frame, position_of(order.from, frame, k));
    }
}

// Returns the union of the boxes of the lanes of this warp.
__device__ __forceinline__ Bounds box_of_warp(Bounds box)
{
    for (u32 half = LANES / 2; half > 0; half /= 2) {
        const int other = int((threadIdx.x ^ half) % LANES);
        for (u32 axis = 0; axis < 3; ++axis) {
            double &least = box.least[axis], &greatest = box.greatest[axis];
            least = ::fmin(least, ::__shfl_sync(~0u, least, other));
            greatest = ::fmax(greatest, ::__shfl_sync(~0u, greatest, other));
        }
    }
    return box;
}

__device__ __forceinline__ Bounds no_box()
{
    const double infinite = ::__longlong_as_double(0x7ff0000000000000ll);
    Bounds box;
    for (u32 axis = 0; axis < 3; ++axis) {
        box.least[axis] = infinite;
        box.greatest[axis] = -infinite;
    }
    return box;
}

// Writes the positions in order, and the boxes of groups and of the first level above them.
__device__ __forceinline__ void find_boxes(const Order &order, Bounds (&boxes)[GROUP])
{
    const u32 n = order.from.n, warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const Level groups = level_of(n, 0), above = level_of(n, 1);
    for (u32 chunk = blockIdx.x; chunk < above.count; chunk += gridDim.x) {
        for (u32 g = warp; g < GROUP; g += WARPS) {
            const u32 group = chunk * GROUP + g, place = group * GROUP + lane;
            Bounds box = no_box();
            if (place < n) {
                const u32 k = order.sort.even.values[place];
                const Position position = position_of(order.from, order.frame, k);
                order.now[place] = position;
                for (u32 axis = 0; axis < 3; ++axis) {
                    order.positions[size_t(axis) * n + place] = position.x[axis];
                    box.least[axis] = box.greatest[axis] = position.x[axis];
                }
            }
            box = box_of_warp(box);
            if (lane == 0) {
                boxes[g] = box;
                if (group < groups.count) order.bounds[group] = box;
            }
        }
        __syncthreads();
        if (warp == 0 && groups.count > GROUP) {
            const Bounds box = box_of_warp(boxes[lane]);
            if (lane == 0) order.bounds[above.first + chunk] = box;
        }
        __syncthreads();
    }
}

// Writes the boxes of a level from the boxes of the level below.
__device__ __forceinline__ void join_boxes(const Order &order, u32 level)
{
    const u32 lane = threadIdx.x % LANES;
    const Level below = level_of(order.from.n, level - 1), here = level_of(order.from.n, level);
    const u32 warps = gridDim.x * WARPS;
    for (u32 k = blockIdx.x * WARPS + threadIdx.x / LANES; k < here.count; k += warps) {
        const u32 child = k * GROUP + lane;
        const Bounds box =
            box_of_warp(child < below.count ? order.bounds[below.first + child] : no_box());
        if (lane == 0) order.bounds[here.first + k] = box;
    }
}

union OrderShared {
    Curve curve;
    SortShared sort;
    Bounds boxes[GROUP];
};

constexpr u32 BOXES_PHASE = 1 + SORT_PHASES;

// Runs a phase: first the keys, then the phases of the sort, then boxes, then a phase for each
// level from the second above groups on.
__device__ __forceinline__ void order_phase(const Order &order, u32 phase, OrderShared &shared)
{
    if (phase == 0) {
        find_keys(order, shared.curve);
    } else if (phase < BOXES_PHASE) {
        sort_phase(order.sort, phase - 1, shared.sort);
    } else if (phase == BOXES_PHASE) {
        find_boxes(order, shared.boxes);
    } else {
        join_boxes(order, phase - BOXES_PHASE + 1);
    }
}

} // namespace nbody
