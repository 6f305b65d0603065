// A vector register of numbers, in fast mathematics.
#pragma once

#if NBODY_LANE == NBODY_AVX2_SINGLE || NBODY_LANE == NBODY_AVX2_DOUBLE
#include "avx2.hpp"
#elif NBODY_LANE == NBODY_AVX512_SINGLE || NBODY_LANE == NBODY_AVX512_DOUBLE
#include "avx512.hpp"
#else
#include "array.hpp"
#endif
#include "series.hpp"

namespace nbody {

// Calls a function with each element of both, for want of an instruction.
template <typename Function>
NBODY_INLINE U32 each(U32 a, U32 b, const Function &function)
{
    Word of_a[sizeof(U32) / sizeof(Word)], of_b[sizeof(U32) / sizeof(Word)];
    __builtin_memcpy(of_a, &a, sizeof a);
    __builtin_memcpy(of_b, &b, sizeof b);
    for (size_t k = 0; k < sizeof(U32) / sizeof(Word); ++k) {
        of_a[k] = function(uint32_t(of_a[k]), uint32_t(of_b[k]));
    }
    __builtin_memcpy(&a, of_a, sizeof a);
    return a;
}

struct Real;
using Coordinate = Real;

// A number of a table, and the elements that it takes.
using Stored = Word;
constexpr size_t STORED = 1;

struct Real {
    level::Register x{};

    using Word = nbody::Word;
    static constexpr size_t WIDTH = sizeof(level::Register) / sizeof(Element);
    static constexpr size_t REGISTERS = level::REGISTERS;
    static constexpr size_t COORDINATE_WORDS = 1;
    static constexpr bool REORDERS = true;
    // A branch at the cutoff is hard to predict, and a filter or a list has selected the pairs.
    static constexpr bool ENDS_EARLY = false;
    static constexpr double MARGIN = 20.0;

    static NBODY_INLINE Real splat(double x) { return {level::broadcast(Element(x))}; }
    static NBODY_INLINE U32 splat_u32(uint32_t x) { return U32::splat(x); }
    static NBODY_INLINE Mask splat_mask(bool x) { return Mask::splat(x); }

    static NBODY_INLINE Real stored(const Stored *number) { return broadcast(*number); }
    static void cubic(const Stored *cubics, size_t last, Real index, Real (&cubic)[4]);

    static NBODY_INLINE Mask lt(Real a, Real b) { return level::lt(a.x, b.x); }
    static NBODY_INLINE Mask le(Real a, Real b) { return level::le(a.x, b.x); }
    static NBODY_INLINE Mask eq(Real a, Real b) { return level::eq(a.x, b.x); }
    static NBODY_INLINE Real select(Mask mask, Real yes, Real no)
    {
        return {level::select(mask, yes.x, no.x)};
    }
    static NBODY_INLINE bool any(Mask mask) { return mask.any(); }

    static NBODY_INLINE Mask lt_u32(U32 a, U32 b) { return level::lt(a, b); }
    static NBODY_INLINE Mask le_u32(U32 a, U32 b) { return level::le(a, b); }
    static NBODY_INLINE Mask eq_u32(U32 a, U32 b) { return level::eq(a, b); }
    static NBODY_INLINE U32 select_u32(Mask mask, U32 yes, U32 no)
    {
        return level::select(mask, yes, no);
    }
    static NBODY_INLINE U32 add_u32(U32 a, U32 b) { return level::wrapped(a + b); }
    static NBODY_INLINE U32 sub_u32(U32 a, U32 b) { return level::wrapped(a - b); }
    static NBODY_INLINE U32 mul_u32(U32 a, U32 b) { return level::wrapped(level::product(a, b)); }
    static NBODY_INLINE U32 div_u32(U32 a, U32 b) { return each(a, b, quotient); }
    static NBODY_INLINE U32 rem_u32(U32 a, U32 b) { return each(a, b, remainder); }
    static NBODY_INLINE U32 shl_u32(U32 a, U32 b)
    {
        return level::wrapped(level::shl(a, b & U32::splat(31)));
    }
    static NBODY_INLINE U32 shr_u32(U32 a, U32 b) { return level::shr(a, b & U32::splat(31)); }
    static NBODY_INLINE U32 min_u32(U32 a, U32 b) { return select_u32(lt_u32(b, a), b, a); }
    static NBODY_INLINE U32 max_u32(U32 a, U32 b) { return select_u32(lt_u32(a, b), b, a); }
    static NBODY_INLINE U32 rotate_u32(U32 a, U32 b)
    {
        return shl_u32(a, b) | shr_u32(a, sub_u32(splat_u32(0), b));
    }
    static NBODY_INLINE U32 ones_u32(U32 a)
    {
        // The sums of pairs of bits, then of four and of eight.
        const U32 pairs = a - (level::shr(a, 1) & U32::splat(0x55555555));
        const U32 two = U32::splat(0x33333333);
        const U32 fours = (pairs & two) + (level::shr(pairs, 2) & two);
        const U32 bytes = (fours + level::shr(fours, 4)) & U32::splat(0x0f0f0f0f);
        // The highest byte of the product is the sum of all.
        return level::shr(level::wrapped(level::product(bytes, U32::splat(0x01010101))), 24);
    }
    static NBODY_INLINE U32 high_u32(U32 a, U32 b) { return level::high(a, b); }
    static NBODY_INLINE Real from_u32(U32 a) { return {level::from_integers(a)}; }
    static NBODY_INLINE U32 to_u32(Real a)
    {
        const auto splat = [](double number) { return level::broadcast(Element(number)); };
        const level::Register zero = splat(0);
        const level::Register whole = level::trunc(level::select(level::lt(zero, a.x), a.x, zero));
        const Mask beyond = level::le(splat(4294967296.0), whole);
        U32 integer;
        if constexpr (NBODY_IS_DOUBLE) {
            // The bits of 2^52 + the integer.
            integer = level::wrapped(level::bits(whole + splat(0x1p52)));
        } else {
            // The bits of 2^23 + each half of the integer.
            const auto bits = [&](level::Register half) {
                return level::bits(half + splat(0x1p23)) & U32::splat(0x7fffff);
            };
            const level::Register high = level::floor(whole * splat(0x1p-16));
            const level::Register low = level::neg_mul_add(high, splat(65536.0), whole);
            integer = level::shl(bits(high), 16) | bits(low);
        }
        return level::select(beyond, U32::splat(~uint32_t{0}), integer);
    }

    static Real gather(const Real *entries, size_t n, U32 index);
    template <size_t N> static Real gather(const Array<N> &entries, U32 index);
    template <size_t R, size_t C>
    static Real gather_entry(const Table<R, C> &table, U32 row, U32 column);
    static void scatter(Real *sums, size_t n, U32 index, Real term);
    static void scatter_u32(U32 *counts, size_t n, U32 index, U32 term);
    // Returns whether all elements are equal, and their value.
    static NBODY_INLINE bool uniform(U32 integers, uint32_t &value)
    {
        value = integers.first();
        return level::eq(integers, U32::splat(value)).all();
    }

    NBODY_INLINE Real plus_product(Real a, Real b) const { return {level::mul_add(a.x, b.x, x)}; }
    NBODY_INLINE Real minus_product(Real a, Real b) const
    {
        return {level::neg_mul_add(a.x, b.x, x)};
    }
    NBODY_INLINE Real times_minus(Real a, Real b) const { return {level::mul_sub(x, a.x, b.x)}; }
    NBODY_INLINE Real plus_where(Mask mask, Real term) const
    {
        return {level::plus_where(x, mask, term.x)};
    }
    NBODY_INLINE Real minus_where(Mask mask, Real term) const
    {
        return {level::minus_where(x, mask, term.x)};
    }
    static Mask within_reach(Real reach, Real square);

    NBODY_INLINE Real sqrt() const { return {level::sqrt(x)}; }
    NBODY_INLINE Real abs() const { return {level::abs(x)}; }
    NBODY_INLINE Real floor() const { return {level::floor(x)}; }
    NBODY_INLINE Real ceil() const { return {level::ceil(x)}; }
    NBODY_INLINE Real trunc() const { return {level::trunc(x)}; }
    NBODY_INLINE Real round_ties_even() const { return {level::round_ties_even(x)}; }
    NBODY_INLINE Real min(Real y) const { return {level::min(x, y.x)}; }
    NBODY_INLINE Real max(Real y) const { return {level::max(x, y.x)}; }
    NBODY_INLINE Real copysign(Real sign) const { return {level::copysign(x, sign.x)}; }
    NBODY_INLINE Real mul_add(Real a, Real b) const { return {level::mul_add(x, a.x, b.x)}; }
    Real clamp(Real low, Real high) const;

    Real rsqrt() const;
    Real recip() const;
    Real powi(int n) const;
    template <int N> Real times_rsqrt_powi(Real x) const;

    // Defined in functions.hpp.
    Real powf(Real exponent) const;
    Real cbrt() const;
    Real exp() const;
    Real ln() const;
    Real sin() const;
    Real cos() const;
    Real tan() const;
    Real asin() const;
    Real acos() const;
    Real atan() const;
    Real atan2(Real x) const;
    Real sinh() const;
    Real cosh() const;
    Real tanh() const;
    Real erf() const;
    Real erfc() const;
    Real round() const;

    static NBODY_INLINE Coordinate coordinate(double x) { return splat(x); }
    static NBODY_INLINE Real difference(Coordinate a, Coordinate b) { return {a.x - b.x}; }
    static NBODY_INLINE Real nearest_difference(
        Coordinate a, Coordinate b, Coordinate length, Real inverse)
    {
        const level::Register d = a.x - b.x;
        return {level::neg_mul_add(length.x, level::round_ties_even(d * inverse.x), d)};
    }
    static NBODY_INLINE Coordinate apart(Coordinate a, Coordinate b) { return {a.x - b.x}; }
    static NBODY_INLINE Coordinate without(Coordinate d, Real n, Coordinate length)
    {
        return {level::neg_mul_add(length.x, n.x, d.x)};
    }
    static NBODY_INLINE Real rounded(Coordinate d) { return d; }
    static NBODY_INLINE Coordinate select_coordinate(Mask mask, Coordinate yes, Coordinate no)
    {
        return select(mask, yes, no);
    }
    template <class Next> static NBODY_INLINE Coordinate coordinate_from(Next &&next)
    {
        return next();
    }

    // Loads the vector that contains the number at this index.
    static NBODY_INLINE Real load(const Line &line, size_t at)
    {
        Real numbers;
        __builtin_memcpy(&numbers.x, line.at + at / WIDTH * WIDTH, sizeof(x));
        return numbers;
    }
    static NBODY_INLINE U32 load_u32(const Line &line, size_t at)
    {
        return level::bits(load(line, at).x);
    }
    static NBODY_INLINE Real broadcast(Word word)
    {
        return {level::broadcast(with_bits<Element>(word))};
    }
    static NBODY_INLINE U32 broadcast_u32(Word word) { return U32::splat(uint32_t(word)); }
    NBODY_INLINE void store(Line &line) const { __builtin_memcpy(line.at, &x, sizeof(x)); }
    static NBODY_INLINE void store_u32(U32 integers, Line &line)
    {
        __builtin_memcpy(line.at, &integers.bits, sizeof(U32));
    }
    static NBODY_INLINE U32 count_from(uint32_t first)
    {
        constexpr Line INDICES{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
        return add_u32(U32::splat(first), load_u32(INDICES, 0));
    }
    NBODY_INLINE Word sum() const { return with_bits<Word>(level::sum(x)); }
    NBODY_INLINE Word least() const
    {
        return with_bits<Word>(
            level::fold(x, [](auto a, auto b) { return level::min(a, b); }));
    }
    NBODY_INLINE Word greatest() const
    {
        return with_bits<Word>(
            level::fold(x, [](auto a, auto b) { return level::max(a, b); }));
    }
};

NBODY_INLINE Real operator+(Real a, Real b) { return {a.x + b.x}; }
NBODY_INLINE Real operator-(Real a, Real b) { return {a.x - b.x}; }
NBODY_INLINE Real operator*(Real a, Real b) { return {a.x * b.x}; }
NBODY_INLINE Real operator-(Real a) { return {-a.x}; }
NBODY_INLINE Real operator/(Real a, Real b)
{
    if constexpr (level::TERMS > 0) return a * b.recip();
    else return {a.x / b.x};
}

namespace level {

// Returns a difference, which is the limit minus a positive product; returns the limit if the
// difference is NaN, because the estimate in the product is zero or infinite.
NBODY_INLINE Register at_most(Register difference, double limit)
{
    return min_with_number(difference, broadcast(Element(limit)));
}

// Computes ((1 - error)^-exponent - 1) / error by the coefficients of a series.
NBODY_INLINE Register series_after_one(Register error, const series::Coefficients &series)
{
    Register sum = broadcast(Element(series.at[TERMS]));
    if constexpr (TERMS > 2) sum = mul_add(sum, error, broadcast(Element(series.at[2])));
    if constexpr (TERMS > 1) sum = mul_add(sum, error, broadcast(Element(series.at[1])));
    return sum;
}

// Computes estimate * (1 - error)^-exponent by the coefficients of a series, for a small error.
NBODY_INLINE Register refined(Register estimate, Register error, const series::Coefficients &series)
{
    error = at_most(error, 1.0);
    // Comes before `estimate * error`, which would otherwise occupy a register.
    const Register sum = series_after_one(error, series);
    return mul_add(estimate * error, sum, estimate);
}

} // namespace level

NBODY_INLINE Real Real::rsqrt() const
{
    if constexpr (level::TERMS == 0) {
        return {level::broadcast(1) / level::sqrt(x)};
    } else {
        constexpr series::Coefficients SERIES = series::coefficients(0.5);
        const level::Register y = level::rsqrt_estimate(x);
        return {level::refined(y, level::neg_mul_add(x * y, y, level::broadcast(1)), SERIES)};
    }
}

NBODY_INLINE Real Real::recip() const
{
    if constexpr (level::TERMS == 0) {
        return {level::broadcast(1) / x};
    } else {
        constexpr series::Coefficients SERIES = series::coefficients(1.0);
        const level::Register y = level::recip_estimate(x);
        return {level::refined(y, level::neg_mul_add(x, y, level::broadcast(1)), SERIES)};
    }
}

// Computes `*this * x.rsqrt().powi(N)`.
template <int N> NBODY_INLINE Real Real::times_rsqrt_powi(Real x) const
{
    // The truncation error of the series grows with the power.
    if constexpr (level::TERMS == 0 || N < 2 || N > 4) {
        return *this * x.rsqrt().powi(N);
    } else {
        const Real y = {level::rsqrt_estimate(x.x)};
        const Real square = y * y;
        if constexpr (N < 4 && level::TERMS < 3) {
            constexpr series::Square SERIES = series::square(0.5 * N);
            constexpr double LIMIT = SERIES.one_and_shift;
            const Real scaled = *this * splat(SERIES.factor);
            const Real power = N == 2 ? scaled * square : scaled * y * square;
            const Real shifted = {level::at_most(splat(LIMIT).minus_product(x, square).x, LIMIT)};
            return power * splat(SERIES.rest).plus_product(shifted, shifted);
        } else {
            constexpr series::Coefficients SERIES = series::economized(0.5 * N, level::TERMS);
            // Comes before the series, so that y no longer occupies a register.
            const Real power = N == 2 ? square : N == 3 ? y * square : square * square;
            const Real error = {level::at_most(splat(1.0).minus_product(x, square).x, 1.0)};
            const Real sum = {level::series_after_one(error.x, SERIES)};
            return (*this * power) * splat(1.0).plus_product(sum, error);
        }
    }
}

// Looks up the entry of each index; NaN beyond the end. Loops seldom look up several rows and
// columns at once.
NBODY_APART Line gather_elements(const Real *entries, size_t n, const Line &indices)
{
    Line found;
    for (size_t k = 0; k < Real::WIDTH; ++k) {
        Element entry = Element(NOT_A_NUMBER);
        const uint32_t index = uint32_t(indices.at[k]);
        if (index < n) entry = entries[index].x[k];
        found.at[k] = with_bits<Word>(entry);
    }
    return found;
}

// Adds the term of each element to the sum of its index, if the sum exists.
NBODY_APART void scatter_elements(Real *sums, size_t n, const Line &indices, Real term)
{
    for (size_t k = 0; k < Real::WIDTH; ++k) {
        const uint32_t index = uint32_t(indices.at[k]);
        if (index < n) sums[index].x[k] += term.x[k];
    }
}

NBODY_INLINE void Real::cubic(const Stored *cubics, size_t last, Real index, Real (&cubic)[4])
{
    Line numbers[4];
    for (size_t k = 0; k < WIDTH; ++k) {
        const size_t n = truncated(index.x[k]);
        const Stored *from = cubics + 4 * (n < last ? n : last);
        for (size_t c = 0; c < 4; ++c) numbers[c].at[k] = from[c];
    }
    for (size_t c = 0; c < 4; ++c) cubic[c] = load(numbers[c], 0);
}

NBODY_INLINE Real Real::gather(const Real *entries, size_t n, U32 index)
{
    Line indices;
    store_u32(index, indices);
    return load(gather_elements(entries, n, indices), 0);
}

NBODY_INLINE void Real::scatter_u32(U32 *counts, size_t n, U32 index, U32 term)
{
    static_assert(sizeof(U32) == WIDTH * sizeof(Word), "a word for each element");
    // An index without a count adds 0 to the first one: a branch would be mispredicted often.
    const Mask exists = lt_u32(index, splat_u32(uint32_t(n)));
    const U32 nothing = splat_u32(0);
    Line indices, terms;
    store_u32(select_u32(exists, index, nothing), indices);
    store_u32(select_u32(exists, term, nothing), terms);
    for (size_t k = 0; k < WIDTH; ++k) {
        const uint32_t entry = uint32_t(indices.at[k]);
        char *const bytes = reinterpret_cast<char *>(counts + entry) + k * sizeof(Word);
        Word count;
        __builtin_memcpy(&count, bytes, sizeof count);
        count = uint32_t(count + terms.at[k]);
        __builtin_memcpy(bytes, &count, sizeof count);
    }
}

NBODY_INLINE void Real::scatter(Real *sums, size_t n, U32 index, Real term)
{
    Line indices;
    store_u32(index, indices);
    scatter_elements(sums, n, indices, term);
}

} // namespace nbody

#include "functions.hpp"
