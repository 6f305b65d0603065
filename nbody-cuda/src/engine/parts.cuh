// Parts of particles that move between ranks: the particles in a region of space or near a box, and the
// box around particles. Regions and boxes are as in nbody-core's
// `ranks::regions`, which defines them.
namespace nbody {

using u64 = unsigned long long;

// Returns the rank whose region a position is in. A cut is followed by all cuts below it, then by
// all cuts above it, and has half of the ranks below it.
__device__ __forceinline__ u32 rank_of(const Cut *cuts, u32 ranks, const Position &position)
{
    u32 first = 0, cut = 0;
    while (ranks > 1) {
        const u32 below = ranks / 2, axis = cuts[cut].axis;
        const double x = axis == 0 ? position.x[0] : axis == 1 ? position.x[1] : position.x[2];
        if (x < cuts[cut].at) {
            ranks = below;
            cut += 1;
        } else {
            first += below;
            ranks -= below;
            cut += below;
        }
    }
    return first;
}

// Marks the particles of the region of a rank for its list, the only one; or, if they are `leaving`,
// other particles for the lists of their ranks, from the list `first` on, and for the list of this
// rank. The lists are in the order of ranks, with the list of this rank after them.
extern "C" __global__ void __launch_bounds__(BLOCK) mark_regions(
    const Positions from, const Frame frame, const Cut *__restrict__ cuts, const u32 ranks,
    const u32 own, const u32 leaving, const u32 first, const Listing listing)
{
    mark_rows(listing, [=](u32 k) -> u64 {
        const u32 rank = rank_of(cuts, ranks, position_of(from, frame, k));
        if (!leaving) return rank == own;
        if (rank == own) return 0;
        const u32 last = ranks - 1 - first, list = (rank < own ? rank : rank - 1) - first;
        return (list < listing.lists ? 1ull << list : 0) | (last < listing.lists ? 1ull << last : 0);
    });
}

// Returns the distance of a coordinate from an interval.
__device__ __forceinline__ double gap(double x, double lo, double hi)
{
    return ::fmax(::fmax(lo - x, x - hi), 0.0);
}

// Returns whether an image of a position is within a distance of a box.
__device__ __forceinline__ bool is_near(
    const Position &position, const Frame &frame, const BoxAround &box, double distance)
{
    double square = 0.0;
    for (u32 axis = 0; axis < 3; ++axis) {
        const double x = position.x[axis], lo = box.lo[axis], hi = box.hi[axis];
        const double length = axis < frame.dimensions ? frame.length[axis] : 0.0;
        const double images = ::fmin(gap(x - length, lo, hi), gap(x + length, lo, hi));
        const double least = ::fmin(gap(x, lo, hi), images);
        square += least * least;
    }
    return square <= distance * distance;
}

// Marks the particles near each of these boxes for a list.
extern "C" __global__ void __launch_bounds__(BLOCK) mark_near(
    const Positions from, const Frame frame, const BoxAround *__restrict__ boxes, const double distance,
    const Listing listing)
{
    mark_rows(listing, [=](u32 k) -> u64 {
        const Position position = position_of(from, frame, k);
        u64 marks = 0;
        for (u32 list = 0; list < listing.lists; ++list) {
            marks |= u64(is_near(position, frame, boxes[list], distance)) << list;
        }
        return marks;
    });
}

// Returns a number as an integer; integers are in the order of their numbers.
__device__ __forceinline__ u64 ordered(double x)
{
    const u64 bits = u64(::__double_as_longlong(x));
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

// Returns the number of an integer in order.
__device__ __forceinline__ double double_of(u64 ordered)
{
    return ::__longlong_as_double((long long)(ordered >> 63 ? ordered & ~(1ull << 63) : ~ordered));
}

// Finds the boxes around the particles of each block, which takes every gridDim.x-th block of them:
// a box for each of `some` regions from the region `first` on, with the least length of its particles: 0
// if one is NaN, infinite without lengths. Threads share the boxes, and hold up one another only where
// a box grows.
extern "C" __global__ void __launch_bounds__(BLOCK) find_boxes(
    const Positions from, const Frame frame, const double *__restrict__ lengths,
    const Cut *__restrict__ cuts, BoxFound *__restrict__ boxes, const u32 ranks, const u32 first,
    const u32 some)
{
    const double INFINITE = ::__longlong_as_double(0x7ff0000000000000ll);
    constexpr u32 SIDES = 7;
    // The sides of boxes, and the least lengths; these and the lower sides with their sign changed.
    __shared__ u64 sides[BOXES][SIDES];
    for (u32 k = threadIdx.x; k < BOXES * SIDES; k += BLOCK) {
        sides[k / SIDES][k % SIDES] = ordered(-INFINITE);
    }
    __syncthreads();
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < from.n; k += gridDim.x * BLOCK) {
        const Position position = position_of(from, frame, k);
        const u32 region = rank_of(cuts, ranks, position) - first;
        if (region >= some) continue;
        double length = lengths ? lengths[k] : INFINITE;
        if (length != length) length = 0.0;
        for (u32 side = 0; side < SIDES; ++side) {
            const double x = side < 3 ? -position.x[side] : side < 6 ? position.x[side - 3] : -length;
            if (x != x) continue;
            const volatile u64 &greatest = sides[region][side];
            if (ordered(x) > greatest) ::atomicMax(&sides[region][side], ordered(x));
        }
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < some * SIDES; k += BLOCK) {
        const u32 region = k / SIDES, side = k % SIDES;
        const double x = double_of(sides[region][side]);
        BoxFound &box = boxes[blockIdx.x * some + region];
        if (side < 3) box.around.lo[side] = -x;
        else if (side < 6) box.around.hi[side - 3] = x;
        else box.least = -x;
    }
}

// Copies the positions of the first particle and of every `step`-th one after it.
extern "C" __global__ void __launch_bounds__(BLOCK) take_positions(
    const Positions from, const Frame frame, Position *__restrict__ to, const u32 step, const u32 count)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k < count) to[k] = position_of(from, frame, k * step);
}

} // namespace nbody
