// Limits of distances within reach.
namespace nbody {

// Returns the greatest square of a distance of boxes within reach, which rounding does not exceed.
__device__ __forceinline__ double node_limit(double reach, const double (&length)[3])
{
    constexpr double MARGIN = 0x1p-52 * 8.0;
    double extent = 0.0;
    for (u32 axis = 0; axis < 3; ++axis) extent = ::fmax(extent, length[axis]);
    const double farther = reach + extent * MARGIN;
    return farther * farther * (1.0 + MARGIN);
}

// Returns the greatest square of a distance of particles within reach, which the rounding of relative
// coordinates and of the square does not exceed.
__device__ __forceinline__ float limit(double reach, const float (&half)[3])
{
    constexpr double ROUNDOFF = 0x1p-24;
    const double error =
        4.0 * ROUNDOFF * (double(half[0]) + double(half[1]) + double(half[2]) + reach);
    const double farther = reach + error;
    return float(farther * farther * (1.0 + 16.0 * ROUNDOFF));
}

} // namespace nbody
