//! Registers of 256 bits, and fused multiply-add.
#![allow(unsafe_code, clippy::wildcard_imports)]

use std::arch::x86_64::*;
use std::ops::{Neg, Not};

use crate::numeric::simd::vector::{
    Integers, Mask, Vector, extremes, instructions, level, operators, register,
};
use crate::numeric::spline::Cubic;

level!(vectorize_avx2: "avx2" "fma" "bmi1" "bmi2" "lzcnt" "popcnt");

register!(Bits(__m256i): BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256,
    BitXor bitxor _mm256_xor_si256);

impl Not for Bits {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        self ^ Self::splat(true)
    }
}

/// A mask of all bits of each element, set or not.
impl Mask for Bits {
    instructions! {
        fn splat(value: bool) -> Self { Self(_mm256_set1_epi32(-i32::from(value))) }
    }
    #[inline(always)]
    fn any(self) -> bool {
        highest_bits(self) != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        highest_bits(self) == 0xFF
    }
}

instructions! {
    fn highest_bits(mask: Bits) -> i32 { _mm256_movemask_ps(_mm256_castsi256_ps(mask.0)) }
}

register!(U32s(__m256i): Add add _mm256_add_epi32, Sub sub _mm256_sub_epi32,
    BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256, BitXor bitxor _mm256_xor_si256);

impl Integers for U32s {
    type Mask = Bits;
    const WIDTH: usize = 8;

    instructions! {
        fn splat(value: u32) -> Self { Self(_mm256_set1_epi32(value.cast_signed())) }
        fn first(x: Self) -> u32 { _mm256_cvtsi256_si32(x.0).cast_unsigned() }
        fn product(a: Self, b: Self) -> Self { Self(_mm256_mullo_epi32(a.0, b.0)) }
        fn high(a: Self, b: Self) -> Self {
            // The products of the elements in even and in odd places.
            let even = _mm256_mul_epu32(a.0, b.0);
            let odd = _mm256_mul_epu32(_mm256_srli_epi64::<32>(a.0), _mm256_srli_epi64::<32>(b.0));
            Self(_mm256_blend_epi32::<0xAA>(_mm256_srli_epi64::<32>(even), odd))
        }
        fn shl(x: Self, bits: u32) -> Self {
            Self(_mm256_sll_epi32(x.0, _mm_cvtsi32_si128(bits.cast_signed())))
        }
        fn shr(x: Self, bits: u32) -> Self {
            Self(_mm256_srl_epi32(x.0, _mm_cvtsi32_si128(bits.cast_signed())))
        }
        fn shl_each(x: Self, bits: Self) -> Self { Self(_mm256_sllv_epi32(x.0, bits.0)) }
        fn shr_each(x: Self, bits: Self) -> Self { Self(_mm256_srlv_epi32(x.0, bits.0)) }
        fn lt(a: Self, b: Self) -> Bits {
            // AVX2 compares signed integers only; inverting the sign bits keeps the order.
            let sign = _mm256_set1_epi32(i32::MIN);
            Bits(_mm256_cmpgt_epi32(_mm256_xor_si256(b.0, sign), _mm256_xor_si256(a.0, sign)))
        }
        fn le(a: Self, b: Self) -> Bits {
            Bits(_mm256_cmpeq_epi32(_mm256_min_epu32(a.0, b.0), a.0))
        }
        fn eq(a: Self, b: Self) -> Bits { Bits(_mm256_cmpeq_epi32(a.0, b.0)) }
        fn select(mask: Bits, yes: Self, no: Self) -> Self {
            Self(_mm256_blendv_epi8(no.0, yes.0, mask.0))
        }
    }
}

register!(U64s(__m256i): Add add _mm256_add_epi64, Sub sub _mm256_sub_epi64,
    BitAnd bitand _mm256_and_si256, BitOr bitor _mm256_or_si256, BitXor bitxor _mm256_xor_si256);

impl Integers for U64s {
    type Mask = Bits;
    const WIDTH: usize = 4;

    #[inline(always)]
    fn wrapped(x: Self) -> Self {
        x & Self::splat(u32::MAX)
    }

    instructions! {
        fn splat(value: u32) -> Self { Self(_mm256_set1_epi64x(value.into())) }
        fn first(x: Self) -> u32 { _mm256_cvtsi256_si32(x.0).cast_unsigned() }
        fn product(a: Self, b: Self) -> Self { Self(_mm256_mul_epu32(a.0, b.0)) }
        fn high(a: Self, b: Self) -> Self {
            Self(_mm256_srli_epi64::<32>(_mm256_mul_epu32(a.0, b.0)))
        }
        fn shl(x: Self, bits: u32) -> Self {
            Self(_mm256_sll_epi64(x.0, _mm_cvtsi32_si128(bits.cast_signed())))
        }
        fn shr(x: Self, bits: u32) -> Self {
            Self(_mm256_srl_epi64(x.0, _mm_cvtsi32_si128(bits.cast_signed())))
        }
        fn shl_each(x: Self, bits: Self) -> Self { Self(_mm256_sllv_epi64(x.0, bits.0)) }
        fn shr_each(x: Self, bits: Self) -> Self { Self(_mm256_srlv_epi64(x.0, bits.0)) }
        fn lt(a: Self, b: Self) -> Bits { Bits(_mm256_cmpgt_epi64(b.0, a.0)) }
        fn le(a: Self, b: Self) -> Bits { !Bits(_mm256_cmpgt_epi64(a.0, b.0)) }
        fn eq(a: Self, b: Self) -> Bits { Bits(_mm256_cmpeq_epi64(a.0, b.0)) }
        fn select(mask: Bits, yes: Self, no: Self) -> Self {
            Self(_mm256_blendv_epi8(no.0, yes.0, mask.0))
        }
    }
}

register!(Single(__m256): Add add _mm256_add_ps, Sub sub _mm256_sub_ps, Mul mul _mm256_mul_ps);

impl Neg for Single {
    type Output = Self;
    instructions! {
        fn neg(self: Self) -> Self { Self(_mm256_xor_ps(self.0, _mm256_set1_ps(-0.0))) }
    }
}

impl Vector for Single {
    type Element = f32;
    type Mask = Bits;
    type Integers = U32s;
    const REGISTERS: usize = 16;
    const TERMS: usize = 2;

    instructions! {
        fn splat(value: f64) -> Self { Self(_mm256_set1_ps(value as f32)) }
        fn broadcast(element: f32) -> Self { Self(_mm256_set1_ps(element)) }
        fn lt(a: Self, b: Self) -> Bits {
            Bits(_mm256_castps_si256(_mm256_cmp_ps::<_CMP_LT_OQ>(a.0, b.0)))
        }
        fn le(a: Self, b: Self) -> Bits {
            Bits(_mm256_castps_si256(_mm256_cmp_ps::<_CMP_LE_OQ>(a.0, b.0)))
        }
        fn eq(a: Self, b: Self) -> Bits {
            Bits(_mm256_castps_si256(_mm256_cmp_ps::<_CMP_EQ_OQ>(a.0, b.0)))
        }
        fn select(mask: Bits, yes: Self, no: Self) -> Self {
            Self(_mm256_blendv_ps(no.0, yes.0, _mm256_castsi256_ps(mask.0)))
        }
        fn mul_add(a: Self, b: Self, c: Self) -> Self { Self(_mm256_fmadd_ps(a.0, b.0, c.0)) }
        fn mul_sub(a: Self, b: Self, c: Self) -> Self { Self(_mm256_fmsub_ps(a.0, b.0, c.0)) }
        fn neg_mul_add(a: Self, b: Self, c: Self) -> Self { Self(_mm256_fnmadd_ps(a.0, b.0, c.0)) }
        fn divide(a: Self, b: Self) -> Self { Self(_mm256_div_ps(a.0, b.0)) }
        fn sqrt(x: Self) -> Self { Self(_mm256_sqrt_ps(x.0)) }
        fn abs(x: Self) -> Self { Self(_mm256_andnot_ps(_mm256_set1_ps(-0.0), x.0)) }
        fn floor(x: Self) -> Self { Self(_mm256_floor_ps(x.0)) }
        fn ceil(x: Self) -> Self { Self(_mm256_ceil_ps(x.0)) }
        fn trunc(x: Self) -> Self {
            Self(_mm256_round_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn round_ties_even(x: Self) -> Self {
            Self(_mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn copysign(x: Self, sign: Self) -> Self {
            let mask = _mm256_set1_ps(-0.0);
            Self(_mm256_or_ps(_mm256_and_ps(mask, sign.0), _mm256_andnot_ps(mask, x.0)))
        }
        fn min(a: Self, b: Self) -> Self {
            // The instruction returns b if a or b is NaN.
            let b_is_nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(b.0, b.0);
            Self(_mm256_blendv_ps(_mm256_min_ps(a.0, b.0), a.0, b_is_nan))
        }
        fn max(a: Self, b: Self) -> Self {
            let b_is_nan = _mm256_cmp_ps::<_CMP_UNORD_Q>(b.0, b.0);
            Self(_mm256_blendv_ps(_mm256_max_ps(a.0, b.0), a.0, b_is_nan))
        }
        fn min_with_number(x: Self, number: Self) -> Self { Self(_mm256_min_ps(x.0, number.0)) }
        fn rsqrt_estimate(x: Self) -> Self { Self(_mm256_rsqrt_ps(x.0)) }
        fn recip_estimate(x: Self) -> Self { Self(_mm256_rcp_ps(x.0)) }
        fn cubic(cubics: &[Cubic<f32>], index: Self) -> [Self; 4] {
            let last = u32::try_from(cubics.len() - 1).unwrap_or(u32::MAX);
            let index = _mm256_cvttps_epi32(index.0);
            let index = _mm256_min_epu32(index, _mm256_set1_epi32(last.cast_signed()));
            let index: [u32; 8] = std::mem::transmute(index);
            // The cubics exist: no index is above the last one.
            let load = |k: usize| _mm_loadu_ps(cubics.as_ptr().add(index[k] as usize).cast());
            let pair = |k: usize| _mm256_set_m128(load(k + 4), load(k));
            let [r0, r1, r2, r3] = [pair(0), pair(1), pair(2), pair(3)];
            let [low, low_of_rest] = [_mm256_unpacklo_ps(r0, r1), _mm256_unpacklo_ps(r2, r3)];
            let [high, high_of_rest] = [_mm256_unpackhi_ps(r0, r1), _mm256_unpackhi_ps(r2, r3)];
            [
                Self(_mm256_shuffle_ps::<0b01_00_01_00>(low, low_of_rest)),
                Self(_mm256_shuffle_ps::<0b11_10_11_10>(low, low_of_rest)),
                Self(_mm256_shuffle_ps::<0b01_00_01_00>(high, high_of_rest)),
                Self(_mm256_shuffle_ps::<0b11_10_11_10>(high, high_of_rest)),
            ]
        }
        fn bits(x: Self) -> U32s { U32s(_mm256_castps_si256(x.0)) }
        fn from_bits(bits: U32s) -> Self { Self(_mm256_castsi256_ps(bits.0)) }
        fn from_integers(integers: U32s) -> Self {
            // The bits of 2²³ + lo and of 2³⁹ + 2¹⁶ hi, for the halves of the integer.
            let lo = _mm256_blend_epi16::<0xAA>(integers.0, _mm256_set1_epi32(0x4B00_0000));
            let hi = _mm256_srli_epi32::<16>(integers.0);
            let hi = _mm256_blend_epi16::<0xAA>(hi, _mm256_set1_epi32(0x5300_0000));
            let offset = _mm256_set1_ps(f32::from_bits(0x5300_0080)); // 2³⁹ + 2²³
            let hi = _mm256_sub_ps(_mm256_castsi256_ps(hi), offset);
            Self(_mm256_add_ps(_mm256_castsi256_ps(lo), hi))
        }
        fn sum(x: Self) -> f32 {
            let x = _mm_add_ps(_mm256_castps256_ps128(x.0), _mm256_extractf128_ps::<1>(x.0));
            let x = _mm_add_ps(x, _mm_shuffle_ps::<0b10_11_00_01>(x, x));
            _mm_cvtss_f32(_mm_add_ss(x, _mm_movehl_ps(x, x)))
        }
        fn fold(x: Self, operation: impl Fn(Self, Self) -> Self) -> f32 {
            let x = operation(x, Self(_mm256_permute2f128_ps::<1>(x.0, x.0)));
            let x = operation(x, Self(_mm256_permute_ps::<0b01_00_11_10>(x.0)));
            _mm256_cvtss_f32(operation(x, Self(_mm256_permute_ps::<0b10_11_00_01>(x.0))).0)
        }
    }

    extremes!(f32);

    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        // SAFETY: as in `instructions!`.
        unsafe { vectorize_avx2(f) }
    }
}

operators!(Single);

register!(Double(__m256d): Add add _mm256_add_pd, Sub sub _mm256_sub_pd, Mul mul _mm256_mul_pd);

impl Neg for Double {
    type Output = Self;
    instructions! {
        fn neg(self: Self) -> Self { Self(_mm256_xor_pd(self.0, _mm256_set1_pd(-0.0))) }
    }
}

impl Vector for Double {
    type Element = f64;
    type Mask = Bits;
    type Integers = U64s;
    const REGISTERS: usize = 16;

    instructions! {
        fn splat(value: f64) -> Self { Self(_mm256_set1_pd(value)) }
        fn broadcast(element: f64) -> Self { Self(_mm256_set1_pd(element)) }
        fn lt(a: Self, b: Self) -> Bits {
            Bits(_mm256_castpd_si256(_mm256_cmp_pd::<_CMP_LT_OQ>(a.0, b.0)))
        }
        fn le(a: Self, b: Self) -> Bits {
            Bits(_mm256_castpd_si256(_mm256_cmp_pd::<_CMP_LE_OQ>(a.0, b.0)))
        }
        fn eq(a: Self, b: Self) -> Bits {
            Bits(_mm256_castpd_si256(_mm256_cmp_pd::<_CMP_EQ_OQ>(a.0, b.0)))
        }
        fn select(mask: Bits, yes: Self, no: Self) -> Self {
            Self(_mm256_blendv_pd(no.0, yes.0, _mm256_castsi256_pd(mask.0)))
        }
        fn mul_add(a: Self, b: Self, c: Self) -> Self { Self(_mm256_fmadd_pd(a.0, b.0, c.0)) }
        fn mul_sub(a: Self, b: Self, c: Self) -> Self { Self(_mm256_fmsub_pd(a.0, b.0, c.0)) }
        fn neg_mul_add(a: Self, b: Self, c: Self) -> Self { Self(_mm256_fnmadd_pd(a.0, b.0, c.0)) }
        fn divide(a: Self, b: Self) -> Self { Self(_mm256_div_pd(a.0, b.0)) }
        fn sqrt(x: Self) -> Self { Self(_mm256_sqrt_pd(x.0)) }
        fn abs(x: Self) -> Self { Self(_mm256_andnot_pd(_mm256_set1_pd(-0.0), x.0)) }
        fn floor(x: Self) -> Self { Self(_mm256_floor_pd(x.0)) }
        fn ceil(x: Self) -> Self { Self(_mm256_ceil_pd(x.0)) }
        fn trunc(x: Self) -> Self {
            Self(_mm256_round_pd::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn round_ties_even(x: Self) -> Self {
            Self(_mm256_round_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn copysign(x: Self, sign: Self) -> Self {
            let mask = _mm256_set1_pd(-0.0);
            Self(_mm256_or_pd(_mm256_and_pd(mask, sign.0), _mm256_andnot_pd(mask, x.0)))
        }
        fn min(a: Self, b: Self) -> Self {
            // The instruction returns b if a or b is NaN.
            let b_is_nan = _mm256_cmp_pd::<_CMP_UNORD_Q>(b.0, b.0);
            Self(_mm256_blendv_pd(_mm256_min_pd(a.0, b.0), a.0, b_is_nan))
        }
        fn max(a: Self, b: Self) -> Self {
            let b_is_nan = _mm256_cmp_pd::<_CMP_UNORD_Q>(b.0, b.0);
            Self(_mm256_blendv_pd(_mm256_max_pd(a.0, b.0), a.0, b_is_nan))
        }
        fn min_with_number(x: Self, number: Self) -> Self { Self(_mm256_min_pd(x.0, number.0)) }
        fn cubic(cubics: &[Cubic<f64>], index: Self) -> [Self; 4] {
            let last = u32::try_from(cubics.len() - 1).unwrap_or(u32::MAX);
            let index = _mm256_cvttpd_epi32(index.0);
            let index = _mm_min_epu32(index, _mm_set1_epi32(last.cast_signed()));
            let index: [u32; 4] = std::mem::transmute(index);
            // The cubics exist: no index is above the last one.
            let load = |k: usize| _mm256_loadu_pd(cubics.as_ptr().add(index[k] as usize).cast());
            let [r0, r1, r2, r3] = [load(0), load(1), load(2), load(3)];
            let [even, even_of_rest] = [_mm256_unpacklo_pd(r0, r1), _mm256_unpacklo_pd(r2, r3)];
            let [odd, odd_of_rest] = [_mm256_unpackhi_pd(r0, r1), _mm256_unpackhi_pd(r2, r3)];
            [
                Self(_mm256_permute2f128_pd::<0x20>(even, even_of_rest)),
                Self(_mm256_permute2f128_pd::<0x20>(odd, odd_of_rest)),
                Self(_mm256_permute2f128_pd::<0x31>(even, even_of_rest)),
                Self(_mm256_permute2f128_pd::<0x31>(odd, odd_of_rest)),
            ]
        }
        fn bits(x: Self) -> U64s { U64s(_mm256_castpd_si256(x.0)) }
        fn from_bits(bits: U64s) -> Self { Self(_mm256_castsi256_pd(bits.0)) }
        fn from_integers(integers: U64s) -> Self {
            // The bits of 2⁵² + the integer.
            let offset = _mm256_set1_pd(4_503_599_627_370_496.0);
            let sum = _mm256_or_pd(_mm256_castsi256_pd(integers.0), offset);
            Self(_mm256_sub_pd(sum, offset))
        }
        fn sum(x: Self) -> f64 {
            let x = _mm_add_pd(_mm256_castpd256_pd128(x.0), _mm256_extractf128_pd::<1>(x.0));
            _mm_cvtsd_f64(_mm_add_sd(x, _mm_unpackhi_pd(x, x)))
        }
        fn fold(x: Self, operation: impl Fn(Self, Self) -> Self) -> f64 {
            let x = operation(x, Self(_mm256_permute2f128_pd::<1>(x.0, x.0)));
            _mm256_cvtsd_f64(operation(x, Self(_mm256_permute_pd::<0b0101>(x.0))).0)
        }
    }

    extremes!(f64);

    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        // SAFETY: as in `instructions!`.
        unsafe { vectorize_avx2(f) }
    }
}

operators!(Double);
