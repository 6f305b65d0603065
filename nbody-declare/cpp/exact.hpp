// A vector register in exact mathematics: nbody-core/src/numeric/simd/exact.rs. Products are rounded
// before they are added, and quotients and roots are correctly rounded. Functions that are no
// instruction are those of `Fast`, the register in fast mathematics.
#pragma once

namespace nbody {

struct Real;
using Coordinate = Real;

#define NBODY_OF_FAST(name) \
    NBODY_INLINE Real name() const { return {fast.name()}; }
#define NBODY_OF_TWO(name) \
    NBODY_INLINE Real name(Real other) const { return {fast.name(other.fast)}; }

struct Real {
    Fast fast{};

    using Word = nbody::Word;
    static constexpr size_t WIDTH = Fast::WIDTH;
    static constexpr size_t REGISTERS = Fast::REGISTERS;
    static constexpr size_t COORDINATE_WORDS = 1;
    static constexpr bool REORDERS = false;
    static constexpr bool ENDS_EARLY = true;
    static constexpr double MARGIN = 4.0;

    static NBODY_INLINE Real splat(double x) { return {Fast::splat(x)}; }
    static NBODY_INLINE U32 splat_u32(uint32_t x) { return Fast::splat_u32(x); }
    static NBODY_INLINE Mask splat_mask(bool x) { return Fast::splat_mask(x); }

    static NBODY_INLINE Real stored(const Stored *number) { return {Fast::stored(number)}; }
    static NBODY_INLINE void cubic(const Stored *cubics, size_t last, Real index, Real (&cubic)[4])
    {
        Fast found[4];
        Fast::cubic(cubics, last, index.fast, found);
        for (size_t c = 0; c < 4; ++c) cubic[c] = {found[c]};
    }

    static NBODY_INLINE Mask lt(Real a, Real b) { return Fast::lt(a.fast, b.fast); }
    static NBODY_INLINE Mask le(Real a, Real b) { return Fast::le(a.fast, b.fast); }
    static NBODY_INLINE Mask eq(Real a, Real b) { return Fast::eq(a.fast, b.fast); }
    static NBODY_INLINE Real select(Mask mask, Real yes, Real no)
    {
        return {Fast::select(mask, yes.fast, no.fast)};
    }
    static NBODY_INLINE bool any(Mask mask) { return Fast::any(mask); }

    static NBODY_INLINE Mask lt_u32(U32 a, U32 b) { return Fast::lt_u32(a, b); }
    static NBODY_INLINE Mask le_u32(U32 a, U32 b) { return Fast::le_u32(a, b); }
    static NBODY_INLINE Mask eq_u32(U32 a, U32 b) { return Fast::eq_u32(a, b); }
    static NBODY_INLINE U32 select_u32(Mask mask, U32 yes, U32 no)
    {
        return Fast::select_u32(mask, yes, no);
    }
    static NBODY_INLINE U32 add_u32(U32 a, U32 b) { return Fast::add_u32(a, b); }
    static NBODY_INLINE U32 sub_u32(U32 a, U32 b) { return Fast::sub_u32(a, b); }
    static NBODY_INLINE U32 mul_u32(U32 a, U32 b) { return Fast::mul_u32(a, b); }
    static NBODY_INLINE U32 div_u32(U32 a, U32 b) { return Fast::div_u32(a, b); }
    static NBODY_INLINE U32 rem_u32(U32 a, U32 b) { return Fast::rem_u32(a, b); }
    static NBODY_INLINE U32 shl_u32(U32 a, U32 b) { return Fast::shl_u32(a, b); }
    static NBODY_INLINE U32 shr_u32(U32 a, U32 b) { return Fast::shr_u32(a, b); }
    static NBODY_INLINE U32 min_u32(U32 a, U32 b) { return Fast::min_u32(a, b); }
    static NBODY_INLINE U32 max_u32(U32 a, U32 b) { return Fast::max_u32(a, b); }
    static NBODY_INLINE U32 rotate_u32(U32 a, U32 b) { return Fast::rotate_u32(a, b); }
    static NBODY_INLINE U32 ones_u32(U32 a) { return Fast::ones_u32(a); }
    static NBODY_INLINE U32 high_u32(U32 a, U32 b) { return Fast::high_u32(a, b); }
    static NBODY_INLINE Real from_u32(U32 a) { return {Fast::from_u32(a)}; }
    static NBODY_INLINE U32 to_u32(Real a) { return Fast::to_u32(a.fast); }

    static NBODY_INLINE Real gather(const Real *entries, size_t n, U32 index)
    {
        return {Fast::gather(&entries->fast, n, index)};
    }
    template <size_t N> static Real gather(const Array<N> &entries, U32 index);
    template <size_t R, size_t C>
    static Real gather_entry(const Table<R, C> &table, U32 row, U32 column);
    static NBODY_INLINE void scatter(Real *sums, size_t n, U32 index, Real term)
    {
        Fast::scatter(&sums->fast, n, index, term.fast);
    }
    static NBODY_INLINE void scatter_u32(U32 *counts, size_t n, U32 index, U32 term)
    {
        Fast::scatter_u32(counts, n, index, term);
    }
    // Tables are searched by indices alone.
    static NBODY_INLINE bool uniform(U32, uint32_t &) { return false; }

    NBODY_INLINE Real plus_product(Real a, Real b) const;
    NBODY_INLINE Real minus_product(Real a, Real b) const;
    NBODY_INLINE Real times_minus(Real a, Real b) const;
    NBODY_INLINE Real plus_where(Mask mask, Real term) const;
    NBODY_INLINE Real minus_where(Mask mask, Real term) const;
    static Mask within_reach(Real reach, Real square);

    NBODY_OF_FAST(sqrt) NBODY_OF_FAST(abs) NBODY_OF_FAST(floor) NBODY_OF_FAST(ceil)
    NBODY_OF_FAST(trunc) NBODY_OF_FAST(round_ties_even) NBODY_OF_FAST(round)
    NBODY_OF_FAST(cbrt) NBODY_OF_FAST(exp) NBODY_OF_FAST(ln) NBODY_OF_FAST(sin) NBODY_OF_FAST(cos)
    NBODY_OF_FAST(tan) NBODY_OF_FAST(asin) NBODY_OF_FAST(acos) NBODY_OF_FAST(atan)
    NBODY_OF_FAST(sinh) NBODY_OF_FAST(cosh) NBODY_OF_FAST(tanh) NBODY_OF_FAST(erf)
    NBODY_OF_FAST(erfc)
    NBODY_OF_TWO(min) NBODY_OF_TWO(max) NBODY_OF_TWO(copysign) NBODY_OF_TWO(powf)
    NBODY_OF_TWO(atan2)
    NBODY_INLINE Real mul_add(Real a, Real b) const { return {fast.mul_add(a.fast, b.fast)}; }
    Real clamp(Real low, Real high) const;

    NBODY_INLINE Real rsqrt() const;
    NBODY_INLINE Real recip() const;
    Real powi(int n) const;
    template <int N> Real times_rsqrt_powi(Real x) const;

    static NBODY_INLINE Coordinate coordinate(double x) { return splat(x); }
    static NBODY_INLINE Real difference(Coordinate a, Coordinate b);
    static NBODY_INLINE Real nearest_difference(
        Coordinate a, Coordinate b, Coordinate length, Real inverse);
    static NBODY_INLINE Coordinate apart(Coordinate a, Coordinate b);
    static NBODY_INLINE Coordinate without(Coordinate d, Real n, Coordinate length);
    static NBODY_INLINE Real rounded(Coordinate d) { return d; }
    static NBODY_INLINE Coordinate select_coordinate(Mask mask, Coordinate yes, Coordinate no)
    {
        return select(mask, yes, no);
    }
    template <class Next> static NBODY_INLINE Coordinate coordinate_from(Next &&next)
    {
        return next();
    }

    static NBODY_INLINE Real load(const Line &line, size_t at) { return {Fast::load(line, at)}; }
    static NBODY_INLINE U32 load_u32(const Line &line, size_t at) { return Fast::load_u32(line, at); }
    static NBODY_INLINE Real broadcast(Word word) { return {Fast::broadcast(word)}; }
    static NBODY_INLINE U32 broadcast_u32(Word word) { return Fast::broadcast_u32(word); }
    NBODY_INLINE void store(Line &line) const { fast.store(line); }
    static NBODY_INLINE void store_u32(U32 integers, Line &line) { Fast::store_u32(integers, line); }
    NBODY_INLINE Word sum() const { return fast.sum(); }
    NBODY_INLINE Word least() const { return fast.least(); }
    NBODY_INLINE Word greatest() const { return fast.greatest(); }
};

#undef NBODY_OF_FAST
#undef NBODY_OF_TWO

NBODY_INLINE Real operator+(Real a, Real b) { return {a.fast + b.fast}; }
NBODY_INLINE Real operator-(Real a, Real b) { return {a.fast - b.fast}; }
NBODY_INLINE Real operator*(Real a, Real b) { return {a.fast * b.fast}; }
NBODY_INLINE Real operator-(Real a) { return {-a.fast}; }
NBODY_INLINE Real operator/(Real a, Real b) { return {{a.fast.x / b.fast.x}}; }

NBODY_INLINE Real Real::plus_product(Real a, Real b) const { return *this + a * b; }
NBODY_INLINE Real Real::minus_product(Real a, Real b) const { return *this - a * b; }
NBODY_INLINE Real Real::times_minus(Real a, Real b) const { return *this * a - b; }
NBODY_INLINE Real Real::plus_where(Mask mask, Real term) const
{
    return *this + select(mask, term, {});
}
NBODY_INLINE Real Real::minus_where(Mask mask, Real term) const
{
    return *this - select(mask, term, {});
}
NBODY_INLINE Real Real::rsqrt() const { return splat(1.0) / sqrt(); }
NBODY_INLINE Real Real::recip() const { return splat(1.0) / *this; }
template <int N> NBODY_INLINE Real Real::times_rsqrt_powi(Real x) const
{
    return *this * x.rsqrt().powi(N);
}
NBODY_INLINE Real Real::difference(Coordinate a, Coordinate b) { return a - b; }
NBODY_INLINE Real Real::nearest_difference(
    Coordinate a, Coordinate b, Coordinate length, Real inverse)
{
    const Real d = a - b;
    return d - length * (d * inverse).round_ties_even();
}
NBODY_INLINE Coordinate Real::apart(Coordinate a, Coordinate b) { return a - b; }
NBODY_INLINE Coordinate Real::without(Coordinate d, Real n, Coordinate length)
{
    return d - length * n;
}

} // namespace nbody
