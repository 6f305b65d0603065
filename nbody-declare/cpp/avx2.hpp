// Registers of 256 bits, and fused multiply-add.
#pragma once

#include "x86.hpp"

namespace nbody {

// All bits of each element, set or not.
struct Mask {
    __m256i bits{};

    static NBODY_INLINE Mask splat(bool x) { return {_mm256_set1_epi32(-int(x))}; }
    NBODY_INLINE int highest_bits() const
    {
        return _mm256_movemask_ps(_mm256_castsi256_ps(bits));
    }
    NBODY_INLINE bool any() const { return highest_bits() != 0; }
    NBODY_INLINE bool all() const { return highest_bits() == 0xFF; }
};
NBODY_INLINE Mask operator&(Mask a, Mask b) { return {_mm256_and_si256(a.bits, b.bits)}; }
NBODY_INLINE Mask operator|(Mask a, Mask b) { return {_mm256_or_si256(a.bits, b.bits)}; }
NBODY_INLINE Mask operator^(Mask a, Mask b) { return {_mm256_xor_si256(a.bits, b.bits)}; }
NBODY_INLINE Mask operator!(Mask a) { return a ^ Mask::splat(true); }

// Integers as wide as the numbers. As integers of a lane they have 32 bits.
struct U32 {
    __m256i bits{};

    static NBODY_INLINE U32 splat(uint32_t x)
    {
#if NBODY_IS_DOUBLE
        return {_mm256_set1_epi64x(x)};
#else
        return {_mm256_set1_epi32(int(x))};
#endif
    }
    // The first element.
    NBODY_INLINE uint32_t first() const
    {
        return uint32_t(_mm_cvtsi128_si32(_mm256_castsi256_si128(bits)));
    }
};
NBODY_INLINE U32 operator&(U32 a, U32 b) { return {_mm256_and_si256(a.bits, b.bits)}; }
NBODY_INLINE U32 operator|(U32 a, U32 b) { return {_mm256_or_si256(a.bits, b.bits)}; }
NBODY_INLINE U32 operator^(U32 a, U32 b) { return {_mm256_xor_si256(a.bits, b.bits)}; }
NBODY_INLINE U32 operator+(U32 a, U32 b) { return {NBODY_EPI(_mm256_add)(a.bits, b.bits)}; }
NBODY_INLINE U32 operator-(U32 a, U32 b) { return {NBODY_EPI(_mm256_sub)(a.bits, b.bits)}; }

namespace level {

#if NBODY_IS_DOUBLE
using Register = __m256d;
// Number of terms of the series that refines estimates to the precision of the element; 0 without
// estimates.
constexpr size_t TERMS = 0;
#else
using Register = __m256;
constexpr size_t TERMS = 2;
#endif
constexpr size_t REGISTERS = 16;

#if NBODY_IS_DOUBLE
NBODY_INLINE Mask mask(Register x) { return {_mm256_castpd_si256(x)}; }
NBODY_INLINE Register numbers(Mask x) { return _mm256_castsi256_pd(x.bits); }
NBODY_INLINE U32 bits(Register x) { return {_mm256_castpd_si256(x)}; }
NBODY_INLINE Register from_bits(U32 x) { return _mm256_castsi256_pd(x.bits); }
#else
NBODY_INLINE Mask mask(Register x) { return {_mm256_castps_si256(x)}; }
NBODY_INLINE Register numbers(Mask x) { return _mm256_castsi256_ps(x.bits); }
NBODY_INLINE U32 bits(Register x) { return {_mm256_castps_si256(x)}; }
NBODY_INLINE Register from_bits(U32 x) { return _mm256_castsi256_ps(x.bits); }
#endif

NBODY_INLINE Register broadcast(Element x) { return NBODY_P(_mm256_set1)(x); }
NBODY_INLINE Mask lt(Register a, Register b) { return mask(NBODY_P(_mm256_cmp)(a, b, _CMP_LT_OQ)); }
NBODY_INLINE Mask le(Register a, Register b) { return mask(NBODY_P(_mm256_cmp)(a, b, _CMP_LE_OQ)); }
NBODY_INLINE Mask eq(Register a, Register b) { return mask(NBODY_P(_mm256_cmp)(a, b, _CMP_EQ_OQ)); }
NBODY_INLINE Register select(Mask mask, Register yes, Register no)
{
    return NBODY_P(_mm256_blendv)(no, yes, numbers(mask));
}
NBODY_INLINE Register plus_where(Register x, Mask mask, Register term)
{
    return x + NBODY_P(_mm256_and)(numbers(mask), term);
}
NBODY_INLINE Register minus_where(Register x, Mask mask, Register term)
{
    return x - NBODY_P(_mm256_and)(numbers(mask), term);
}

// Computes a b + c, a b - c and c - a b with one rounding.
NBODY_INLINE Register mul_add(Register a, Register b, Register c)
{
    return NBODY_P(_mm256_fmadd)(a, b, c);
}
NBODY_INLINE Register mul_sub(Register a, Register b, Register c)
{
    return NBODY_P(_mm256_fmsub)(a, b, c);
}
NBODY_INLINE Register neg_mul_add(Register a, Register b, Register c)
{
    return NBODY_P(_mm256_fnmadd)(a, b, c);
}
NBODY_INLINE Register sqrt(Register x) { return NBODY_P(_mm256_sqrt)(x); }
NBODY_INLINE Register abs(Register x) { return NBODY_P(_mm256_andnot)(broadcast(-0.0), x); }
NBODY_INLINE Register floor(Register x) { return NBODY_P(_mm256_floor)(x); }
NBODY_INLINE Register ceil(Register x) { return NBODY_P(_mm256_ceil)(x); }
NBODY_INLINE Register trunc(Register x)
{
    return NBODY_P(_mm256_round)(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
NBODY_INLINE Register round_ties_even(Register x)
{
    return NBODY_P(_mm256_round)(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
NBODY_INLINE Register copysign(Register x, Register sign)
{
    const Register mask = broadcast(-0.0);
    return NBODY_P(_mm256_or)(NBODY_P(_mm256_and)(mask, sign), NBODY_P(_mm256_andnot)(mask, x));
}

// The smaller and the larger number; if one is NaN, the other. The instructions return b if a or b
// is NaN.
NBODY_INLINE Register min(Register a, Register b)
{
    const Register b_is_nan = NBODY_P(_mm256_cmp)(b, b, _CMP_UNORD_Q);
    return NBODY_P(_mm256_blendv)(NBODY_P(_mm256_min)(a, b), a, b_is_nan);
}
NBODY_INLINE Register max(Register a, Register b)
{
    const Register b_is_nan = NBODY_P(_mm256_cmp)(b, b, _CMP_UNORD_Q);
    return NBODY_P(_mm256_blendv)(NBODY_P(_mm256_max)(a, b), a, b_is_nan);
}
// Returns the smaller number; `number` if x is NaN. Only x may be NaN.
NBODY_INLINE Register min_with_number(Register x, Register number)
{
    return NBODY_P(_mm256_min)(x, number);
}

NBODY_INLINE U32 select(Mask mask, U32 yes, U32 no)
{
    return {_mm256_blendv_epi8(no.bits, yes.bits, mask.bits)};
}
NBODY_INLINE Mask eq(U32 a, U32 b) { return {NBODY_EPI(_mm256_cmpeq)(a.bits, b.bits)}; }
NBODY_INLINE U32 shl(U32 x, int n) { return {NBODY_EPI(_mm256_slli)(x.bits, n)}; }
NBODY_INLINE U32 shr(U32 x, int n) { return {NBODY_EPI(_mm256_srli)(x.bits, n)}; }
NBODY_INLINE U32 shl(U32 x, U32 n) { return {NBODY_EPI(_mm256_sllv)(x.bits, n.bits)}; }
NBODY_INLINE U32 shr(U32 x, U32 n) { return {NBODY_EPI(_mm256_srlv)(x.bits, n.bits)}; }

#if NBODY_IS_DOUBLE
NBODY_INLINE Register rsqrt_estimate(Register x) { return x; }
NBODY_INLINE Register recip_estimate(Register x) { return x; }

NBODY_INLINE Mask lt(U32 a, U32 b) { return {_mm256_cmpgt_epi64(b.bits, a.bits)}; }
NBODY_INLINE Mask le(U32 a, U32 b) { return !lt(b, a); }
// Reduces modulo 2^32.
NBODY_INLINE U32 wrapped(U32 x) { return x & U32::splat(~uint32_t{0}); }
NBODY_INLINE U32 product(U32 a, U32 b) { return {_mm256_mul_epu32(a.bits, b.bits)}; }
// Returns the upper half of a product of 64 bits.
NBODY_INLINE U32 high(U32 a, U32 b) { return shr(product(a, b), 32); }

NBODY_INLINE Register from_integers(U32 x)
{
    // The bits of 2^52 + the integer.
    const Register offset = broadcast(0x1p52);
    return _mm256_or_pd(from_bits(x), offset) - offset;
}

// Adds all elements pairwise.
NBODY_INLINE double sum(Register x)
{
    const __m128d half = _mm256_castpd256_pd128(x) + _mm256_extractf128_pd(x, 1);
    return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
}

// Reduces all elements to one by a commutative operation.
template <class Operation> NBODY_INLINE double fold(Register x, Operation operation)
{
    x = operation(x, _mm256_permute2f128_pd(x, x, 1));
    return _mm256_cvtsd_f64(operation(x, _mm256_permute_pd(x, 0b0101)));
}
#else
NBODY_INLINE Register rsqrt_estimate(Register x) { return _mm256_rsqrt_ps(x); }
NBODY_INLINE Register recip_estimate(Register x) { return _mm256_rcp_ps(x); }

NBODY_INLINE Mask lt(U32 a, U32 b)
{
    // AVX2 compares signed integers only; inverting the sign bits keeps the order.
    const U32 sign = U32::splat(0x80000000);
    return {_mm256_cmpgt_epi32((b ^ sign).bits, (a ^ sign).bits)};
}
NBODY_INLINE Mask le(U32 a, U32 b) { return eq(U32{_mm256_min_epu32(a.bits, b.bits)}, a); }
NBODY_INLINE U32 wrapped(U32 x) { return x; }
NBODY_INLINE U32 product(U32 a, U32 b) { return {_mm256_mullo_epi32(a.bits, b.bits)}; }
// Returns the upper half of a product of 64 bits.
NBODY_INLINE U32 high(U32 a, U32 b)
{
    // The products of the elements in even and in odd places.
    const auto even = _mm256_mul_epu32(a.bits, b.bits);
    const auto odd = _mm256_mul_epu32(_mm256_srli_epi64(a.bits, 32), _mm256_srli_epi64(b.bits, 32));
    return {_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa)};
}

NBODY_INLINE Register from_integers(U32 x)
{
    // The bits of 2^23 + lo and of 2^39 + 2^16 hi, for the halves of the integer.
    const U32 lo = {_mm256_blend_epi16(x.bits, U32::splat(0x4B000000).bits, 0xAA)};
    const U32 hi = {_mm256_blend_epi16(shr(x, 16).bits, U32::splat(0x53000000).bits, 0xAA)};
    return from_bits(lo) + (from_bits(hi) - broadcast(0x1p39f + 0x1p23f));
}

NBODY_INLINE float sum(Register x)
{
    __m128 half = _mm256_castps256_ps128(x) + _mm256_extractf128_ps(x, 1);
    half = half + _mm_shuffle_ps(half, half, 0b10110001);
    return _mm_cvtss_f32(half) + _mm_cvtss_f32(_mm_movehl_ps(half, half));
}

template <class Operation> NBODY_INLINE float fold(Register x, Operation operation)
{
    x = operation(x, _mm256_permute2f128_ps(x, x, 1));
    x = operation(x, _mm256_permute_ps(x, 0b01001110));
    return _mm256_cvtss_f32(operation(x, _mm256_permute_ps(x, 0b10110001)));
}
#endif

} // namespace level

} // namespace nbody
