// The frame of the particles: the cells that the curve visits, as in nbody-core's
// `Frame::with_grid`.
namespace nbody {

__device__ __forceinline__ bool is_finite(double x) { return x - x == 0.0; }

__device__ __forceinline__ u32 sample_count(u32 n) { return n < SAMPLE ? n : SAMPLE; }

// Finds the least and greatest coordinate of the sample along each axis, and the ends of its
// middle range, by counting smaller coordinates: a warp ranks a coordinate, and the blocks share
// out the axes.
__device__ __forceinline__ void find_middle(
    const Positions &from, const Frame &frame, Along *along, double (&values)[SAMPLE])
{
    const u32 count = sample_count(from.n), warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    // Blocks of an axis.
    const u32 blocks = gridDim.x < frame.dimensions ? 1 : gridDim.x / frame.dimensions;
    for (u32 part = blockIdx.x; part < blocks * frame.dimensions; part += gridDim.x) {
        const u32 axis = part / blocks;
        __syncthreads();
        for (u32 k = threadIdx.x; k < count; k += BLOCK) {
            values[k] = position_of(from, frame, k * (from.n / count)).x[axis];
        }
        __syncthreads();
        for (u32 mine = part % blocks * WARPS + warp; mine < count; mine += blocks * WARPS) {
            const double value = values[mine];
            u32 rank = 0;
            for (u32 k = lane; k < count; k += LANES) {
                rank += values[k] < value || (values[k] == value && k < mine);
            }
            for (u32 half = LANES / 2; half > 0; half /= 2) rank += value_of(lane ^ half, rank);
            if (lane > 0) continue;
            if (rank == 0) along[axis].least = value;
            if (rank == count / TAIL) along[axis].low = value;
            if (rank == count - 1 - count / TAIL) along[axis].high = value;
            if (rank == count - 1) along[axis].greatest = value;
        }
    }
}

// Returns the greatest power of two not above x, within the range of normal numbers.
__device__ __forceinline__ double power_of_two_below(double x)
{
    const double least = ::__longlong_as_double(0x0010000000000000ll);
    const double most = ::__longlong_as_double(0x7fefffffffffffffll);
    const double within = ::fmin(::fmax(x, least), most);
    return ::__longlong_as_double(::__double_as_longlong(within) & 0x7ff0000000000000ll);
}

// Returns the frame: the box along periodic axes, the middle range of the sample along open axes.
__device__ __forceinline__ Frame choose_frame(const Frame &box, const Along *along)
{
    Frame frame = box; // its lengths and dimensions
    double length = 0.0, range = 0.0, extent = 0.0;
    for (u32 axis = 0; axis < 3; ++axis) {
        double &origin = frame.origin[axis];
        origin = 0.0;
        if (axis >= frame.dimensions) continue;
        length = ::fmax(length, frame.length[axis]);
        if (frame.length[axis] > 0.0) {
            origin = frame.length[axis] / 2.0;
            range = ::fmax(range, frame.length[axis]);
            continue;
        }
        const Along &here = along[axis];
        origin = here.low / 2.0 + here.high / 2.0;
        range = ::fmax(range, here.high - here.low);
        extent = ::fmax(extent, here.greatest - here.least);
    }
    range = ::fmax(::fmin(range * SPREAD, extent), range);
    if (!(range > 0.0)) range = extent > 0.0 ? extent : 1.0;
    frame.scale = length == range ? IN_BOX / range : power_of_two_below(2.0 / range);
    return frame;
}

// Returns the signed distance from the origin at which a cell begins; a cell ends where the next
// one begins.
template <u32 BITS> __device__ __forceinline__ double begin_of(u32 cell)
{
    constexpr u32 WITHIN = BITS - 1 - OCTAVES; // bits of cells within a unit
    constexpr u32 CENTRE = (1u << (BITS - 1)) + (1u << WITHIN);
    const u64 steps = cell < CENTRE ? CENTRE - cell : cell - CENTRE;
    const u64 one = u64(::__double_as_longlong(1.0));
    const double distance =
        ::__longlong_as_double((long long)(one + (steps << (FRACTION - WITHIN)))) - 1.0;
    return cell < CENTRE ? -distance : distance;
}

} // namespace nbody
