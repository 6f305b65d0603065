// Positions in a periodic box.
namespace nbody {

// Returns the remainder of x, with the sign of x. It is exact: each difference is of numbers
// within a factor of 2.
__device__ __forceinline__ double remainder(double x, double length)
{
    double rest = ::fabs(x), multiple = length;
    while (multiple <= 0.5 * rest) multiple += multiple;
    while (rest >= length) {
        if (rest >= multiple) rest -= multiple;
        multiple *= 0.5;
    }
    return x < 0.0 ? -rest : rest;
}

// Returns the image of x in a periodic box: at least 0 and less than the length. Returns
// infinities and NaN as they are.
__device__ __forceinline__ double wrap(double x, double length)
{
    const bool is_finite = x - x == 0.0;
    if ((x >= 0.0 && x < length) || !is_finite) return x;
    const double rest = remainder(x, length);
    const double inside = rest < 0.0 ? rest + length : ::fabs(rest);
    return inside < length ? inside : 0.0;
}

} // namespace nbody
