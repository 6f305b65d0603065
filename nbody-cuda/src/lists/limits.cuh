// Limits of distances within reach, and the margin of lists, as in nbody-core's `near::margin`.
namespace nbody {

// Returns the greatest squared motion of a particle with this part of the growth of cutoffs; -1 if
// it has no margin.
__device__ __forceinline__ double limit_of(const Margin &margin, double part)
{
    const double left = margin.most - part;
    const bool is_good = left >= 0.0 && (part == 0.0 || part < margin.growth);
    return is_good ? ::fmin(left * left, 0x1.fffffffffffffp+1023) : -1.0;
}

// Returns the margin of lists with this greatest cutoff and skin.
__device__ __forceinline__ Margin margin_of(const Change &change, double greatest, double skin)
{
    const double reach = greatest + skin;
    const double lost = change.least < 1.0 ? (1.0 - change.least) * reach : 0.0;
    const double most = (skin - lost - change.growth) * 0.5;
    const bool is_near = change.drift <= reach && (change.drift == 0.0 || most <= change.room);
    const bool is_good = most >= 0.0 && is_near && greatest + change.growth < change.half;
    return {is_good ? most : -1.0, (change.half - greatest) * 0.5};
}

// Returns the greatest squared distance of boxes within reach, with room for rounding.
__device__ __forceinline__ double node_limit(double reach, const double (&length)[3])
{
    double extent = 0.0;
    for (u32 axis = 0; axis < 3; ++axis) extent = ::fmax(extent, length[axis]);
    const double farther = reach + extent * MARGIN;
    return farther * farther * (1.0 + MARGIN);
}

// Returns the greatest squared distance of particles within reach, with room for the rounding of
// relative coordinates and of the square.
__device__ __forceinline__ float limit(double reach, const float (&half)[3])
{
    const double error =
        4.0 * ROUNDOFF * (double(half[0]) + double(half[1]) + double(half[2]) + reach);
    const double farther = reach + error;
    return float(farther * farther * (1.0 + 16.0 * ROUNDOFF));
}

} // namespace nbody
