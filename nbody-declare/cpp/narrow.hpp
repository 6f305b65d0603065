// A number in double with the range of float: nbody-core/src/numeric/narrow.rs, which explains it.
#pragma once

#include "element.hpp"

namespace nbody {

struct Real;
using Coordinate = Real;

// A number of a table, and the elements that it takes: the number and its error.
using Stored = double;
constexpr size_t STORED = 2;

#define NBODY_FUNCTION(name, function) \
    NBODY_INLINE Real name() const { return of(NBODY_C(function)(value)); }

struct Real {
    double value{};

    static constexpr bool REORDERS = false;
    static constexpr bool ENDS_EARLY = true;
    static constexpr double MARGIN = 4.0;

    // Returns the number with the range of float.
    static NBODY_INLINE Real of(double x, double = 0)
    {
        const double magnitude = __builtin_fabs(x);
        if (magnitude < double(__FLT_MIN__)) return {__builtin_copysign(0.0, x)};
        if (magnitude > double(__FLT_MAX__)) return {__builtin_copysign(INFINITY, x)};
        return {x};
    }

    NBODY_INLINE double bound() const { return 0; }

    static NBODY_INLINE Real splat(double x) { return of(x); }
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
    static NBODY_INLINE Real from_u32(U32 a) { return {double(a.value)}; }

    static NBODY_INLINE Real stored(const Stored *number) { return of(number[0]); }
    static NBODY_INLINE void cubic(const Stored *cubics, size_t last, Real index, Real (&cubic)[4])
    {
        const size_t n = truncated(index.value);
        cubics += 4 * STORED * (n < last ? n : last);
        for (size_t k = 0; k < 4; ++k) cubic[k] = stored(cubics + k * STORED);
    }
    static NBODY_INLINE Real gather(const Real *entries, size_t n, U32 index)
    {
        return index.value < n ? entries[index.value] : Real{NOT_A_NUMBER};
    }
    template <size_t N> static Real gather(const Array<N> &entries, U32 index);
    template <size_t R, size_t C>
    static Real gather_entry(const Table<R, C> &table, U32 row, U32 column);
    static NBODY_INLINE bool uniform(U32, uint32_t &) { return false; }
    static NBODY_INLINE void scatter_u32(U32 *counts, size_t n, U32 index, U32 term)
    {
        if (index.value < n) counts[index.value].value += term.value;
    }
    static NBODY_INLINE void scatter(Real *sums, size_t n, U32 index, Real term)
    {
        if (index.value < n) sums[index.value] = of(sums[index.value].value + term.value);
    }

    NBODY_INLINE Real plus_product(Real a, Real b) const
    {
        return of(value + of(a.value * b.value).value);
    }
    NBODY_INLINE Real minus_product(Real a, Real b) const
    {
        return of(value - of(a.value * b.value).value);
    }
    NBODY_INLINE Real times_minus(Real a, Real b) const
    {
        return of(of(value * a.value).value - b.value);
    }
    NBODY_INLINE Real plus_where(Mask mask, Real term) const
    {
        return of(value + select(mask, term, Real{}).value);
    }
    NBODY_INLINE Real minus_where(Mask mask, Real term) const
    {
        return of(value - select(mask, term, Real{}).value);
    }
    static Mask within_reach(Real reach, Real square);

    NBODY_INLINE Real recip() const { return of(1 / value); }
    NBODY_INLINE Real rsqrt() const { return of(1 / sqrt().value); }
    Real powi(int n) const;
    template <int N> NBODY_INLINE Real times_rsqrt_powi(Real x) const
    {
        return of(value * x.rsqrt().powi(N).value);
    }
    NBODY_FUNCTION(sqrt, sqrt)
    NBODY_FUNCTION(exp, exp)
    NBODY_FUNCTION(ln, log)
    NBODY_FUNCTION(sin, sin)
    NBODY_FUNCTION(cos, cos)
    NBODY_FUNCTION(tan, tan)
    NBODY_FUNCTION(asin, asin)
    NBODY_FUNCTION(acos, acos)
    NBODY_FUNCTION(atan, atan)
    NBODY_FUNCTION(sinh, sinh)
    NBODY_FUNCTION(cosh, cosh)
    NBODY_FUNCTION(tanh, tanh)
    NBODY_FUNCTION(abs, fabs)
    NBODY_FUNCTION(floor, floor)
    NBODY_FUNCTION(ceil, ceil)
    NBODY_FUNCTION(round, round)
    NBODY_FUNCTION(round_ties_even, rint)
    NBODY_FUNCTION(trunc, trunc)
    NBODY_INLINE Real erf() const { return of(host.erf(value)); }
    NBODY_INLINE Real erfc() const { return of(host.erfc(value)); }
    NBODY_INLINE Real cbrt() const { return of(host.cbrt(value)); }
    NBODY_INLINE Real powf(Real y) const { return of(power(value, y.value)); }
    NBODY_INLINE Real atan2(Real x) const { return of(NBODY_C(atan2)(value, x.value)); }
    NBODY_INLINE Real copysign(Real sign) const { return of(NBODY_C(copysign)(value, sign.value)); }
    NBODY_INLINE Real mul_add(Real a, Real b) const
    {
        return of(NBODY_C(fma)(value, a.value, b.value));
    }
    NBODY_INLINE Real min(Real y) const { return of(least(value, y.value)); }
    NBODY_INLINE Real max(Real y) const { return of(greatest(value, y.value)); }
    Real clamp(Real low, Real high) const;

    static NBODY_INLINE Real coordinate(double x) { return of(x); }
    static NBODY_INLINE Real difference(Real a, Real b) { return of(a.value - b.value); }
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

NBODY_INLINE Real operator+(Real a, Real b) { return Real::of(a.value + b.value); }
NBODY_INLINE Real operator-(Real a, Real b) { return Real::of(a.value - b.value); }
NBODY_INLINE Real operator*(Real a, Real b) { return Real::of(a.value * b.value); }
NBODY_INLINE Real operator/(Real a, Real b) { return Real::of(a.value / b.value); }
NBODY_INLINE Real operator-(Real a) { return {-a.value}; }

NBODY_INLINE Real Real::nearest_difference(Real a, Real b, Real length, Real inverse)
{
    const Real d = a - b;
    return d - length * (d * inverse).round_ties_even();
}

NBODY_INLINE Real Real::apart(Real a, Real b) { return a - b; }
NBODY_INLINE Real Real::without(Real d, Real n, Real length) { return d - length * n; }
NBODY_INLINE Real Real::rounded(Real d) { return d; }

#undef NBODY_FUNCTION

} // namespace nbody
