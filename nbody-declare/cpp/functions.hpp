// Exponentials, logarithms, powers, trigonometric and error functions of vectors.
//
// Arguments are reduced to a small range, in which the polynomials of `fits` approximate the
// functions. These constants are text that nbody-core prints.
#pragma once

namespace nbody {

namespace functions {

using namespace fits;

constexpr bool SINGLE = !NBODY_IS_DOUBLE;
// Index of the precision in pairs of constants.
constexpr size_t PRECISION = NBODY_IS_DOUBLE;
// Number of bits in the fraction of a number.
constexpr int FRACTION = SINGLE ? 23 : 52;

NBODY_INLINE Real splat(double x) { return Real::splat(x); }
NBODY_INLINE U32 bits(Real x) { return level::bits(x.x); }
NBODY_INLINE Real from_bits(U32 x) { return {level::from_bits(x)}; }

template <size_t N> NBODY_INLINE Real horner(Real x, const double (&coefficients)[N])
{
    Real sum = splat(coefficients[N - 1]);
    for (size_t k = N - 1; k-- > 0;) sum = splat(coefficients[k]).plus_product(sum, x);
    return sum;
}

template <size_t N, size_t M>
NBODY_INLINE Real polynomial(Real x, const double (&single)[N], const double (&twice)[M])
{
    if constexpr (SINGLE) return horner(x, single);
    else return horner(x, twice);
}

// Returns a number whose sum with a small integer has the integer in its last bits.
NBODY_INLINE Real shift() { return splat(1.5 * double(uint64_t{1} << FRACTION)); }

// The nearest integer to a small number, and its last bits.
struct Nearest {
    Real integer;
    U32 bits;
};

NBODY_INLINE Nearest nearest(Real x)
{
    const Real sum = x + shift();
    return {sum - shift(), bits(sum)};
}

// Computes 2^n of an integer n in the range of the exponents of normal numbers.
NBODY_INLINE Real power_of_two(Real n)
{
    return from_bits(level::shl(bits(n + shift()), FRACTION) + bits(splat(1.0)));
}

// Propagates NaN: returns x where it is NaN, and the result elsewhere.
NBODY_INLINE Real unless_nan(Real x, Real result)
{
    return Real::select(Real::eq(x, x), result, x);
}

// Computes 2^k e^(x + rest) for a small rest and k = 0 or -1.
NBODY_INLINE Real exp_plus(Real argument, Real rest, double k)
{
    // Beyond these bounds the result is zero or infinite.
    const Real x = argument.max(splat(SINGLE ? -104.0 : -746.0)).min(splat(SINGLE ? 90.0 : 711.0));
    const Real n = nearest(x * splat(LOG2_E)).integer;
    const Real hi = splat(LN_2[PRECISION][0]), lo = splat(LN_2[PRECISION][1]);
    const Real r = x.minus_product(n, hi).minus_product(n, lo) + rest;
    const Real tail = r.plus_product(r * r, polynomial(r, EXP_SINGLE, EXP_DOUBLE));
    const Real power = splat(1.0) + tail;
    // In two factors, since 2^n may overflow or underflow where the result does not.
    const Real half = nearest(n * splat(0.5)).integer;
    const Real other = n - half + splat(k);
    return unless_nan(argument, power * power_of_two(half) * power_of_two(other));
}

// The exponent e and the fraction m of x = 2^e m, with m from the root of 1/2 to the root of 2.
struct Parts {
    Real exponent, fraction;
};

// Returns the parts of a finite x > 0.
NBODY_INLINE Parts parts(Real argument)
{
    const U32 one = bits(splat(1.0)), half = bits(splat(FRAC_1_SQRT_2));
    const Mask tiny = Real::lt(argument, splat(SINGLE ? 0x1p-126 : 0x1p-1022));
    const Real scale = splat(double(uint64_t{1} << FRACTION) * 4.0);
    const Real x = Real::select(tiny, argument * scale, argument);
    const U32 shifted = bits(x) - half + one;
    const Real bias = splat(SINGLE ? 127.0 : 1023.0), scaled = splat(FRACTION + 2);
    const Real e = Real::from_u32(level::shr(shifted, FRACTION)) - bias;
    const U32 fraction = bits(splat(2.0)) - one - U32::splat(1);
    return {Real::select(tiny, e - scaled, e), from_bits((shifted & fraction) + half)};
}

// A number as the sum of two.
struct Sum {
    Real hi, lo;
};

// Computes ln x for finite x > 0.
NBODY_INLINE Sum ln_hi_lo(Real x)
{
    const auto [e, m] = parts(x);
    const Real two = splat(2.0);
    // s = f / (2 + f), as in `ln`.
    const Real f = m - splat(1.0);
    const Real d = two + f;
    const Real d_lo = f - (d - two);
    const Real s = f / d;
    const Real s_lo = (f.minus_product(s, d) - s * d_lo) / d;
    const Real z = s * s;
    const Real z_lo = s.times_minus(s, z).plus_product(two * s, s_lo);
    // p = s^2/3 + ..., and ln m = 2 (s + s p).
    const Real third = splat(1.0 / 3.0);
    const Real tail = z * polynomial(z, LN_TAIL_SINGLE, LN_TAIL_DOUBLE);
    const Real c = third + tail;
    const Real c_lo = (third - c) + tail + splat(THIRD_LO[PRECISION]);
    const Real p = z * c;
    const Real p_lo = z.times_minus(c, p).plus_product(z, c_lo).plus_product(z_lo, c);
    const Real product = s * p;
    const Real product_lo = s.times_minus(p, product).plus_product(s, p_lo).plus_product(s_lo, p);
    const Real half = s + product;
    const Real half_lo = (s - half) + product + (product_lo + s_lo);
    const Real ln_2 = e * splat(LN_2[PRECISION][0]);
    const Real ln = ln_2.plus_product(two, half);
    const Real rest = (ln_2 - ln).plus_product(two, half);
    return {ln, rest.plus_product(two, half_lo).plus_product(e, splat(LN_2[PRECISION][1]))};
}

// Returns one of two factors by the sign of a number, and 1 for zero.
NBODY_INLINE Real by_sign(Real x, double negative, double positive)
{
    const Real factor = Real::select(Real::lt(Real{}, x), splat(positive), splat(1.0));
    return Real::select(Real::lt(x, Real{}), splat(negative), factor);
}

// The sine and the cosine of an angle minus the nearest multiple of a quarter turn, and the last
// bits of this multiple.
struct Reduced {
    Real sin, cos;
    U32 quadrant;
};

NBODY_INLINE Reduced reduced(Real angle)
{
    const auto [n, quadrant] = nearest(angle * splat(FRAC_2_PI));
    Real r = angle;
    for (const double part : HALF_PI[PRECISION]) r = r.minus_product(n, splat(part));
    const Real z = r * r;
    const Real sin = r.plus_product(r * z, polynomial(z, SIN_SINGLE, SIN_DOUBLE));
    const Real cos = splat(1.0).minus_product(z, splat(0.5));
    return {sin, cos.plus_product(z * z, polynomial(z, COS_SINGLE, COS_DOUBLE)), quadrant};
}

// Returns whether all angles are in the range of `reduced`.
// Calls a function with each angle beyond the range, for its result.
NBODY_APART Real each_beyond_range(Real angles, Real results, Element (*function)(Element))
{
    for (size_t k = 0; k < Real::WIDTH; ++k) {
        const Element angle = angles.x[k];
        if (!(-LARGEST_ANGLE[PRECISION] <= angle && angle <= LARGEST_ANGLE[PRECISION])) {
            results.x[k] = function(angle);
        }
    }
    return results;
}

// Returns results for angles in range, and the function of scalars for others.
NBODY_INLINE Real in_range_or(Real angles, Real results, Element (*function)(Element))
{
    const bool are_reducible = !Real::any(!Real::le(angles.abs(), splat(LARGEST_ANGLE[PRECISION])));
    return are_reducible ? results : each_beyond_range(angles, results, function);
}

NBODY_INLINE Mask has_bit(U32 quadrant, uint32_t bit)
{
    return level::eq(quadrant & U32::splat(bit), U32::splat(bit));
}

// Returns the sine of an angle in a quadrant.
NBODY_INLINE Real in_quadrant(Real sin, Real cos, U32 quadrant)
{
    const Real chosen = Real::select(has_bit(quadrant, 1), cos, sin);
    return Real::select(has_bit(quadrant, 2), -chosen, chosen);
}

// Computes the root of 1 - x^2, without cancellation.
NBODY_INLINE Real other_leg(Real x)
{
    const Real one = splat(1.0);
    return ((one - x) * (one + x)).sqrt();
}

NBODY_INLINE Real erfc_of_positive(Real argument)
{
    // Beyond this the result is zero.
    const Real x = argument.min(splat(SINGLE ? 11.0 : 28.0));
    const Real two = splat(2.0);
    const Real scaled = polynomial((x - two) / (x + two), ERFC_SINGLE, ERFC_DOUBLE);
    // x^2 = hi^2 + (x - hi) (x + hi), where hi^2 is exact: a rounding error of the exponent would
    // be a relative error of the result.
    const int digits = FRACTION / 2 + 1;
    const Real hi = from_bits(level::shl(level::shr(bits(x), digits), digits));
    const Real gauss = exp_plus(-(hi * hi), (hi - x) * (hi + x), 0.0);
    return gauss * scaled / splat(1.0).plus_product(two, x);
}

// Computes e^|x| / 2, which overflows where cosh x does.
NBODY_INLINE Real half_exponential(Real x) { return exp_plus(x.abs(), splat(0.0), -1.0); }

} // namespace functions

NBODY_INLINE Real Real::exp() const { return functions::exp_plus(*this, splat(0.0), 0.0); }

NBODY_INLINE Real Real::ln() const
{
    using namespace functions;
    const auto [e, m] = parts(*this);
    // ln m = f - (f^2/2 - s (f^2/2 + R)), with s = f / (2 + f).
    const Real f = m - splat(1.0);
    const Real s = f / (splat(2.0) + f);
    const Real z = s * s;
    const Real square = splat(0.5) * f * f;
    const Real rest = z * polynomial(z, LN_SINGLE, LN_DOUBLE);
    const Real hi = splat(LN_2[PRECISION][0]), lo = splat(LN_2[PRECISION][1]);
    Real ln = f - (square - (e * lo).plus_product(s, square + rest));
    ln = ln.plus_product(e, hi);
    const Real zero = splat(0.0), infinity = splat(INFINITY);
    ln = select(eq(*this, infinity), *this, ln);
    ln = select(eq(*this, zero), -infinity, ln);
    ln = select(lt(*this, zero), splat(NOT_A_NUMBER), ln);
    return unless_nan(*this, ln);
}

// Computes x to the power y, with the special values of C99.
NBODY_INLINE Real Real::powf(Real y) const
{
    using namespace functions;
    const Real x = abs();
    const Real zero = splat(0.0), one = splat(1.0), infinity = splat(INFINITY);
    auto [ln, ln_rest] = ln_hi_lo(x);
    ln = select(eq(x, zero), -infinity, ln);
    ln = select(eq(x, infinity), infinity, ln);
    Real power = ln * y;
    Real rest = ln.times_minus(y, power).plus_product(ln_rest, y);
    // Beyond this the result is zero or infinite, and the rest may be NaN.
    rest = select(lt(power.abs(), splat(1e4)), rest, zero);
    power = exp_plus(power, rest, 0.0);
    const Real half = y * splat(0.5);
    const Mask is_integer = eq(y.trunc(), y);
    const Mask is_odd = is_integer & !eq(half.trunc(), half);
    power = select(is_odd, power.copysign(*this), power);
    const Mask is_undefined = lt(*this, zero) & lt(x, infinity) & !is_integer;
    power = unless_nan(*this, select(is_undefined, splat(NOT_A_NUMBER), power));
    Mask is_one = eq(x, one) & eq(y.abs(), infinity);
    is_one = is_one | eq(*this, one) | eq(y, zero);
    return select(is_one, one, power);
}

NBODY_INLINE Real Real::cbrt() const
{
    using namespace functions;
    const Real x = abs();
    const auto [e, m] = parts(x);
    const Real third = nearest(e * splat(1.0 / 3.0)).integer;
    const Real rest = e.minus_product(third, splat(3.0));
    const Real cube = m * by_sign(rest, 0.5, 2.0);
    Real root = horner(m, CBRT) * by_sign(rest, 1.0 / CBRT_2, CBRT_2);
    // Steps of Newton's method.
    for (size_t k = 0; k <= PRECISION; ++k) {
        root = root.minus_product(root - cube / (root * root), splat(1.0 / 3.0));
    }
    root = (root * power_of_two(third)).copysign(*this);
    // Zeros, infinities and NaN are their own cube roots.
    const Mask is_special = eq(x, splat(0.0)) | !lt(x, splat(INFINITY));
    return select(is_special, *this, root);
}

NBODY_INLINE Real Real::sin() const
{
    using namespace functions;
    const auto [sin, cos, quadrant] = reduced(*this);
    return in_range_or(*this, in_quadrant(sin, cos, quadrant),
                       [](Element x) -> Element { return NBODY_C(sin)(x); });
}

NBODY_INLINE Real Real::cos() const
{
    using namespace functions;
    const auto [sin, cos, quadrant] = reduced(*this);
    return in_range_or(*this, in_quadrant(sin, cos, quadrant + U32::splat(1)),
                       [](Element x) -> Element { return NBODY_C(cos)(x); });
}

NBODY_INLINE Real Real::tan() const
{
    using namespace functions;
    const auto [sin, cos, quadrant] = reduced(*this);
    const Mask odd = has_bit(quadrant, 1);
    return in_range_or(*this, select(odd, -cos, sin) / select(odd, sin, cos),
                       [](Element x) -> Element { return NBODY_C(tan)(x); });
}

NBODY_INLINE Real Real::atan2(Real x) const
{
    using namespace functions;
    const Real y_size = abs(), x_size = x.abs();
    const Real smaller = y_size.min(x_size), larger = y_size.max(x_size);
    const Real zero = splat(0.0), one = splat(1.0);
    // Both may be zero, or infinite. Divides exactly, since estimates fail for the largest numbers.
    const Real of_equal = select(eq(larger, zero), zero, one);
    const Real quotient = {smaller.x / larger.x};
    const Real ratio = select(eq(smaller, larger), of_equal, quotient);
    const Real z = ratio * ratio;
    Real angle = ratio.plus_product(ratio * z, polynomial(z, ATAN_SINGLE, ATAN_DOUBLE));
    const Real hi = splat(HALF_PI[PRECISION][0]);
    const Real lo = splat(FRAC_PI_2 - HALF_PI[PRECISION][0]);
    angle = select(lt(x_size, y_size), hi - (angle - lo), angle);
    const Mask is_negative = lt(one.copysign(x), zero);
    angle = select(is_negative, (hi + hi) - (angle - (lo + lo)), angle);
    return unless_nan(*this, unless_nan(x, angle.copysign(*this)));
}

NBODY_INLINE Real Real::atan() const { return atan2(splat(1.0)); }

NBODY_INLINE Real Real::asin() const { return atan2(functions::other_leg(*this)); }

NBODY_INLINE Real Real::acos() const { return functions::other_leg(*this).atan2(*this); }

NBODY_INLINE Real Real::erf() const
{
    using namespace functions;
    const Real x = abs();
    const Real near = x * polynomial(x * x, ERF_SINGLE, ERF_DOUBLE);
    const Real far = splat(1.0) - erfc_of_positive(x);
    const Real chosen = select(lt(x, splat(1.0)), near, far);
    return unless_nan(*this, chosen.copysign(*this));
}

NBODY_INLINE Real Real::erfc() const
{
    using namespace functions;
    const Real erfc = erfc_of_positive(abs());
    const Mask negative = lt(*this, splat(0.0));
    return unless_nan(*this, select(negative, splat(2.0) - erfc, erfc));
}

NBODY_INLINE Real Real::sinh() const
{
    using namespace functions;
    const Real z = *this * *this;
    const Real near = plus_product(*this * z, polynomial(z, SINH_SINGLE, SINH_DOUBLE));
    const Real growing = half_exponential(*this), falling = splat(0.25) / growing;
    return select(lt(abs(), splat(1.0)), near, (growing - falling).copysign(*this));
}

NBODY_INLINE Real Real::cosh() const
{
    const Real growing = functions::half_exponential(*this);
    return growing + splat(0.25) / growing;
}

NBODY_INLINE Real Real::tanh() const
{
    using namespace functions;
    const Real x = abs();
    const Real z = x * x;
    const Real near = x.plus_product(x * z, polynomial(z, TANH_SINGLE, TANH_DOUBLE));
    const Real one = splat(1.0);
    const Real far = one - splat(2.0) / (one + (x + x).exp());
    const Real chosen = select(lt(x, splat(0.55)), near, far);
    return unless_nan(*this, chosen.copysign(*this));
}

// Rounds halves away from zero.
NBODY_INLINE Real Real::round() const
{
    const Real whole = trunc();
    const Mask is_far = le(splat(0.5), (*this - whole).abs());
    const Real next = whole + splat(1.0).copysign(*this);
    return select(is_far, next, whole);
}

} // namespace nbody
