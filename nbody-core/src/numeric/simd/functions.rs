//! Exponentials, logarithms, powers, trigonometric and error functions of vectors.
//!
//! Arguments are reduced to a small range, in which the polynomials of `fits` approximate the
//! functions. The tests list the largest errors.

use crate::numeric::lane::Lane;
use crate::numeric::scalar::Scalar;
use crate::numeric::simd::fits::{
    ATAN, CBRT, CBRT_2, COS, ERF, ERFC, EXP, Fit, HALF_PI, LARGEST_ANGLE, LN, LN_2, LN_TAIL, SIN,
    SINH, TANH, THIRD_LO,
};
use crate::numeric::simd::lanes::{LINE, Word};
use crate::numeric::simd::vector::{Integers, Vector, read, write};

/// Functions without an instruction.
pub trait Functions: Vector {
    const SINGLE: bool = size_of::<Self::Element>() == 4;
    /// Index of the precision in pairs of constants.
    const PRECISION: usize = if const { Self::SINGLE } { 0 } else { 1 };
    /// Number of bits in the fraction of a number.
    const FRACTION: u32 = if const { Self::SINGLE } { 23 } else { 52 };

    /// Returns results for angles in the range of [`reduced_sin_cos`](Self::reduced_sin_cos), and
    /// the function of scalars for others. No element depends on another one.
    #[inline(always)]
    fn in_range_or(self, results: Self, function: fn(Self::Element) -> Self::Element) -> Self {
        if self.are_reducible() { results } else { self.each_beyond_range(results, function) }
    }

    #[cold]
    #[inline(never)]
    fn each_beyond_range(
        self,
        results: Self,
        function: fn(Self::Element) -> Self::Element,
    ) -> Self {
        let largest = Self::Element::from_f64(LARGEST_ANGLE[Self::PRECISION]);
        let [mut angles, mut found] = [[Word::<Self>::default(); LINE]; 2];
        write(&mut angles, self);
        write(&mut found, results);
        for (angle, found) in angles.into_iter().zip(&mut found) {
            let angle = Self::Element::from_word(angle);
            if !Lane::le(angle.abs(), largest) {
                *found = function(angle).to_word();
            }
        }
        read(&found, 0)
    }

    #[inline(always)]
    fn polynomial<const N: usize, const M: usize>(self, fit: &Fit<N, M>) -> Self {
        if const { Self::SINGLE } { self.horner(&fit.single) } else { self.horner(&fit.double) }
    }

    #[inline(always)]
    fn horner<const N: usize>(self, coefficients: &[f64; N]) -> Self {
        let mut sum = Self::splat(coefficients[N - 1]);
        for k in (0..N - 1).rev() {
            sum = Self::splat(coefficients[k]).plus_product(sum, self);
        }
        sum
    }

    /// Returns a number whose sum with a small integer has the integer in its last bits.
    #[inline(always)]
    fn shift() -> Self {
        Self::splat(1.5 * (1_u64 << Self::FRACTION) as f64)
    }

    /// Returns the nearest integer to a small number, and its last bits.
    #[inline(always)]
    fn nearest(self) -> (Self, Self::Integers) {
        let sum = self + Self::shift();
        (sum - Self::shift(), Self::bits(sum))
    }

    /// Computes 2ⁿ of an integer n in the range of the exponents of normal numbers.
    #[inline(always)]
    fn power_of_two(self) -> Self {
        let bits = Integers::shl(Self::bits(self + Self::shift()), Self::FRACTION);
        Self::from_bits(bits + Self::bits(Self::splat(1.0)))
    }

    /// Propagates NaN: returns `self` where it is NaN, and `result` elsewhere.
    #[inline(always)]
    fn unless_nan(self, result: Self) -> Self {
        Self::select(Lane::eq(self, self), result, self)
    }

    /// Computes 2ᵏ e^(x + rest) for a small rest and k = 0 or -1.
    #[inline(always)]
    fn exp_plus(self, rest: Self, k: f64) -> Self {
        // Beyond these bounds the result is zero or infinite.
        let [least, most] = if const { Self::SINGLE } { [-104.0, 90.0] } else { [-746.0, 711.0] };
        let x = self.max(Self::splat(least)).min(Self::splat(most));
        let (n, _) = (x * Self::splat(std::f64::consts::LOG2_E)).nearest();
        let [hi, lo] = LN_2[Self::PRECISION].map(Self::splat);
        let r = x.minus_product(n, hi).minus_product(n, lo) + rest;
        let power = Self::splat(1.0) + r.plus_product(r * r, r.polynomial(&EXP));
        // In two factors, since 2ⁿ may overflow or underflow where the result does not.
        let (half, _) = (n * Self::splat(0.5)).nearest();
        let other = n - half + Self::splat(k);
        self.unless_nan(power * half.power_of_two() * other.power_of_two())
    }

    #[inline(always)]
    fn exp_of(self) -> Self {
        self.exp_plus(Self::splat(0.0), 0.0)
    }

    /// Returns e and m of x = 2ᵉ m with √½ ≤ m < √2, for finite x > 0.
    #[inline(always)]
    fn exponent_and_fraction(self) -> (Self, Self) {
        let (one, half) = (Self::bits(Self::splat(1.0)), std::f64::consts::FRAC_1_SQRT_2);
        let half = Self::bits(Self::splat(half));
        let smallest =
            if const { Self::SINGLE } { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE };
        let tiny = Lane::lt(self, Self::splat(smallest));
        let scale = Self::splat((1_u64 << Self::FRACTION) as f64 * 4.0);
        let x = Self::select(tiny, self * scale, self);
        let bits = Self::bits(x) - half + one;
        let bias = Self::splat(if const { Self::SINGLE } { 127.0 } else { 1023.0 });
        let scaled = Self::splat(f64::from(Self::FRACTION + 2));
        let e = Self::from_integers(Integers::shr(bits, Self::FRACTION)) - bias;
        let e = Self::select(tiny, e - scaled, e);
        let fraction = Self::bits(Self::splat(2.0)) - one - Self::unit();
        (e, Self::from_bits((bits & fraction) + half))
    }

    #[inline(always)]
    fn ln_of(self) -> Self {
        let x = self;
        let (e, m) = x.exponent_and_fraction();
        // ln m = f - (f²/2 - s (f²/2 + R)), with s = f / (2 + f).
        let f = m - Self::splat(1.0);
        let s = f / (Self::splat(2.0) + f);
        let z = s * s;
        let square = Self::splat(0.5) * f * f;
        let rest = z * z.polynomial(&LN);
        let [hi, lo] = LN_2[Self::PRECISION].map(Self::splat);
        let ln = f - (square - (e * lo).plus_product(s, square + rest));
        let ln = ln.plus_product(e, hi);
        let infinity = Self::splat(f64::INFINITY);
        let ln = Self::select(Lane::eq(x, infinity), x, ln);
        let zero = Self::splat(0.0);
        let ln = Self::select(Lane::eq(x, zero), -infinity, ln);
        let ln = Self::select(Lane::lt(x, zero), Self::splat(f64::NAN), ln);
        self.unless_nan(ln)
    }

    /// Computes ln x as hi + lo, for finite x > 0.
    #[inline(always)]
    fn ln_hi_lo(self) -> (Self, Self) {
        let (e, m) = self.exponent_and_fraction();
        let two = Self::splat(2.0);
        // s = f / (2 + f), as in `ln_of`.
        let f = m - Self::splat(1.0);
        let d = two + f;
        let d_lo = f - (d - two);
        let s = f / d;
        let s_lo = (f.minus_product(s, d) - s * d_lo) / d;
        let z = s * s;
        let z_lo = s.times_minus(s, z).plus_product(two * s, s_lo);
        // p = s²/3 + ..., and ln m = 2 (s + s p).
        let third = Self::splat(1.0 / 3.0);
        let tail = z * z.polynomial(&LN_TAIL);
        let c = third + tail;
        let c_lo = (third - c) + tail + Self::splat(THIRD_LO[Self::PRECISION]);
        let p = z * c;
        let p_lo = z.times_minus(c, p).plus_product(z, c_lo).plus_product(z_lo, c);
        let product = s * p;
        let product_lo = s.times_minus(p, product).plus_product(s, p_lo).plus_product(s_lo, p);
        let half = s + product;
        let half_lo = (s - half) + product + (product_lo + s_lo);
        let [hi, lo] = LN_2[Self::PRECISION].map(Self::splat);
        let ln_2 = e * hi;
        let ln = ln_2.plus_product(two, half);
        let rest = (ln_2 - ln).plus_product(two, half);
        (ln, rest.plus_product(two, half_lo).plus_product(e, lo))
    }

    /// Computes x to the power y, with the special values of C99.
    #[inline(always)]
    fn powf_of(self, y: Self) -> Self {
        let x = self.abs();
        let [zero, one, infinity] = [0.0, 1.0, f64::INFINITY].map(Self::splat);
        let (ln, rest) = x.ln_hi_lo();
        let ln = Self::select(Lane::eq(x, zero), -infinity, ln);
        let ln = Self::select(Lane::eq(x, infinity), infinity, ln);
        let power = ln * y;
        let rest = ln.times_minus(y, power).plus_product(rest, y);
        // Beyond this the result is zero or infinite, and the rest may be NaN.
        let rest = Self::select(Lane::lt(power.abs(), Self::splat(1e4)), rest, zero);
        let power = power.exp_plus(rest, 0.0);
        let half = y * Self::splat(0.5);
        let is_integer = Lane::eq(y.trunc(), y);
        let is_odd = is_integer & !Lane::eq(half.trunc(), half);
        let power = Self::select(is_odd, power.copysign(self), power);
        let is_undefined = Lane::lt(self, zero) & Lane::lt(x, infinity) & !is_integer;
        let power = self.unless_nan(Self::select(is_undefined, Self::splat(f64::NAN), power));
        let is_one = Lane::eq(x, one) & Lane::eq(y.abs(), infinity);
        let is_one = is_one | Lane::eq(self, one) | Lane::eq(y, zero);
        Self::select(is_one, one, power)
    }

    #[inline(always)]
    fn cbrt_of(self) -> Self {
        let x = self.abs();
        let (e, m) = x.exponent_and_fraction();
        let (third, _) = (e * Self::splat(1.0 / 3.0)).nearest();
        let rest = e.minus_product(third, Self::splat(3.0));
        let zero = Self::splat(0.0);
        let by_sign_of_rest = |negative: f64, positive: f64| {
            let [negative, one, positive] = [negative, 1.0, positive].map(Self::splat);
            let factor = Self::select(Lane::lt(zero, rest), positive, one);
            Self::select(Lane::lt(rest, zero), negative, factor)
        };
        let cube = m * by_sign_of_rest(0.5, 2.0);
        let mut root = m.horner(&CBRT) * by_sign_of_rest(1.0 / CBRT_2, CBRT_2);
        // Steps of Newton's method.
        for _ in 0..=Self::PRECISION {
            root = root.minus_product(root - cube / (root * root), Self::splat(1.0 / 3.0));
        }
        let root = (root * third.power_of_two()).copysign(self);
        // Zeros, infinities and NaN are their own cube roots.
        let is_special = Lane::eq(x, zero) | !Lane::lt(x, Self::splat(f64::INFINITY));
        Self::select(is_special, self, root)
    }

    /// Returns integers of 1.
    #[inline(always)]
    fn unit() -> Self::Integers {
        Self::Integers::splat(1)
    }

    /// Computes the sine and the cosine of an angle minus the nearest multiple of π/2, and the
    /// last bits of this multiple.
    #[inline(always)]
    fn reduced_sin_cos(self) -> (Self, Self, Self::Integers) {
        let (n, quadrant) = (self * Self::splat(std::f64::consts::FRAC_2_PI)).nearest();
        let mut r = self;
        for part in HALF_PI[Self::PRECISION] {
            r = r.minus_product(n, Self::splat(part));
        }
        let z = r * r;
        let sin = r.plus_product(r * z, z.polynomial(&SIN));
        let cos = Self::splat(1.0).minus_product(z, Self::splat(0.5));
        (sin, cos.plus_product(z * z, z.polynomial(&COS)), quadrant)
    }

    /// Returns whether all angles are in the range of [`reduced_sin_cos`](Self::reduced_sin_cos).
    #[inline(always)]
    fn are_reducible(self) -> bool {
        let largest = Self::splat(LARGEST_ANGLE[Self::PRECISION]);
        !Self::any(!Lane::le(self.abs(), largest))
    }

    /// Returns the sine of an angle from the sine, cosine and quadrant of
    /// [`reduced_sin_cos`](Self::reduced_sin_cos).
    #[inline(always)]
    fn in_quadrant(sin: Self, cos: Self, quadrant: Self::Integers) -> Self {
        let bit = |mask: Self::Integers| Integers::eq(quadrant & mask, mask);
        let (one, two) = (Self::unit(), Self::Integers::splat(2));
        let chosen = Self::select(bit(one), cos, sin);
        Self::select(bit(two), -chosen, chosen)
    }

    #[inline(always)]
    fn sin_of(self) -> Self {
        let (sin, cos, quadrant) = self.reduced_sin_cos();
        self.in_range_or(Self::in_quadrant(sin, cos, quadrant), Lane::sin)
    }

    #[inline(always)]
    fn cos_of(self) -> Self {
        let (sin, cos, quadrant) = self.reduced_sin_cos();
        self.in_range_or(Self::in_quadrant(sin, cos, quadrant + Self::unit()), Lane::cos)
    }

    #[inline(always)]
    fn tan_of(self) -> Self {
        let (sin, cos, quadrant) = self.reduced_sin_cos();
        let odd = Integers::eq(quadrant & Self::unit(), Self::unit());
        let quotient = Self::select(odd, -cos, sin) / Self::select(odd, sin, cos);
        self.in_range_or(quotient, Lane::tan)
    }

    #[inline(always)]
    fn atan2_of(self, x: Self) -> Self {
        let [y_size, x_size] = [self.abs(), x.abs()];
        let (smaller, larger) = (y_size.min(x_size), y_size.max(x_size));
        let [zero, one] = [0.0, 1.0].map(Self::splat);
        // Both may be zero, or infinite. Uses `divide`, since estimates fail for the largest
        // numbers.
        let of_equal = Self::select(Lane::eq(larger, zero), zero, one);
        let quotient = Self::divide(smaller, larger);
        let ratio = Self::select(Lane::eq(smaller, larger), of_equal, quotient);
        let z = ratio * ratio;
        let angle = ratio.plus_product(ratio * z, z.polynomial(&ATAN));
        let [hi, ..] = HALF_PI[Self::PRECISION];
        let (hi, lo) = (Self::splat(hi), Self::splat(std::f64::consts::FRAC_PI_2 - hi));
        let is_steep = Lane::lt(x_size, y_size);
        let angle = Self::select(is_steep, hi - (angle - lo), angle);
        let is_negative = Lane::lt(one.copysign(x), zero);
        let angle = Self::select(is_negative, (hi + hi) - (angle - (lo + lo)), angle);
        self.unless_nan(x.unless_nan(angle.copysign(self)))
    }

    #[inline(always)]
    fn atan_of(self) -> Self {
        self.atan2_of(Self::splat(1.0))
    }

    /// Computes √(1 − x²), without cancellation.
    #[inline(always)]
    fn other_leg(self) -> Self {
        let one = Self::splat(1.0);
        ((one - self) * (one + self)).sqrt()
    }

    #[inline(always)]
    fn asin_of(self) -> Self {
        self.atan2_of(self.other_leg())
    }

    #[inline(always)]
    fn acos_of(self) -> Self {
        self.other_leg().atan2_of(self)
    }

    #[inline(always)]
    fn erf_of(self) -> Self {
        let x = self.abs();
        let z = x * x;
        let near = x * z.polynomial(&ERF);
        let far = Self::splat(1.0) - x.erfc_of_positive();
        let chosen = Self::select(Lane::lt(x, Self::splat(1.0)), near, far);
        self.unless_nan(chosen.copysign(self))
    }

    #[inline(always)]
    fn erfc_of(self) -> Self {
        let erfc = self.abs().erfc_of_positive();
        let negative = Lane::lt(self, Self::splat(0.0));
        self.unless_nan(Self::select(negative, Self::splat(2.0) - erfc, erfc))
    }

    #[inline(always)]
    fn erfc_of_positive(self) -> Self {
        // Beyond this the result is zero.
        let x = self.min(Self::splat(if const { Self::SINGLE } { 11.0 } else { 28.0 }));
        let two = Self::splat(2.0);
        let scaled = ((x - two) / (x + two)).polynomial(&ERFC);
        // x² = hi² + (x - hi) (x + hi), where hi² is exact: a rounding error of the exponent would
        // be a relative error of the result.
        let digits = Self::FRACTION / 2 + 1;
        let hi = Self::from_bits(Integers::shl(Integers::shr(Self::bits(x), digits), digits));
        let gauss = (-(hi * hi)).exp_plus((hi - x) * (hi + x), 0.0);
        gauss * scaled / Self::splat(1.0).plus_product(two, x)
    }

    /// Computes e^|x| / 2, which overflows where cosh x does, and e^-|x| / 2.
    #[inline(always)]
    fn half_exponentials(self) -> [Self; 2] {
        let half = self.abs().exp_plus(Self::splat(0.0), -1.0);
        [half, Self::splat(0.25) / half]
    }

    #[inline(always)]
    fn sinh_of(self) -> Self {
        let z = self * self;
        let near = self.plus_product(self * z, z.polynomial(&SINH));
        let [growing, falling] = self.half_exponentials();
        let is_near = Lane::lt(self.abs(), Self::splat(1.0));
        Self::select(is_near, near, (growing - falling).copysign(self))
    }

    #[inline(always)]
    fn cosh_of(self) -> Self {
        let [growing, falling] = self.half_exponentials();
        growing + falling
    }

    #[inline(always)]
    fn tanh_of(self) -> Self {
        let x = self.abs();
        let z = x * x;
        let near = x.plus_product(x * z, z.polynomial(&TANH));
        let one = Self::splat(1.0);
        let far = one - Self::splat(2.0) / (one + (x + x).exp_of());
        let chosen = Self::select(Lane::lt(x, Self::splat(0.55)), near, far);
        self.unless_nan(chosen.copysign(self))
    }

    /// Rounds to the nearest integer, halves away from zero.
    #[inline(always)]
    fn round_of(self) -> Self {
        let whole = self.trunc();
        let is_far = Lane::le(Self::splat(0.5), (self - whole).abs());
        let next = whole + Self::splat(1.0).copysign(self);
        Self::select(is_far, next, whole)
    }
}

impl<V: Vector> Functions for V {}
