// One number, with correctly rounded operations and the functions of the C library.
#pragma once

#include "element.hpp"

namespace nbody {

struct Real;

#if NBODY_LANE == NBODY_MIXED
// A coordinate as the unevaluated sum of two floats: 48 bits.
struct DoubleSingle {
    float hi{}, lo{};
};
using Coordinate = DoubleSingle;
#else
using Coordinate = Real;
#endif

#define NBODY_FUNCTION(name, function) \
    NBODY_INLINE Real name() const { return {NBODY_C(function)(value)}; }

// A number of a table, and the elements that it takes.
using Stored = Word;
constexpr size_t STORED = 1;

struct Real {
    Element value{};

    using Word = nbody::Word;
    static constexpr size_t WIDTH = 1;
    static constexpr size_t REGISTERS = 16;
    static constexpr size_t COORDINATE_WORDS = NBODY_LANE == NBODY_MIXED ? 2 : 1;
    static constexpr bool REORDERS = false;
    static constexpr bool ENDS_EARLY = true;
    static constexpr double MARGIN = 4.0;

    static NBODY_INLINE Real splat(double x) { return {Element(x)}; }
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
    static NBODY_INLINE Real from_u32(U32 a) { return {Element(a.value)}; }

    static NBODY_INLINE Real stored(const Stored *number) { return broadcast(*number); }
    static NBODY_INLINE void cubic(const Stored *cubics, size_t last, Real index, Real (&cubic)[4])
    {
        const size_t n = truncated(index.value);
        cubics += 4 * (n < last ? n : last);
        for (size_t k = 0; k < 4; ++k) cubic[k] = stored(cubics + k);
    }
    static NBODY_INLINE Real gather(const Real *entries, size_t n, U32 index)
    {
        return index.value < n ? entries[index.value] : splat(NOT_A_NUMBER);
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
        if (index.value < n) sums[index.value].value += term.value;
    }

    NBODY_INLINE Real plus_product(Real a, Real b) const { return {value + a.value * b.value}; }
    NBODY_INLINE Real minus_product(Real a, Real b) const { return {value - a.value * b.value}; }
    NBODY_INLINE Real times_minus(Real a, Real b) const { return {value * a.value - b.value}; }
    NBODY_INLINE Real plus_where(Mask mask, Real term) const
    {
        return {value + select(mask, term, Real{}).value};
    }
    NBODY_INLINE Real minus_where(Mask mask, Real term) const
    {
        return {value - select(mask, term, Real{}).value};
    }
    static Mask within_reach(Real reach, Real square);

    NBODY_INLINE Real rsqrt() const { return {1 / NBODY_C(sqrt)(value)}; }
    NBODY_INLINE Real recip() const { return {1 / value}; }
    Real powi(int n) const;
    template <int N> NBODY_INLINE Real times_rsqrt_powi(Real x) const
    {
        return {value * x.rsqrt().powi(N).value};
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
#if NBODY_IS_DOUBLE
    NBODY_INLINE Real erf() const { return {host.erf(value)}; }
    NBODY_INLINE Real erfc() const { return {host.erfc(value)}; }
    NBODY_INLINE Real cbrt() const { return {host.cbrt(value)}; }
#else
    NBODY_INLINE Real erf() const { return {host.erff(value)}; }
    NBODY_INLINE Real erfc() const { return {host.erfcf(value)}; }
    NBODY_INLINE Real cbrt() const { return {host.cbrtf(value)}; }
#endif
    NBODY_INLINE Real powf(Real y) const { return {power(value, y.value)}; }
    NBODY_INLINE Real atan2(Real x) const { return {NBODY_C(atan2)(value, x.value)}; }
    NBODY_INLINE Real copysign(Real sign) const { return {NBODY_C(copysign)(value, sign.value)}; }
    NBODY_INLINE Real mul_add(Real a, Real b) const
    {
        return {NBODY_C(fma)(value, a.value, b.value)};
    }
    NBODY_INLINE Real min(Real y) const { return {nbody::least(value, y.value)}; }
    NBODY_INLINE Real max(Real y) const { return {nbody::greatest(value, y.value)}; }
    Real clamp(Real low, Real high) const;

    static Coordinate coordinate(double x);
    static Real difference(Coordinate a, Coordinate b);
    static Real nearest_difference(Coordinate a, Coordinate b, Coordinate length, Real inverse);
    // The displacement of two coordinates, and a displacement without n lengths, in the precision of
    // coordinates.
    static Coordinate apart(Coordinate a, Coordinate b);
    static Coordinate without(Coordinate d, Real n, Coordinate length);
    // Rounds a displacement to the precision of the lane.
    static Real rounded(Coordinate d);
    static Coordinate select_coordinate(Mask mask, Coordinate yes, Coordinate no);
    // Reads the numbers of a coordinate.
    template <class Next> static Coordinate coordinate_from(Next &&next);

    static NBODY_INLINE Real load(const Line &line, size_t at) { return broadcast(line.at[at]); }
    static NBODY_INLINE U32 load_u32(const Line &line, size_t at)
    {
        return broadcast_u32(line.at[at]);
    }
    static NBODY_INLINE Real broadcast(Word word) { return {with_bits<Element>(word)}; }
    static NBODY_INLINE U32 broadcast_u32(Word word) { return {uint32_t(word)}; }
    NBODY_INLINE void store(Line &line) const { line.at[0] = with_bits<Word>(value); }
    static NBODY_INLINE void store_u32(U32 integer, Line &line) { line.at[0] = integer.value; }
    static NBODY_INLINE U32 count_from(uint32_t first) { return {first}; }
    NBODY_INLINE Word sum() const { return with_bits<Word>(value); }
    NBODY_INLINE Word least() const { return with_bits<Word>(value); }
    NBODY_INLINE Word greatest() const { return with_bits<Word>(value); }
};

NBODY_INLINE Real operator+(Real a, Real b) { return {a.value + b.value}; }
NBODY_INLINE Real operator-(Real a, Real b) { return {a.value - b.value}; }
NBODY_INLINE Real operator*(Real a, Real b) { return {a.value * b.value}; }
NBODY_INLINE Real operator/(Real a, Real b) { return {a.value / b.value}; }
NBODY_INLINE Real operator-(Real a) { return {-a.value}; }

NBODY_INLINE Coordinate Real::select_coordinate(Mask mask, Coordinate yes, Coordinate no)
{
    return mask.value ? yes : no;
}

#if NBODY_LANE == NBODY_MIXED
NBODY_INLINE DoubleSingle Real::coordinate(double x)
{
    const float hi = float(x);
    // The rounding error of an infinity is zero.
    return {hi, __builtin_isfinite(hi) ? float(x - double(hi)) : 0.0f};
}

NBODY_INLINE Real Real::difference(DoubleSingle a, DoubleSingle b)
{
    // If the result cancels, the first difference is exact (Sterbenz 1974).
    return {(a.hi - b.hi) + (a.lo - b.lo)};
}

NBODY_INLINE Real Real::nearest_difference(
    DoubleSingle a, DoubleSingle b, DoubleSingle length, Real inverse)
{
    const auto [d, rest] = apart(a, b);
    const float lengths = -__builtin_rintf((d + rest) * inverse.value);
    return {__builtin_fmaf(lengths, length.hi, d) + __builtin_fmaf(lengths, length.lo, rest)};
}

NBODY_INLINE DoubleSingle Real::apart(DoubleSingle a, DoubleSingle b)
{
    const float d = a.hi - b.hi;
    // The rounding error of d (Knuth's two-sum) matters if multiples of the length cancel most of
    // d.
    const float back = d - a.hi;
    const float lost = (a.hi - (d - back)) - (b.hi + back);
    return {d, lost + (a.lo - b.lo)};
}

NBODY_INLINE DoubleSingle Real::without(DoubleSingle d, Real n, DoubleSingle length)
{
    const float hi = __builtin_fmaf(-n.value, length.hi, d.hi);
    // The step from d to hi and its rounding error; the step differs from -n times the length by
    // the rounding error of hi.
    const float step = hi - d.hi;
    const float back = step - hi;
    const float lost = (hi - (step - back)) - (d.hi + back);
    const float error = __builtin_fmaf(n.value, length.hi, step) + lost;
    return {hi, __builtin_fmaf(-n.value, length.lo, d.lo - error)};
}

NBODY_INLINE Real Real::rounded(DoubleSingle d) { return {d.hi + d.lo}; }

template <class Next> NBODY_INLINE DoubleSingle Real::coordinate_from(Next &&next)
{
    const Real hi = next();
    return {hi.value, next().value};
}
#else
NBODY_INLINE Real Real::coordinate(double x) { return splat(x); }

NBODY_INLINE Real Real::difference(Real a, Real b) { return a - b; }

NBODY_INLINE Real Real::nearest_difference(Real a, Real b, Real length, Real inverse)
{
    const Real d = a - b;
    return d - length * (d * inverse).round_ties_even();
}

NBODY_INLINE Real Real::apart(Real a, Real b) { return a - b; }
NBODY_INLINE Real Real::without(Real d, Real n, Real length) { return d - length * n; }
NBODY_INLINE Real Real::rounded(Real d) { return d; }

template <class Next> NBODY_INLINE Real Real::coordinate_from(Next &&next) { return next(); }
#endif

#undef NBODY_FUNCTION

} // namespace nbody
