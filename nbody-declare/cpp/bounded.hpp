// A number with a running error bound: nbody-core/src/numeric/bounded.rs, which explains it.
//
// Rust prints the errors of operations before this header: DIVISION, ROOT, FUNCTION.
#pragma once

#include "element.hpp"

namespace nbody {

struct Real;
using Coordinate = Real;

// A number of a table, and the elements that it takes: the number and its error.
using Stored = double;
constexpr size_t STORED = 2;

// The unit roundoff of a float.
constexpr double SINGLE_ROUNDOFF = 0x1p-24;

struct Real {
    double value{}, error{};

    static constexpr bool REORDERS = false;
    static constexpr bool ENDS_EARLY = true;
    static constexpr double MARGIN = 4.0;

    static NBODY_INLINE Real of(double x, double error) { return {x, error}; }
    NBODY_INLINE double bound() const { return error; }
    // Returns an input with the error of rounding it once, which is 0 if it is exact in float.
    static NBODY_INLINE Real given(double x) { return rounded(x, 0); }
    // Returns the result of an operation that rounds to nearest.
    static NBODY_INLINE Real rounded(double x, double error)
    {
        const bool exact = error == 0 && double(float(x)) == x;
        return {x, exact ? 0 : error + __builtin_fabs(x)};
    }
    // Returns the difference of two double-single coordinates.
    static NBODY_INLINE Real double_single_difference(double x, double magnitude)
    {
        const double representation = 4 * SINGLE_ROUNDOFF * magnitude;
        const bool inexact = rounded(x, 0).error > 0;
        return {x, inexact ? 3 * __builtin_fabs(x) + representation : 0};
    }
    // Returns the result of a function with this derivative and its own error in roundoffs.
    NBODY_INLINE Real function(double result, double derivative, double roundoffs) const
    {
        const double propagated = error == 0 ? 0 : __builtin_fabs(derivative) * error;
        return {result, propagated + roundoffs * __builtin_fabs(result)};
    }
    // Returns the chosen number of two, with the larger error where their error intervals overlap.
    static NBODY_INLINE Real choose(Real chosen, Real other)
    {
        const double near = (chosen.error + other.error) * SINGLE_ROUNDOFF;
        const bool overlap = __builtin_fabs(chosen.value - other.value) <= near;
        return {chosen.value, overlap ? greatest(chosen.error, other.error) : chosen.error};
    }

    static NBODY_INLINE Real splat(double x) { return given(x); }
    static NBODY_INLINE U32 splat_u32(uint32_t x) { return {x}; }
    static NBODY_INLINE Mask splat_mask(bool x) { return {x}; }

    static NBODY_INLINE Mask lt(Real a, Real b) { return {a.value < b.value}; }
    static NBODY_INLINE Mask le(Real a, Real b) { return {a.value <= b.value}; }
    static NBODY_INLINE Mask eq(Real a, Real b) { return {a.value == b.value}; }
    static NBODY_INLINE Real select(Mask mask, Real yes, Real no) { return mask.value ? yes : no; }
    static NBODY_INLINE bool any(Mask mask) { return mask.value; }

    static NBODY_INLINE Mask lt_u32(U32 a, U32 b) { return {a.value < b.value}; }
    static NBODY_INLINE Mask le_u32(U32 a, U32 b) { return {a.value <= b.value}; }
    static NBODY_INLINE Mask eq_u32(U32 a, U32 b) { return {a.value == b.value}; }
    static NBODY_INLINE U32 select_u32(Mask mask, U32 yes, U32 no) { return mask.value ? yes : no; }
    static NBODY_INLINE U32 add_u32(U32 a, U32 b) { return {a.value + b.value}; }
    static NBODY_INLINE U32 sub_u32(U32 a, U32 b) { return {a.value - b.value}; }
    static NBODY_INLINE U32 mul_u32(U32 a, U32 b) { return {a.value * b.value}; }
    static NBODY_INLINE U32 div_u32(U32 a, U32 b) { return {quotient(a.value, b.value)}; }
    static NBODY_INLINE U32 rem_u32(U32 a, U32 b) { return {remainder(a.value, b.value)}; }
    static NBODY_INLINE U32 shl_u32(U32 a, U32 b) { return {a.value << b.value % 32}; }
    static NBODY_INLINE U32 shr_u32(U32 a, U32 b) { return {a.value >> b.value % 32}; }
    static NBODY_INLINE U32 min_u32(U32 a, U32 b) { return b.value < a.value ? b : a; }
    static NBODY_INLINE U32 max_u32(U32 a, U32 b) { return a.value < b.value ? b : a; }
    static NBODY_INLINE U32 rotate_u32(U32 a, U32 b) { return {rotated(a.value, b.value)}; }
    static NBODY_INLINE U32 ones_u32(U32 a) { return {uint32_t(__builtin_popcount(a.value))}; }
    static NBODY_INLINE U32 high_u32(U32 a, U32 b) { return {high(a.value, b.value)}; }
    static NBODY_INLINE U32 to_u32(Real a) { return {truncated(a.value)}; }
    static NBODY_INLINE Real from_u32(U32 a) { return given(a.value); }

    static NBODY_INLINE Real stored(const Stored *number) { return {number[0], number[1]}; }
    static NBODY_INLINE void cubic(const Stored *cubics, size_t last, Real index, Real (&cubic)[4])
    {
        const size_t n = truncated(index.value);
        cubics += 4 * STORED * (n < last ? n : last);
        for (size_t k = 0; k < 4; ++k) cubic[k] = stored(cubics + k * STORED);
    }
    static NBODY_INLINE Real gather(const Real *entries, size_t n, U32 index)
    {
        return index.value < n ? entries[index.value] : Real{NOT_A_NUMBER, 0};
    }
    template <size_t N> static Real gather(const Array<N> &entries, U32 index);
    template <size_t R, size_t C>
    static Real gather_entry(const Table<R, C> &table, U32 row, U32 column);
    static NBODY_INLINE bool uniform(U32, uint32_t &) { return false; }
    static NBODY_INLINE void scatter_u32(U32 *counts, size_t n, U32 index, U32 term)
    {
        if (index.value < n) counts[index.value].value += term.value;
    }
    static void scatter(Real *sums, size_t n, U32 index, Real term);

    Real plus_product(Real a, Real b) const;
    Real minus_product(Real a, Real b) const;
    Real times_minus(Real a, Real b) const;
    Real plus_where(Mask mask, Real term) const;
    Real minus_where(Mask mask, Real term) const;
    static Mask within_reach(Real reach, Real square);

    NBODY_INLINE Real sqrt() const
    {
        const double root = __builtin_sqrt(value);
        // Near zero, where the derivative diverges, the root of the error is a smaller bound.
        const double near_zero = __builtin_sqrt(error / SINGLE_ROUNDOFF);
        return {root, least(function(root, 0.5 / root, ROOT).error, near_zero + ROOT * root)};
    }
    Real rsqrt() const;
    Real recip() const;
    Real powi(int n) const;
    template <int N> Real times_rsqrt_powi(Real x) const;
    NBODY_INLINE Real powf(Real exponent) const
    {
        const double result = power(value, exponent.value);
        const Real base = function(result, exponent.value * result / value, FUNCTION);
        return {result, base.error + exponent.function(0, result * __builtin_log(value), 0).error};
    }
    NBODY_INLINE Real cbrt() const
    {
        const double root = host.cbrt(value);
        return function(root, 1 / (3 * root * root), FUNCTION);
    }
    NBODY_INLINE Real exp() const
    {
        const double result = __builtin_exp(value);
        return function(result, result, FUNCTION);
    }
    NBODY_INLINE Real ln() const { return function(__builtin_log(value), 1 / value, FUNCTION); }
    NBODY_INLINE Real sin() const
    {
        return function(__builtin_sin(value), __builtin_cos(value), FUNCTION);
    }
    NBODY_INLINE Real cos() const
    {
        return function(__builtin_cos(value), __builtin_sin(value), FUNCTION);
    }
    NBODY_INLINE Real tan() const
    {
        // A quotient of a sine and a cosine.
        const double result = __builtin_tan(value);
        return function(result, 1 + result * result, 2 * FUNCTION);
    }
    NBODY_INLINE Real asin() const
    {
        return function(__builtin_asin(value), 1 / __builtin_sqrt(1 - value * value), FUNCTION);
    }
    NBODY_INLINE Real acos() const
    {
        return function(__builtin_acos(value), 1 / __builtin_sqrt(1 - value * value), FUNCTION);
    }
    NBODY_INLINE Real atan() const
    {
        return function(__builtin_atan(value), 1 / (1 + value * value), FUNCTION);
    }
    NBODY_INLINE Real atan2(Real x) const
    {
        const double angle = __builtin_atan2(value, x.value);
        const double square = value * value + x.value * x.value;
        const Real y = function(angle, x.value / square, FUNCTION);
        return {angle, y.error + x.function(0, value / square, 0).error};
    }
    NBODY_INLINE Real sinh() const
    {
        return function(__builtin_sinh(value), __builtin_cosh(value), FUNCTION);
    }
    NBODY_INLINE Real cosh() const
    {
        return function(__builtin_cosh(value), __builtin_sinh(value), FUNCTION);
    }
    NBODY_INLINE Real tanh() const
    {
        const double result = __builtin_tanh(value);
        return function(result, 1 - result * result, FUNCTION);
    }
    NBODY_INLINE Real erf() const { return function(host.erf(value), slope_of_erf(), FUNCTION); }
    NBODY_INLINE Real erfc() const { return function(host.erfc(value), slope_of_erf(), FUNCTION); }
    NBODY_INLINE double slope_of_erf() const
    {
        return 1.12837916709551257389615890312154517 * __builtin_exp(-value * value);
    }

    NBODY_INLINE Real abs() const { return {__builtin_fabs(value), error}; }
    NBODY_INLINE Real min(Real y) const
    {
        return y.value < value || value != value ? choose(y, *this) : choose(*this, y);
    }
    Real max(Real y) const;
    Real clamp(Real low, Real high) const;
    NBODY_INLINE Real floor() const { return {__builtin_floor(value), 0}; }
    NBODY_INLINE Real ceil() const { return {__builtin_ceil(value), 0}; }
    NBODY_INLINE Real round() const { return {__builtin_round(value), 0}; }
    NBODY_INLINE Real round_ties_even() const { return {__builtin_rint(value), 0}; }
    NBODY_INLINE Real trunc() const { return {__builtin_trunc(value), 0}; }
    NBODY_INLINE Real copysign(Real sign) const
    {
        return {__builtin_copysign(value, sign.value), error};
    }
    NBODY_INLINE Real mul_add(Real a, Real b) const
    {
        const double propagated
            = __builtin_fabs(value) * a.error + __builtin_fabs(a.value) * error + b.error;
        return rounded(__builtin_fma(value, a.value, b.value), propagated);
    }
    // Returns the number, with the error bound of another order of its operations if that is greater.
    NBODY_INLINE Real or_reordered(Real other) const
    {
        return {value, error < other.error ? other.error : error};
    }

    static NBODY_INLINE Real coordinate(double x) { return given(x); }
    static Real difference(Real a, Real b);
    static Real nearest_difference(Real a, Real b, Real length, Real inverse);
    static Real apart(Real a, Real b);
    static Real without(Real d, Real n, Real length);
    // Rounds a displacement to the precision of the lane.
    static Real rounded(Real d);
    static NBODY_INLINE Real select_coordinate(Mask mask, Real yes, Real no)
    {
        return select(mask, yes, no);
    }
};

NBODY_INLINE Real operator-(Real a) { return {-a.value, a.error}; }
NBODY_INLINE Real operator+(Real a, Real b)
{
    return Real::rounded(a.value + b.value, a.error + b.error);
}
NBODY_INLINE Real operator-(Real a, Real b) { return a + -b; }
NBODY_INLINE Real operator*(Real a, Real b)
{
    const double error = __builtin_fabs(a.value) * b.error + __builtin_fabs(b.value) * a.error;
    return Real::rounded(a.value * b.value, error);
}
NBODY_INLINE Real operator/(Real a, Real b)
{
    const double value = a.value / b.value;
    const double propagated
        = (a.error + __builtin_fabs(value) * b.error) / __builtin_fabs(b.value);
    return {value, propagated + DIVISION * __builtin_fabs(value)};
}

NBODY_INLINE void Real::scatter(Real *sums, size_t n, U32 index, Real term)
{
    if (index.value < n) sums[index.value] = sums[index.value] + term;
}
NBODY_INLINE Real Real::plus_product(Real a, Real b) const { return *this + a * b; }
NBODY_INLINE Real Real::minus_product(Real a, Real b) const { return *this - a * b; }
NBODY_INLINE Real Real::times_minus(Real a, Real b) const { return *this * a - b; }
NBODY_INLINE Real Real::plus_where(Mask mask, Real term) const
{
    return *this + select(mask, term, Real{});
}
NBODY_INLINE Real Real::minus_where(Mask mask, Real term) const
{
    return *this - select(mask, term, Real{});
}
NBODY_INLINE Real Real::rsqrt() const { return splat(1) / sqrt(); }
NBODY_INLINE Real Real::recip() const { return splat(1) / *this; }
template <int N> NBODY_INLINE Real Real::times_rsqrt_powi(Real x) const
{
    return *this * x.rsqrt().powi(N);
}
NBODY_INLINE Real Real::max(Real y) const { return -(-*this).min(-y); }
NBODY_INLINE Real Real::difference(Real a, Real b) { return a - b; }
NBODY_INLINE Real Real::nearest_difference(Real a, Real b, Real length, Real inverse)
{
    const Real d = a - b;
    return d - length * (d * inverse).round_ties_even();
}

NBODY_INLINE Real Real::apart(Real a, Real b) { return a - b; }
NBODY_INLINE Real Real::without(Real d, Real n, Real length) { return d - length * n; }
NBODY_INLINE Real Real::rounded(Real d) { return d; }

} // namespace nbody
