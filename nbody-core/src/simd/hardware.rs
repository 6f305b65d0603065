//! What a processor offers besides the operations of every vector library: its estimates of
//! reciprocals and of reciprocal square roots.
#![allow(unsafe_code)]

#[cfg(target_arch = "aarch64")]
use fearless_simd::aarch64::Neon;
use fearless_simd::prelude::*;
#[cfg(target_arch = "x86_64")]
use fearless_simd::x86::{Avx2, Avx512, Sse4_2};

/// A set of vector instructions.
///
/// The types of this module's vectors are private to the crate and are named only where
/// [`SimdLevel`](crate::SimdLevel) has found the instructions, which is why [`here`](Self::here)
/// needs no proof of it.
pub trait Hardware: Simd {
    /// How many vectors its registers hold.
    const REGISTERS: usize;
    /// Whether the smaller of what is not a number and a number is the number, for
    /// [`SimdBase::min`] with the number last.
    const MIN_SKIPS_NAN: bool = cfg!(target_arch = "x86_64");
    /// Whether a product and a sum round once.
    const FUSES: bool = true;
    /// How many terms of a series refine the estimates to the precision of their type.
    const TERMS_F32: usize;
    /// The same for `f64`; 0 where there are none.
    const TERMS_F64: usize = 0;

    /// The proof that the processor has these instructions.
    fn here() -> Self;
    /// About 1/√x.
    fn rsqrt_f32(x: Self::f32s) -> Self::f32s;
    /// About 1/x.
    fn recip_f32(x: Self::f32s) -> Self::f32s;
    /// About 1/√x.
    #[inline(always)]
    fn rsqrt_f64(x: Self::f64s) -> Self::f64s {
        x
    }
    /// About 1/x.
    #[inline(always)]
    fn recip_f64(x: Self::f64s) -> Self::f64s {
        x
    }
}

/// A function of one vector that is one instruction.
macro_rules! instruction {
    ($level:ident: $instruction:ident($x:ident: $vector:ident)) => {{
        #[cfg(target_arch = "aarch64")]
        use core::arch::aarch64::{$instruction, $vector};
        #[cfg(target_arch = "x86_64")]
        use core::arch::x86_64::{$instruction, $vector};
        fearless_simd::kernel!(
            #[inline(always)]
            fn estimate(_level: $level, x: $vector) -> $vector {
                $instruction(x)
            }
        );
        estimate($level::here(), $x.into()).simd_into($level::here())
    }};
}

/// Where `here` is called the instructions are there: see [`Hardware`].
macro_rules! here {
    ($level:ident) => {
        #[inline(always)]
        fn here() -> Self {
            // SAFETY: only code that `SimdLevel` dispatched to names vectors of this level, and
            // that is after the processor was found to have it.
            unsafe { $level::assume_supported() }
        }
    };
}

/// Estimates of 14 bits in both precisions.
#[cfg(target_arch = "x86_64")]
impl Hardware for Avx512 {
    const REGISTERS: usize = 32;
    const TERMS_F32: usize = 1;
    const TERMS_F64: usize = 3;
    here!(Avx512);
    #[inline(always)]
    fn rsqrt_f32(x: Self::f32s) -> Self::f32s {
        instruction!(Avx512: _mm512_rsqrt14_ps(x: __m512))
    }
    #[inline(always)]
    fn recip_f32(x: Self::f32s) -> Self::f32s {
        instruction!(Avx512: _mm512_rcp14_ps(x: __m512))
    }
    #[inline(always)]
    fn rsqrt_f64(x: Self::f64s) -> Self::f64s {
        instruction!(Avx512: _mm512_rsqrt14_pd(x: __m512d))
    }
    #[inline(always)]
    fn recip_f64(x: Self::f64s) -> Self::f64s {
        instruction!(Avx512: _mm512_rcp14_pd(x: __m512d))
    }
}

/// Estimates of 11 bits in `f32`.
#[cfg(target_arch = "x86_64")]
impl Hardware for Avx2 {
    const REGISTERS: usize = 16;
    const TERMS_F32: usize = 2;
    here!(Avx2);
    #[inline(always)]
    fn rsqrt_f32(x: Self::f32s) -> Self::f32s {
        instruction!(Avx2: _mm256_rsqrt_ps(x: __m256))
    }
    #[inline(always)]
    fn recip_f32(x: Self::f32s) -> Self::f32s {
        instruction!(Avx2: _mm256_rcp_ps(x: __m256))
    }
}

/// Estimates of 11 bits in `f32`.
#[cfg(target_arch = "x86_64")]
impl Hardware for Sse4_2 {
    const REGISTERS: usize = 16;
    const FUSES: bool = false;
    const TERMS_F32: usize = 2;
    here!(Sse4_2);
    #[inline(always)]
    fn rsqrt_f32(x: Self::f32s) -> Self::f32s {
        instruction!(Sse4_2: _mm_rsqrt_ps(x: __m128))
    }
    #[inline(always)]
    fn recip_f32(x: Self::f32s) -> Self::f32s {
        instruction!(Sse4_2: _mm_rcp_ps(x: __m128))
    }
}

/// Estimates of 8 bits in `f32`.
#[cfg(target_arch = "aarch64")]
impl Hardware for Neon {
    const REGISTERS: usize = 32;
    const TERMS_F32: usize = 3;
    here!(Neon);
    #[inline(always)]
    fn rsqrt_f32(x: Self::f32s) -> Self::f32s {
        instruction!(Neon: vrsqrteq_f32(x: float32x4_t))
    }
    #[inline(always)]
    fn recip_f32(x: Self::f32s) -> Self::f32s {
        instruction!(Neon: vrecpeq_f32(x: float32x4_t))
    }
}
