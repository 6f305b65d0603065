// Cells of space, and the keys of particles along the Hilbert curve through the cells. The keys
// are the same as in nbody-core's `near::frame`, which defines them.
namespace nbody {

constexpr u32 FRACTION = 52; // bits of the fraction of a double

// Returns the cell of a coordinate. Near the origin cells have one size; beyond, their size grows
// with the octave of the distance.
template <u32 BITS>
__device__ __forceinline__ u32 cell_of(const Frame &frame, u32 axis, double x)
{
    constexpr u32 HALF = 1u << (BITS - 1);
    const double distance = (x - frame.origin[axis]) * frame.scale;
    const u64 one = u64(::__double_as_longlong(1.0));
    const u64 octaves = u64(::__double_as_longlong(1.0 + ::fabs(distance))) - one;
    const u64 steps = octaves >> (FRACTION - (BITS - 1 - OCTAVES));
    // The cells within a unit are whole cubes of the curve, which it visits without interruption.
    constexpr u32 UNIT = 1u << (BITS - 1 - OCTAVES), MOST = HALF - 1 - UNIT;
    const u32 step = steps < MOST ? u32(steps) : MOST;
    return distance < 0.0 ? HALF + UNIT - 1 - step : HALF + UNIT + step;
}

template <u32 D>
__device__ __forceinline__ u64 key_in(const Curve &curve, const Frame &frame, const Position &position)
{
    constexpr u32 BITS = KEY_BITS / D;
    u32 cell[D];
    for (u32 axis = 0; axis < D; ++axis) cell[axis] = cell_of<BITS>(frame, axis, position.x[axis]);
    return hilbert<D, BITS>(curve, cell);
}

// Returns the key of a position.
__device__ __forceinline__ u64 key_of(const Curve &curve, const Frame &frame, const Position &position)
{
    return frame.dimensions == 2 ? key_in<2>(curve, frame, position) : key_in<3>(curve, frame, position);
}

// Finds the curve through the cells of a frame, and makes it visible to all threads.
__device__ __forceinline__ void find_curve(const Frame &frame, Curve &curve)
{
    if (frame.dimensions == 2) find_curve<2>(curve);
    else find_curve<3>(curve);
    __syncthreads();
}

constexpr u32 SORT_PHASES = 2 * ((KEY_BITS + DIGIT_BITS - 1) / DIGIT_BITS);
static_assert(SORT_PHASES % 4 == 0, "the order ends where it began");

} // namespace nbody
