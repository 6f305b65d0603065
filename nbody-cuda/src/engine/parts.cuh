// Parts of particles that move between ranks: the particles in a region of space or near a box, the
// box around particles, and copies of their rows. Regions and boxes are as in nbody-core's
// `ranks::regions`, which defines them.
namespace nbody {

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

// Writes the rank of each particle.
extern "C" __global__ void __launch_bounds__(BLOCK) find_ranks(
    const Positions from, const Frame frame, const Cut *__restrict__ cuts, u32 *__restrict__ found,
    const u32 ranks)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k < from.n) found[k] = rank_of(cuts, ranks, position_of(from, frame, k));
}

// Returns the distance of a coordinate from an interval.
__device__ __forceinline__ double gap(double x, double lo, double hi)
{
    return ::fmax(::fmax(lo - x, x - hi), 0.0);
}

// Writes for each particle whether one of its images is within a distance of a box.
extern "C" __global__ void __launch_bounds__(BLOCK) find_near(
    const Positions from, const Frame frame, const Neighbourhood box, u32 *__restrict__ found)
{
    const u32 k = blockIdx.x * BLOCK + threadIdx.x;
    if (k >= from.n) return;
    const Position position = position_of(from, frame, k);
    double square = 0.0;
    for (u32 axis = 0; axis < 3; ++axis) {
        const double x = position.x[axis], lo = box.lo[axis], hi = box.hi[axis];
        const double length = axis < frame.dimensions ? frame.length[axis] : 0.0;
        const double images = ::fmin(gap(x - length, lo, hi), gap(x + length, lo, hi));
        const double least = ::fmin(gap(x, lo, hi), images);
        square += least * least;
    }
    found[k] = square <= box.distance * box.distance;
}

// Finds the box around the particles of each block, which takes every gridDim.x-th block of them.
extern "C" __global__ void __launch_bounds__(BLOCK) find_box(
    const Positions from, const Frame frame, BoxAround *__restrict__ boxes)
{
    const double INFINITE = ::__longlong_as_double(0x7ff0000000000000ll);
    __shared__ BoxAround shared[BLOCK];
    BoxAround box = {{INFINITE, INFINITE, INFINITE}, {-INFINITE, -INFINITE, -INFINITE}};
    for (u32 k = blockIdx.x * BLOCK + threadIdx.x; k < from.n; k += gridDim.x * BLOCK) {
        const Position position = position_of(from, frame, k);
        for (u32 axis = 0; axis < 3; ++axis) {
            box.lo[axis] = ::fmin(box.lo[axis], position.x[axis]);
            box.hi[axis] = ::fmax(box.hi[axis], position.x[axis]);
        }
    }
    shared[threadIdx.x] = box;
    __syncthreads();
    for (u32 half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            const BoxAround &other = shared[threadIdx.x + half];
            BoxAround &mine = shared[threadIdx.x];
            for (u32 axis = 0; axis < 3; ++axis) {
                mine.lo[axis] = ::fmin(mine.lo[axis], other.lo[axis]);
                mine.hi[axis] = ::fmax(mine.hi[axis], other.hi[axis]);
            }
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) boxes[blockIdx.x] = shared[0];
}

// Copies rows of `words` words, one thread per word: the rows with these indices, or the first rows
// if `indices` is null.
extern "C" __global__ void __launch_bounds__(BLOCK) copy_rows(
    const u32 *__restrict__ from, const u32 *__restrict__ indices, u32 *__restrict__ to,
    const u32 count, const u32 words)
{
    const size_t at = size_t(blockIdx.x) * BLOCK + threadIdx.x;
    const size_t k = at / words;
    if (k >= count) return;
    const size_t row = indices ? indices[k] : k;
    to[at] = from[row * words + at % words];
}

} // namespace nbody
