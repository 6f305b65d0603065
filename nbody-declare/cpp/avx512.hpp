// Registers of 512 bits, and masks of one bit per element.
#pragma once

#include "x86.hpp"

// The intrinsic for masks of the lane.
#if NBODY_IS_DOUBLE
#define NBODY_K(name) name##_mask8
#else
#define NBODY_K(name) name##_mask16
#endif

namespace nbody {

struct Mask {
#if NBODY_IS_DOUBLE
    using Bits = __mmask8;
#else
    using Bits = __mmask16;
#endif
    Bits bits{};

    static NBODY_INLINE Mask splat(bool x) { return {Bits(x ? ~0 : 0)}; }
    NBODY_INLINE bool any() const { return bits != 0; }
    NBODY_INLINE bool all() const { return bits == Bits(~0); }
};
NBODY_INLINE Mask operator&(Mask a, Mask b) { return {NBODY_K(_kand)(a.bits, b.bits)}; }
NBODY_INLINE Mask operator|(Mask a, Mask b) { return {NBODY_K(_kor)(a.bits, b.bits)}; }
NBODY_INLINE Mask operator^(Mask a, Mask b) { return {NBODY_K(_kxor)(a.bits, b.bits)}; }
NBODY_INLINE Mask operator!(Mask a) { return {NBODY_K(_knot)(a.bits)}; }

// Integers as wide as the numbers. As integers of a lane they have 32 bits.
struct U32 {
    __m512i bits{};

    static NBODY_INLINE U32 splat(uint32_t x)
    {
#if NBODY_IS_DOUBLE
        return {_mm512_set1_epi64(x)};
#else
        return {_mm512_set1_epi32(int(x))};
#endif
    }
    // The first element.
    NBODY_INLINE uint32_t first() const
    {
        return uint32_t(_mm_cvtsi128_si32(_mm512_castsi512_si128(bits)));
    }
};
NBODY_INLINE U32 operator&(U32 a, U32 b) { return {_mm512_and_si512(a.bits, b.bits)}; }
NBODY_INLINE U32 operator|(U32 a, U32 b) { return {_mm512_or_si512(a.bits, b.bits)}; }
NBODY_INLINE U32 operator^(U32 a, U32 b) { return {_mm512_xor_si512(a.bits, b.bits)}; }
NBODY_INLINE U32 operator+(U32 a, U32 b) { return {NBODY_EPI(_mm512_add)(a.bits, b.bits)}; }
NBODY_INLINE U32 operator-(U32 a, U32 b) { return {NBODY_EPI(_mm512_sub)(a.bits, b.bits)}; }

namespace level {

// Number of terms of the series that refines estimates to the precision of the element.
#if NBODY_IS_DOUBLE
using Register = __m512d;
constexpr size_t TERMS = 3;
#else
using Register = __m512;
constexpr size_t TERMS = 1;
#endif
constexpr size_t REGISTERS = 32;

NBODY_INLINE Register broadcast(Element x) { return NBODY_P(_mm512_set1)(x); }
#if NBODY_IS_DOUBLE
NBODY_INLINE Mask lt(Register a, Register b) { return {_mm512_cmp_pd_mask(a, b, _CMP_LT_OQ)}; }
NBODY_INLINE Mask le(Register a, Register b) { return {_mm512_cmp_pd_mask(a, b, _CMP_LE_OQ)}; }
NBODY_INLINE Mask eq(Register a, Register b) { return {_mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ)}; }
NBODY_INLINE U32 bits(Register x) { return {_mm512_castpd_si512(x)}; }
NBODY_INLINE Register from_bits(U32 x) { return _mm512_castsi512_pd(x.bits); }
NBODY_INLINE Mask lt(U32 a, U32 b) { return {_mm512_cmplt_epu64_mask(a.bits, b.bits)}; }
NBODY_INLINE Mask le(U32 a, U32 b) { return {_mm512_cmple_epu64_mask(a.bits, b.bits)}; }
NBODY_INLINE Mask eq(U32 a, U32 b) { return {_mm512_cmpeq_epu64_mask(a.bits, b.bits)}; }
#else
NBODY_INLINE Mask lt(Register a, Register b) { return {_mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)}; }
NBODY_INLINE Mask le(Register a, Register b) { return {_mm512_cmp_ps_mask(a, b, _CMP_LE_OQ)}; }
NBODY_INLINE Mask eq(Register a, Register b) { return {_mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ)}; }
NBODY_INLINE U32 bits(Register x) { return {_mm512_castps_si512(x)}; }
NBODY_INLINE Register from_bits(U32 x) { return _mm512_castsi512_ps(x.bits); }
NBODY_INLINE Mask lt(U32 a, U32 b) { return {_mm512_cmplt_epu32_mask(a.bits, b.bits)}; }
NBODY_INLINE Mask le(U32 a, U32 b) { return {_mm512_cmple_epu32_mask(a.bits, b.bits)}; }
NBODY_INLINE Mask eq(U32 a, U32 b) { return {_mm512_cmpeq_epu32_mask(a.bits, b.bits)}; }
#endif

NBODY_INLINE Register select(Mask mask, Register yes, Register no)
{
    return NBODY_P(_mm512_mask_blend)(mask.bits, no, yes);
}
NBODY_INLINE Register plus_where(Register x, Mask mask, Register term)
{
    return NBODY_P(_mm512_mask_add)(x, mask.bits, x, term);
}
NBODY_INLINE Register minus_where(Register x, Mask mask, Register term)
{
    return NBODY_P(_mm512_mask_sub)(x, mask.bits, x, term);
}

// Computes a b + c, a b - c and c - a b with one rounding.
NBODY_INLINE Register mul_add(Register a, Register b, Register c)
{
    return NBODY_P(_mm512_fmadd)(a, b, c);
}
NBODY_INLINE Register mul_sub(Register a, Register b, Register c)
{
    return NBODY_P(_mm512_fmsub)(a, b, c);
}
NBODY_INLINE Register neg_mul_add(Register a, Register b, Register c)
{
    return NBODY_P(_mm512_fnmadd)(a, b, c);
}
NBODY_INLINE Register sqrt(Register x) { return NBODY_P(_mm512_sqrt)(x); }
NBODY_INLINE Register abs(Register x) { return NBODY_P(_mm512_andnot)(broadcast(-0.0), x); }
NBODY_INLINE Register floor(Register x)
{
    return NBODY_P(_mm512_roundscale)(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
NBODY_INLINE Register ceil(Register x)
{
    return NBODY_P(_mm512_roundscale)(x, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC);
}
NBODY_INLINE Register trunc(Register x)
{
    return NBODY_P(_mm512_roundscale)(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}
NBODY_INLINE Register round_ties_even(Register x)
{
    return NBODY_P(_mm512_roundscale)(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
NBODY_INLINE Register copysign(Register x, Register sign)
{
    const Register mask = broadcast(-0.0);
    return NBODY_P(_mm512_or)(NBODY_P(_mm512_and)(mask, sign), NBODY_P(_mm512_andnot)(mask, x));
}

// The smaller and the larger number, with its sign; if one is NaN, the other.
NBODY_INLINE Register min(Register a, Register b) { return NBODY_P(_mm512_range)(a, b, 0b0100); }
NBODY_INLINE Register max(Register a, Register b) { return NBODY_P(_mm512_range)(a, b, 0b0101); }
// Returns the smaller number; `number` if x is NaN. Only x may be NaN.
NBODY_INLINE Register min_with_number(Register x, Register number)
{
    return NBODY_P(_mm512_min)(x, number);
}
NBODY_INLINE Register rsqrt_estimate(Register x) { return NBODY_P(_mm512_rsqrt14)(x); }
NBODY_INLINE Register recip_estimate(Register x) { return NBODY_P(_mm512_rcp14)(x); }

NBODY_INLINE U32 select(Mask mask, U32 yes, U32 no)
{
    return {NBODY_EPI(_mm512_mask_blend)(mask.bits, no.bits, yes.bits)};
}
NBODY_INLINE U32 shl(U32 x, int n) { return {NBODY_EPI(_mm512_slli)(x.bits, n)}; }
NBODY_INLINE U32 shr(U32 x, int n) { return {NBODY_EPI(_mm512_srli)(x.bits, n)}; }
NBODY_INLINE U32 shl(U32 x, U32 n) { return {NBODY_EPI(_mm512_sllv)(x.bits, n.bits)}; }
NBODY_INLINE U32 shr(U32 x, U32 n) { return {NBODY_EPI(_mm512_srlv)(x.bits, n.bits)}; }

#if NBODY_IS_DOUBLE
// Reduces modulo 2^32.
NBODY_INLINE U32 wrapped(U32 x) { return x & U32::splat(~uint32_t{0}); }
NBODY_INLINE U32 product(U32 a, U32 b) { return {_mm512_mul_epu32(a.bits, b.bits)}; }
// Returns the upper half of a product of 64 bits.
NBODY_INLINE U32 high(U32 a, U32 b) { return shr(product(a, b), 32); }
NBODY_INLINE Register from_integers(U32 x) { return _mm512_cvtepu64_pd(x.bits); }

// Adds all elements pairwise.
NBODY_INLINE double sum(Register x)
{
    const __m256d quarter = _mm512_castpd512_pd256(x) + _mm512_extractf64x4_pd(x, 1);
    const __m128d half = _mm256_castpd256_pd128(quarter) + _mm256_extractf128_pd(quarter, 1);
    return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
}

// Reduces all elements to one by a commutative operation.
template <class Operation> NBODY_INLINE double fold(Register x, Operation operation)
{
    x = operation(x, _mm512_shuffle_f64x2(x, x, 0b01001110));
    x = operation(x, _mm512_shuffle_f64x2(x, x, 0b10110001));
    return _mm512_cvtsd_f64(operation(x, _mm512_permute_pd(x, 0b01010101)));
}
#else
NBODY_INLINE U32 wrapped(U32 x) { return x; }
NBODY_INLINE U32 product(U32 a, U32 b) { return {_mm512_mullo_epi32(a.bits, b.bits)}; }
// Returns the upper half of a product of 64 bits.
NBODY_INLINE U32 high(U32 a, U32 b)
{
    // The products of the elements in even and in odd places.
    const auto even = _mm512_mul_epu32(a.bits, b.bits);
    const auto odd = _mm512_mul_epu32(_mm512_srli_epi64(a.bits, 32), _mm512_srli_epi64(b.bits, 32));
    return {_mm512_mask_blend_epi32(0xaaaa, _mm512_srli_epi64(even, 32), odd)};
}
NBODY_INLINE Register from_integers(U32 x) { return _mm512_cvtepu32_ps(x.bits); }

NBODY_INLINE float sum(Register x)
{
    const __m256 quarter = _mm512_castps512_ps256(x) + _mm512_extractf32x8_ps(x, 1);
    __m128 half = _mm256_castps256_ps128(quarter) + _mm256_extractf128_ps(quarter, 1);
    half = half + _mm_shuffle_ps(half, half, 0b10110001);
    return _mm_cvtss_f32(half) + _mm_cvtss_f32(_mm_movehl_ps(half, half));
}

template <class Operation> NBODY_INLINE float fold(Register x, Operation operation)
{
    x = operation(x, _mm512_shuffle_f32x4(x, x, 0b01001110));
    x = operation(x, _mm512_shuffle_f32x4(x, x, 0b10110001));
    x = operation(x, _mm512_permute_ps(x, 0b01001110));
    return _mm512_cvtss_f32(operation(x, _mm512_permute_ps(x, 0b10110001)));
}
#endif

} // namespace level

} // namespace nbody
