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

// Triclinic boxes: nbody-core's `triclinic` has the same operations. `length` has ax, by and cz, 0
// along a missing axis, and `tilt` bx, cx and cy.

// Subtracts n times the components of vector k before its diagonal.
__device__ __forceinline__ void shift_tilted(double (&x)[3], int k, double n, const double *tilt)
{
    if (k == 2) x[1] = ::__dsub_rn(x[1], ::__dmul_rn(n, tilt[2]));
    if (k > 0) x[0] = ::__dsub_rn(x[0], ::__dmul_rn(n, tilt[k - 1]));
}

// Moves a position to its image with coordinates of at least 0 and less than the lengths.
__device__ __forceinline__ void wrap_tilted(double (&x)[3], const double *length, const double *tilt)
{
    for (int k = 2; k >= 0; --k) {
        if (!(length[k] > 0.0)) continue;
        const double inside = wrap(x[k], length[k]);
        const double n = ::rint((x[k] - inside) / length[k]);
        x[k] = inside;
        // More vectors have no exact number.
        if (::fabs(n) <= 0x1p53) shift_tilted(x, k, n, tilt);
    }
}

// Subtracts whole vectors from a displacement, down to half of each length.
__device__ __forceinline__ void nearest_tilted(double (&d)[3], const double *length, const double *tilt)
{
    for (int k = 2; k >= 0; --k) {
        if (!(length[k] > 0.0)) continue;
        const double n = ::rint(d[k] / length[k]);
        d[k] = ::__dsub_rn(d[k], ::__dmul_rn(n, length[k]));
        shift_tilted(d, k, n, tilt);
    }
}

// Sets the displacement by these numbers of vectors, with its x and y within half of a length of
// the numbers of lengths: further whole vectors are subtracted.
__device__ __forceinline__ void displace_tilted(
    double (&d)[3], double a, double b, double c, const double *length, const double *tilt)
{
    const auto beside = [](double shift, double of) { return of > 0.0 ? ::rint(shift / of) : 0.0; };
    const double y = ::__dmul_rn(c, tilt[2]), b_more = b - beside(y, length[1]);
    const double x = ::__dadd_rn(::__dmul_rn(b_more, tilt[0]), ::__dmul_rn(c, tilt[1]));
    d[0] = ::__dadd_rn(::__dmul_rn(a - beside(x, length[0]), length[0]), x);
    d[1] = ::__dadd_rn(::__dmul_rn(b_more, length[1]), y);
    d[2] = ::__dmul_rn(c, length[2]);
}

} // namespace nbody
