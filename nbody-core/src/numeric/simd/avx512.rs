//! Registers of 512 bits.
#![allow(unsafe_code, clippy::wildcard_imports)]

use std::arch::x86_64::*;
use std::ops::Neg;

use crate::numeric::simd::avx2;
use crate::numeric::simd::vector::{
    Integers, Mask, Vector, extremes, instructions, level, operators, register,
};
use crate::numeric::spline::Cubic;

level!(vectorize_avx512: "avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl" "avx2" "fma" "bmi1"
    "bmi2" "lzcnt" "popcnt");

/// Implements masks of one bit per element.
macro_rules! mask {
    ($mask:ident) => {
        impl Mask for $mask {
            #[inline(always)]
            fn splat(value: bool) -> Self {
                if value { Self::MAX } else { 0 }
            }
            #[inline(always)]
            fn any(self) -> bool {
                self != 0
            }
            #[inline(always)]
            fn all(self) -> bool {
                self == Self::MAX
            }
        }
    };
}
mask!(__mmask16);
mask!(__mmask8);

register!(U32s(__m512i): Add add _mm512_add_epi32, Sub sub _mm512_sub_epi32,
    BitAnd bitand _mm512_and_si512, BitOr bitor _mm512_or_si512, BitXor bitxor _mm512_xor_si512);

impl Integers for U32s {
    type Mask = __mmask16;
    const WIDTH: usize = 16;

    instructions! {
        fn splat(value: u32) -> Self { Self(_mm512_set1_epi32(value.cast_signed())) }
        fn first(x: Self) -> u32 { _mm512_cvtsi512_si32(x.0).cast_unsigned() }
        fn product(a: Self, b: Self) -> Self { Self(_mm512_mullo_epi32(a.0, b.0)) }
        fn high(a: Self, b: Self) -> Self {
            // The products of the elements in even and in odd places.
            let even = _mm512_mul_epu32(a.0, b.0);
            let odd = _mm512_mul_epu32(_mm512_srli_epi64::<32>(a.0), _mm512_srli_epi64::<32>(b.0));
            Self(_mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64::<32>(even), odd))
        }
        fn shl(x: Self, bits: u32) -> Self {
            Self(_mm512_sll_epi32(x.0, _mm_cvtsi32_si128(bits.cast_signed())))
        }
        fn shr(x: Self, bits: u32) -> Self {
            Self(_mm512_srl_epi32(x.0, _mm_cvtsi32_si128(bits.cast_signed())))
        }
        fn shl_each(x: Self, bits: Self) -> Self { Self(_mm512_sllv_epi32(x.0, bits.0)) }
        fn shr_each(x: Self, bits: Self) -> Self { Self(_mm512_srlv_epi32(x.0, bits.0)) }
        fn lt(a: Self, b: Self) -> __mmask16 { _mm512_cmplt_epu32_mask(a.0, b.0) }
        fn le(a: Self, b: Self) -> __mmask16 { _mm512_cmple_epu32_mask(a.0, b.0) }
        fn eq(a: Self, b: Self) -> __mmask16 { _mm512_cmpeq_epu32_mask(a.0, b.0) }
        fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
            Self(_mm512_mask_blend_epi32(mask, no.0, yes.0))
        }
    }
}

register!(U64s(__m512i): Add add _mm512_add_epi64, Sub sub _mm512_sub_epi64,
    BitAnd bitand _mm512_and_si512, BitOr bitor _mm512_or_si512, BitXor bitxor _mm512_xor_si512);

impl Integers for U64s {
    type Mask = __mmask8;
    const WIDTH: usize = 8;

    #[inline(always)]
    fn wrapped(x: Self) -> Self {
        x & Self::splat(u32::MAX)
    }

    instructions! {
        fn splat(value: u32) -> Self { Self(_mm512_set1_epi64(value.into())) }
        fn first(x: Self) -> u32 { _mm512_cvtsi512_si32(x.0).cast_unsigned() }
        fn product(a: Self, b: Self) -> Self { Self(_mm512_mul_epu32(a.0, b.0)) }
        fn high(a: Self, b: Self) -> Self {
            Self(_mm512_srli_epi64::<32>(_mm512_mul_epu32(a.0, b.0)))
        }
        fn shl(x: Self, bits: u32) -> Self {
            Self(_mm512_sll_epi64(x.0, _mm_cvtsi32_si128(bits.cast_signed())))
        }
        fn shr(x: Self, bits: u32) -> Self {
            Self(_mm512_srl_epi64(x.0, _mm_cvtsi32_si128(bits.cast_signed())))
        }
        fn shl_each(x: Self, bits: Self) -> Self { Self(_mm512_sllv_epi64(x.0, bits.0)) }
        fn shr_each(x: Self, bits: Self) -> Self { Self(_mm512_srlv_epi64(x.0, bits.0)) }
        fn lt(a: Self, b: Self) -> __mmask8 { _mm512_cmplt_epu64_mask(a.0, b.0) }
        fn le(a: Self, b: Self) -> __mmask8 { _mm512_cmple_epu64_mask(a.0, b.0) }
        fn eq(a: Self, b: Self) -> __mmask8 { _mm512_cmpeq_epu64_mask(a.0, b.0) }
        fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
            Self(_mm512_mask_blend_epi64(mask, no.0, yes.0))
        }
    }
}

/// Operations of the `range` instructions: the smaller or the larger number, with its sign.
const SMALLER: i32 = 0b0100;
const LARGER: i32 = 0b0101;

register!(Single(__m512): Add add _mm512_add_ps, Sub sub _mm512_sub_ps, Mul mul _mm512_mul_ps);

impl Neg for Single {
    type Output = Self;
    instructions! {
        fn neg(self: Self) -> Self { Self(_mm512_xor_ps(self.0, _mm512_set1_ps(-0.0))) }
    }
}

impl Vector for Single {
    type Element = f32;
    type Mask = __mmask16;
    type Integers = U32s;
    const REGISTERS: usize = 32;
    const TERMS: usize = 1;
    const MASKS: bool = true;

    instructions! {
        fn splat(value: f64) -> Self { Self(_mm512_set1_ps(value as f32)) }
        fn broadcast(element: f32) -> Self { Self(_mm512_set1_ps(element)) }
        fn lt(a: Self, b: Self) -> __mmask16 { _mm512_cmp_ps_mask::<_CMP_LT_OQ>(a.0, b.0) }
        fn le(a: Self, b: Self) -> __mmask16 { _mm512_cmp_ps_mask::<_CMP_LE_OQ>(a.0, b.0) }
        fn eq(a: Self, b: Self) -> __mmask16 { _mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a.0, b.0) }
        fn select(mask: __mmask16, yes: Self, no: Self) -> Self {
            Self(_mm512_mask_blend_ps(mask, no.0, yes.0))
        }
        fn mul_add(a: Self, b: Self, c: Self) -> Self { Self(_mm512_fmadd_ps(a.0, b.0, c.0)) }
        fn mul_sub(a: Self, b: Self, c: Self) -> Self { Self(_mm512_fmsub_ps(a.0, b.0, c.0)) }
        fn neg_mul_add(a: Self, b: Self, c: Self) -> Self { Self(_mm512_fnmadd_ps(a.0, b.0, c.0)) }
        fn divide(a: Self, b: Self) -> Self { Self(_mm512_div_ps(a.0, b.0)) }
        fn sqrt(x: Self) -> Self { Self(_mm512_sqrt_ps(x.0)) }
        fn abs(x: Self) -> Self { Self(_mm512_abs_ps(x.0)) }
        fn floor(x: Self) -> Self {
            Self(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn ceil(x: Self) -> Self {
            Self(_mm512_roundscale_ps::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn trunc(x: Self) -> Self {
            Self(_mm512_roundscale_ps::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn round_ties_even(x: Self) -> Self {
            Self(_mm512_roundscale_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn copysign(x: Self, sign: Self) -> Self {
            let mask = _mm512_set1_ps(-0.0);
            Self(_mm512_or_ps(_mm512_and_ps(mask, sign.0), _mm512_andnot_ps(mask, x.0)))
        }
        fn min(a: Self, b: Self) -> Self { Self(_mm512_range_ps::<SMALLER>(a.0, b.0)) }
        fn max(a: Self, b: Self) -> Self { Self(_mm512_range_ps::<LARGER>(a.0, b.0)) }
        fn min_with_number(x: Self, number: Self) -> Self { Self(_mm512_min_ps(x.0, number.0)) }
        fn rsqrt_estimate(x: Self) -> Self { Self(_mm512_rsqrt14_ps(x.0)) }
        fn recip_estimate(x: Self) -> Self { Self(_mm512_rcp14_ps(x.0)) }
        fn cubic(cubics: &[Cubic<f32>], index: Self) -> [Self; 4] {
            let last = u32::try_from(cubics.len() - 1).unwrap_or(u32::MAX);
            let index = _mm512_cvttps_epi32(index.0);
            let index = _mm512_min_epu32(index, _mm512_set1_epi32(last.cast_signed()));
            let index: [u32; 16] = std::mem::transmute(index);
            // The cubics exist: no index is above the last one. On many processors four loads of a
            // row and a transposition are faster than gathers.
            let load = |k: usize| _mm_loadu_ps(cubics.as_ptr().add(index[k] as usize).cast());
            let four = |k: usize| {
                let two = _mm256_set_m128(load(k + 4), load(k));
                let others = _mm256_set_m128(load(k + 12), load(k + 8));
                _mm512_insertf32x8::<1>(_mm512_castps256_ps512(two), others)
            };
            let [r0, r1, r2, r3] = [four(0), four(1), four(2), four(3)];
            let [low, low_of_rest] = [_mm512_unpacklo_ps(r0, r1), _mm512_unpacklo_ps(r2, r3)];
            let [high, high_of_rest] = [_mm512_unpackhi_ps(r0, r1), _mm512_unpackhi_ps(r2, r3)];
            [
                Self(_mm512_shuffle_ps::<0b01_00_01_00>(low, low_of_rest)),
                Self(_mm512_shuffle_ps::<0b11_10_11_10>(low, low_of_rest)),
                Self(_mm512_shuffle_ps::<0b01_00_01_00>(high, high_of_rest)),
                Self(_mm512_shuffle_ps::<0b11_10_11_10>(high, high_of_rest)),
            ]
        }
        fn bits(x: Self) -> U32s { U32s(_mm512_castps_si512(x.0)) }
        fn from_bits(bits: U32s) -> Self { Self(_mm512_castsi512_ps(bits.0)) }
        fn from_integers(integers: U32s) -> Self { Self(_mm512_cvtepu32_ps(integers.0)) }
        fn sum(x: Self) -> f32 {
            let (lo, hi) = (_mm512_castps512_ps256(x.0), _mm512_extractf32x8_ps::<1>(x.0));
            avx2::Single::sum(avx2::Single(_mm256_add_ps(lo, hi)))
        }
        fn fold(x: Self, operation: impl Fn(Self, Self) -> Self) -> f32 {
            let x = operation(x, Self(_mm512_shuffle_f32x4::<0b01_00_11_10>(x.0, x.0)));
            let x = operation(x, Self(_mm512_shuffle_f32x4::<0b10_11_00_01>(x.0, x.0)));
            let x = operation(x, Self(_mm512_permute_ps::<0b01_00_11_10>(x.0)));
            _mm512_cvtss_f32(operation(x, Self(_mm512_permute_ps::<0b10_11_00_01>(x.0))).0)
        }
    }

    extremes!(f32);

    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        // SAFETY: as in `instructions!`.
        unsafe { vectorize_avx512(f) }
    }
}

operators!(Single);

register!(Double(__m512d): Add add _mm512_add_pd, Sub sub _mm512_sub_pd, Mul mul _mm512_mul_pd);

impl Neg for Double {
    type Output = Self;
    instructions! {
        fn neg(self: Self) -> Self { Self(_mm512_xor_pd(self.0, _mm512_set1_pd(-0.0))) }
    }
}

impl Vector for Double {
    type Element = f64;
    type Mask = __mmask8;
    type Integers = U64s;
    const REGISTERS: usize = 32;
    const TERMS: usize = 3;
    const MASKS: bool = true;

    instructions! {
        fn splat(value: f64) -> Self { Self(_mm512_set1_pd(value)) }
        fn broadcast(element: f64) -> Self { Self(_mm512_set1_pd(element)) }
        fn lt(a: Self, b: Self) -> __mmask8 { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(a.0, b.0) }
        fn le(a: Self, b: Self) -> __mmask8 { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(a.0, b.0) }
        fn eq(a: Self, b: Self) -> __mmask8 { _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a.0, b.0) }
        fn select(mask: __mmask8, yes: Self, no: Self) -> Self {
            Self(_mm512_mask_blend_pd(mask, no.0, yes.0))
        }
        fn mul_add(a: Self, b: Self, c: Self) -> Self { Self(_mm512_fmadd_pd(a.0, b.0, c.0)) }
        fn mul_sub(a: Self, b: Self, c: Self) -> Self { Self(_mm512_fmsub_pd(a.0, b.0, c.0)) }
        fn neg_mul_add(a: Self, b: Self, c: Self) -> Self { Self(_mm512_fnmadd_pd(a.0, b.0, c.0)) }
        fn divide(a: Self, b: Self) -> Self { Self(_mm512_div_pd(a.0, b.0)) }
        fn sqrt(x: Self) -> Self { Self(_mm512_sqrt_pd(x.0)) }
        fn abs(x: Self) -> Self { Self(_mm512_abs_pd(x.0)) }
        fn floor(x: Self) -> Self {
            Self(_mm512_roundscale_pd::<{ _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn ceil(x: Self) -> Self {
            Self(_mm512_roundscale_pd::<{ _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn trunc(x: Self) -> Self {
            Self(_mm512_roundscale_pd::<{ _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn round_ties_even(x: Self) -> Self {
            Self(_mm512_roundscale_pd::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(x.0))
        }
        fn copysign(x: Self, sign: Self) -> Self {
            let mask = _mm512_set1_pd(-0.0);
            Self(_mm512_or_pd(_mm512_and_pd(mask, sign.0), _mm512_andnot_pd(mask, x.0)))
        }
        fn min(a: Self, b: Self) -> Self { Self(_mm512_range_pd::<SMALLER>(a.0, b.0)) }
        fn max(a: Self, b: Self) -> Self { Self(_mm512_range_pd::<LARGER>(a.0, b.0)) }
        fn min_with_number(x: Self, number: Self) -> Self { Self(_mm512_min_pd(x.0, number.0)) }
        fn rsqrt_estimate(x: Self) -> Self { Self(_mm512_rsqrt14_pd(x.0)) }
        fn recip_estimate(x: Self) -> Self { Self(_mm512_rcp14_pd(x.0)) }
        fn cubic(cubics: &[Cubic<f64>], index: Self) -> [Self; 4] {
            let last = u32::try_from(cubics.len() - 1).unwrap_or(u32::MAX);
            let index = _mm512_cvttpd_epi32(index.0);
            let index = _mm256_min_epu32(index, _mm256_set1_epi32(last.cast_signed()));
            let index: [u32; 8] = std::mem::transmute(index);
            // The cubics exist: no index is above the last one.
            let load = |k: usize| _mm256_loadu_pd(cubics.as_ptr().add(index[k] as usize).cast());
            let two =
                |k: usize| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(load(k)), load(k + 2));
            let [r0, r1, r2, r3] = [two(0), two(1), two(4), two(5)];
            let [even, even_of_rest] = [_mm512_unpacklo_pd(r0, r1), _mm512_unpacklo_pd(r2, r3)];
            let [odd, odd_of_rest] = [_mm512_unpackhi_pd(r0, r1), _mm512_unpackhi_pd(r2, r3)];
            [
                Self(_mm512_shuffle_f64x2::<0b10_00_10_00>(even, even_of_rest)),
                Self(_mm512_shuffle_f64x2::<0b10_00_10_00>(odd, odd_of_rest)),
                Self(_mm512_shuffle_f64x2::<0b11_01_11_01>(even, even_of_rest)),
                Self(_mm512_shuffle_f64x2::<0b11_01_11_01>(odd, odd_of_rest)),
            ]
        }
        fn bits(x: Self) -> U64s { U64s(_mm512_castpd_si512(x.0)) }
        fn from_bits(bits: U64s) -> Self { Self(_mm512_castsi512_pd(bits.0)) }
        fn from_integers(integers: U64s) -> Self { Self(_mm512_cvtepu64_pd(integers.0)) }
        fn sum(x: Self) -> f64 {
            let (lo, hi) = (_mm512_castpd512_pd256(x.0), _mm512_extractf64x4_pd::<1>(x.0));
            avx2::Double::sum(avx2::Double(_mm256_add_pd(lo, hi)))
        }
        fn fold(x: Self, operation: impl Fn(Self, Self) -> Self) -> f64 {
            let x = operation(x, Self(_mm512_shuffle_f64x2::<0b01_00_11_10>(x.0, x.0)));
            let x = operation(x, Self(_mm512_shuffle_f64x2::<0b10_11_00_01>(x.0, x.0)));
            _mm512_cvtsd_f64(operation(x, Self(_mm512_permute_pd::<0b0101_0101>(x.0))).0)
        }
    }

    extremes!(f64);

    #[inline(always)]
    fn vectorize<R>(f: impl FnOnce() -> R) -> R {
        // SAFETY: as in `instructions!`.
        unsafe { vectorize_avx512(f) }
    }
}

operators!(Double);
