// Positions in a periodic box.
namespace nbody {

// Returns the remainder of x, of the same sign, which is exact: each difference is of numbers within a
// factor of 2.
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

// Returns x between 0 and a length, which is excluded: its image in a periodic box. Infinities and NaN
// stay.
__device__ __forceinline__ double wrap(double x, double length)
{
    const bool is_finite = x - x == 0.0;
    if ((x >= 0.0 && x < length) || !is_finite) return x;
    const double rest = remainder(x, length);
    const double inside = rest < 0.0 ? rest + length : ::fabs(rest);
    return inside < length ? inside : 0.0;
}

} // namespace nbody
