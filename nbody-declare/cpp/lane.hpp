// The numbers that a law computes with: one number, or a vector register of them.
//
// NBODY_LANE selects the lane before this header is included, and NBODY_EXACT exact mathematics for a
// vector register. A program has one lane, so `Real`, `U32`, `Mask` and `Coordinate` are plain types;
// only spaces are template parameters.
//
// Every function has the name, the order of operations and the fused operations of the function in
// nbody-core/src/numeric, so that results are equal to the last bit. The compiler must not fuse
// other operations: -ffp-contract=off. nbody-core compares all of them in `simd::cpp`.
//
// Rust prints two parts of the text before this header: the constants of functions, namespace
// `fits`, by `nbody_core::fits::text`, and the struct `Domain` with `lengths`, `inverses`, `tilts`,
// `is_periodic` and `is_triclinic`.
#pragma once

#include <cstddef>
#include <cstdint>

#define NBODY_SINGLE 1
#define NBODY_DOUBLE 2
#define NBODY_MIXED 3
#define NBODY_AVX2_SINGLE 4
#define NBODY_AVX2_DOUBLE 5
#define NBODY_AVX512_SINGLE 6
#define NBODY_AVX512_DOUBLE 7
#define NBODY_NEON_SINGLE 8
#define NBODY_NEON_DOUBLE 9
#define NBODY_BOUNDED 10
#define NBODY_NARROW 11

// A name that is not defined counts as 0.
#if NBODY_LANE < NBODY_SINGLE || NBODY_LANE > NBODY_NARROW
#error "define NBODY_LANE as one of these lanes, for example NBODY_AVX2_SINGLE"
#endif
#ifdef __FAST_MATH__
#error "compile without -ffast-math, which changes results"
#endif
#if NBODY_LANE == NBODY_DOUBLE || NBODY_LANE == NBODY_AVX2_DOUBLE \
    || NBODY_LANE == NBODY_AVX512_DOUBLE || NBODY_LANE == NBODY_NEON_DOUBLE \
    || NBODY_LANE == NBODY_BOUNDED || NBODY_LANE == NBODY_NARROW
#define NBODY_IS_DOUBLE 1
#else
#define NBODY_IS_DOUBLE 0
#endif

// The builtin of a C function in the precision of the lane. It needs no declaration.
#if NBODY_IS_DOUBLE
#define NBODY_C(function) __builtin_##function
#else
#define NBODY_C(function) __builtin_##function##f
#endif

#define NBODY_INLINE inline __attribute__((always_inline))
// For functions that loops call seldom: their code would only lengthen the loops.
#define NBODY_APART [[maybe_unused]] static __attribute__((noinline))

namespace nbody {

using std::size_t;
using std::uint32_t;
using std::uint64_t;

#if NBODY_IS_DOUBLE
using Element = double;
using Word = uint64_t;
#else
using Element = float;
using Word = uint32_t;
#endif

// A quotient, cut off, and a remainder: of a division by 0, the greatest integer and the dividend.
NBODY_INLINE uint32_t quotient(uint32_t a, uint32_t b) { return b == 0 ? ~uint32_t{0} : a / b; }
NBODY_INLINE uint32_t remainder(uint32_t a, uint32_t b) { return b == 0 ? a : a % b; }
// An integer whose bits are rotated to the left, and the upper half of a product.
NBODY_INLINE uint32_t rotated(uint32_t a, uint32_t b) { return a << b % 32 | a >> (0 - b) % 32; }
NBODY_INLINE uint32_t high(uint32_t a, uint32_t b) { return uint32_t(uint64_t{a} * b >> 32); }
// A number as an integer, cut off: the nearest one for numbers beyond integers, 0 for NaN.
template <class Number> NBODY_INLINE uint32_t truncated(Number x)
{
    return !(x > 0) ? uint32_t{0} : x < Number(4294967296.0) ? uint32_t(x) : ~uint32_t{0};
}

constexpr double INFINITY = __builtin_inf();
constexpr double NOT_A_NUMBER = __builtin_nan("");

// Unit roundoff: half the distance from 1 to the next number.
constexpr double ROUNDOFF = NBODY_IS_DOUBLE ? 0x1p-53 : 0x1p-24;

// Number of particles in a block, a multiple of the elements of every lane.
constexpr size_t LINE = 16;

// One number for each particle of a block.
struct Line {
    alignas(64) Word at[LINE];
};

template <size_t N> struct Array;
template <size_t N> struct Counts;
template <size_t ROWS, size_t COLUMNS> struct Table;

// Returns a value with the bits of another one.
template <class To, class From> NBODY_INLINE To with_bits(const From &from)
{
    static_assert(sizeof(To) == sizeof(From), "both types have the same size");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}

} // namespace nbody

#if NBODY_LANE <= NBODY_MIXED
#include "scalar.hpp"
#elif NBODY_LANE == NBODY_BOUNDED
#include "bounded.hpp"
#elif NBODY_LANE == NBODY_NARROW
#include "narrow.hpp"
#elif NBODY_EXACT
// The register in fast mathematics has another name.
#define Real Fast
#define Coordinate FastCoordinate
#include "wide.hpp"
#undef Real
#undef Coordinate
#include "exact.hpp"
#else
#include "wide.hpp"
#endif

namespace nbody {

NBODY_INLINE Real &operator+=(Real &a, Real b) { return a = a + b; }
NBODY_INLINE Real &operator-=(Real &a, Real b) { return a = a - b; }
NBODY_INLINE Real &operator*=(Real &a, Real b) { return a = a * b; }
NBODY_INLINE Real &operator/=(Real &a, Real b) { return a = a / b; }

// Raises to an integer power by repeated squaring; the power of 0 is 1.
NBODY_INLINE Real Real::powi(int n) const
{
    Real square = *this, product = splat(1.0);
    bool first = true;
    for (unsigned rest = n < 0 ? 0u - unsigned(n) : unsigned(n); rest > 0; rest >>= 1) {
        if (rest & 1) {
            product = first ? square : product * square;
            first = false;
        }
        if (rest > 1) square = square * square;
    }
    return n < 0 ? product.recip() : product;
}

NBODY_INLINE Real Real::clamp(Real low, Real high) const { return max(low).min(high); }

// Returns whether a distance with this square is below the reach by the margin, or is NaN. Pair
// functions compute distances with rounding errors of their own; by the margin these distances
// stay below the reach, too.
NBODY_INLINE Mask Real::within_reach(Real reach, Real square)
{
    return !le(reach * reach * splat(1.0 - MARGIN * ROUNDOFF), square);
}

} // namespace nbody

#include "spline.hpp"
#include "space.hpp"
#include "vector.hpp"
