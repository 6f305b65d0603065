//! Running error bounds: numbers with a bound of their rounding error.
//!
//! The pair function runs once more on these numbers, so that a tolerance accounts for
//! cancellation in any interaction.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::numeric::accuracy::{DIVISION, FUNCTION, ROOT};
use crate::numeric::lane::Lane;
use crate::numeric::scalar::{integers_of, own_coordinates};
use crate::numeric::spline::{Cubic, piece, polynomial, scale_of};

/// A number in `f64` with its running error bound: a bound of its error in another precision, in
/// units of that precision's roundoff. To first order, each operation propagates the errors of its
/// operands and adds its own rounding error (running error analysis; Wilkinson 1986, Higham 2002,
/// section 3.3).
///
/// A result that `f32` represents exactly has no error if its operands have none, so that
/// comparisons of such numbers are certain. Every other comparison is decided as in `f64`.
///
/// `nbody-declare/cpp/bounded.hpp` has the same operations for laws from text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Bounded {
    /// The number in `f64`.
    pub value: f64,
    /// The bound of its error.
    pub error: f64,
}

impl Bounded {
    /// Returns an input with the error of rounding it once, which is 0 if it is exact in `f32`.
    pub fn given(value: f64) -> Self {
        Self::rounded(value, 0.0)
    }

    /// Returns the result of an operation that rounds to nearest.
    fn rounded(value: f64, error: f64) -> Self {
        // Exact comparison: does rounding to `f32` change the value?
        #[allow(clippy::float_cmp)]
        let exact = error == 0.0 && f64::from(value as f32) == value;
        Self { value, error: if exact { 0.0 } else { error + value.abs() } }
    }

    /// Returns the difference of two double-single coordinates; `magnitude` is the sum of their
    /// magnitudes.
    pub fn double_single_difference(value: f64, magnitude: f64) -> Self {
        let representation = 4.0 * f32::ROUNDOFF * magnitude;
        let difference = Self::rounded(value, 0.0);
        let inexact = difference.error > 0.0;
        let error = if inexact { 3.0 * value.abs() + representation } else { 0.0 };
        Self { error, ..difference }
    }

    /// Returns the result of a function with this derivative and its own error in roundoffs.
    fn function(self, value: f64, derivative: f64, roundoffs: f64) -> Self {
        let propagated = if self.error == 0.0 { 0.0 } else { derivative.abs() * self.error };
        Self { value, error: propagated + roundoffs * value.abs() }
    }

    /// Returns the result of a step function, without error.
    fn step(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    /// Returns the chosen number of two, with the larger error where their error intervals
    /// overlap, since another precision may choose the other number.
    fn chosen(chosen: Self, other: Self) -> Self {
        let near = (chosen.error + other.error) * f32::ROUNDOFF;
        let overlap = (chosen.value - other.value).abs() <= near;
        Self { error: if overlap { chosen.error.max(other.error) } else { chosen.error }, ..chosen }
    }
}

impl Add for Bounded {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::rounded(self.value + other.value, self.error + other.error)
    }
}

impl Sub for Bounded {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Bounded {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let error = self.value.abs() * other.error + other.value.abs() * self.error;
        Self::rounded(self.value * other.value, error)
    }
}

impl Div for Bounded {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let value = self.value / other.value;
        let propagated = (self.error + value.abs() * other.error) / other.value.abs();
        Self { value, error: propagated + DIVISION * value.abs() }
    }
}

impl Neg for Bounded {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, ..self }
    }
}

macro_rules! assign {
    ($($trait:ident $method:ident $op:tt),*) => {
        $(impl $trait for Bounded {
            fn $method(&mut self, other: Self) {
                *self = *self $op other;
            }
        })*
    };
}
assign!(AddAssign add_assign +, SubAssign sub_assign -, MulAssign mul_assign *, DivAssign div_assign /);

impl Lane for Bounded {
    const ROUNDOFF: f64 = f64::ROUNDOFF;
    type Mask = bool;
    type U32 = u32;

    own_coordinates!();

    integers_of!(f64);

    fn splat(value: f64) -> Self {
        Self::given(value)
    }
    fn lt(a: Self, b: Self) -> bool {
        a.value < b.value
    }
    fn le(a: Self, b: Self) -> bool {
        a.value <= b.value
    }
    fn eq(a: Self, b: Self) -> bool {
        <f64 as Lane>::eq(a.value, b.value)
    }
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    type Element = Self;
    fn of_element(number: Self) -> Self {
        number
    }
    fn to_element(self) -> Self {
        self
    }
    fn cubic(cubics: &[Cubic<Self>], index: Self) -> [Self; 4] {
        cubics[(Self::to_u32(index) as usize).min(cubics.len() - 1)]
    }
    /// In another precision a point near a knot may be in the neighbouring piece.
    fn spline<const ORDER: u32>(cubics: &[Cubic<Self>], x: Self) -> Self {
        let [scale, pieces @ ..] = cubics else { unreachable!("a spline has cubics") };
        let (last, scale) = (pieces.len() - 1, scale_of(scale));
        let [k, u] = piece(scale, last, x);
        let value =
            |k: Self, u: Self| polynomial::<Self, ORDER>(scale[1], Self::cubic(pieces, k), u);
        let found = value(k, u);
        let near = u.error * f32::ROUNDOFF;
        let step = if u.value <= near && k.value > 0.0 {
            -1.0
        } else if u.value >= 1.0 - near && k.value < last as f64 {
            1.0
        } else {
            return found;
        };
        let step = Self::step(step);
        let other = value(k + step, u - step);
        let apart = (other.value - found.value).abs() / f32::ROUNDOFF;
        Self { error: found.error.max(other.error + apart), ..found }
    }
    fn spline_of<const ORDER: u32>(
        cubics: &[Cubic<Self>],
        each: usize,
        index: u32,
        x: Self,
    ) -> Self {
        match cubics.chunks_exact(each).nth(index as usize) {
            Some(one) => Self::spline::<ORDER>(one, x),
            None => Self { value: f64::NAN, error: 0.0 },
        }
    }
    fn gather(entries: &[Self], index: u32) -> Self {
        entries.get(index as usize).copied().unwrap_or(Self { value: f64::NAN, error: 0.0 })
    }
    fn scatter(sums: &mut [Self], index: u32, term: Self) {
        if let Some(sum) = sums.get_mut(index as usize) {
            *sum += term;
        }
    }
    fn scatter_u32(counts: &mut [u32], index: u32, term: u32) {
        if let Some(count) = counts.get_mut(index as usize) {
            *count = count.wrapping_add(term);
        }
    }
    fn from_u32(a: u32) -> Self {
        Self::given(a.into())
    }
    fn to_u32(a: Self) -> u32 {
        f64::to_u32(a.value)
    }

    fn sqrt(self) -> Self {
        let value = self.value.sqrt();
        // Near zero, where the derivative diverges, the root of the error is a smaller bound.
        let near_zero = (self.error / f32::ROUNDOFF).sqrt();
        let root = self.function(value, 0.5 / value, ROOT);
        Self { error: root.error.min(near_zero + ROOT * value), ..root }
    }
    fn powf(self, exponent: Self) -> Self {
        let value = self.value.powf(exponent.value);
        let base = self.function(value, exponent.value * value / self.value, FUNCTION);
        let exponent = exponent.function(0.0, value * self.value.ln(), 0.0);
        Self { value, error: base.error + exponent.error }
    }
    fn cbrt(self) -> Self {
        let value = self.value.cbrt();
        self.function(value, 1.0 / (3.0 * value * value), FUNCTION)
    }
    fn exp(self) -> Self {
        let value = self.value.exp();
        self.function(value, value, FUNCTION)
    }
    fn ln(self) -> Self {
        self.function(self.value.ln(), self.value.recip(), FUNCTION)
    }
    fn sin(self) -> Self {
        self.function(self.value.sin(), self.value.cos(), FUNCTION)
    }
    fn cos(self) -> Self {
        self.function(self.value.cos(), self.value.sin(), FUNCTION)
    }
    fn tan(self) -> Self {
        // A quotient of a sine and a cosine.
        let value = self.value.tan();
        self.function(value, 1.0 + value * value, 2.0 * FUNCTION)
    }
    fn asin(self) -> Self {
        let slope = (1.0 - self.value * self.value).sqrt().recip();
        self.function(self.value.asin(), slope, FUNCTION)
    }
    fn acos(self) -> Self {
        let slope = (1.0 - self.value * self.value).sqrt().recip();
        self.function(self.value.acos(), slope, FUNCTION)
    }
    fn atan(self) -> Self {
        let slope = (1.0 + self.value * self.value).recip();
        self.function(self.value.atan(), slope, FUNCTION)
    }
    fn atan2(self, x: Self) -> Self {
        let value = self.value.atan2(x.value);
        let square = self.value * self.value + x.value * x.value;
        let y = self.function(value, x.value / square, FUNCTION);
        let x = x.function(0.0, self.value / square, 0.0);
        Self { value, error: y.error + x.error }
    }
    fn sinh(self) -> Self {
        self.function(self.value.sinh(), self.value.cosh(), FUNCTION)
    }
    fn cosh(self) -> Self {
        self.function(self.value.cosh(), self.value.sinh(), FUNCTION)
    }
    fn tanh(self) -> Self {
        let value = self.value.tanh();
        self.function(value, 1.0 - value * value, FUNCTION)
    }
    fn erf(self) -> Self {
        let slope = std::f64::consts::FRAC_2_SQRT_PI * (-self.value * self.value).exp();
        self.function(Lane::erf(self.value), slope, FUNCTION)
    }
    fn erfc(self) -> Self {
        let slope = std::f64::consts::FRAC_2_SQRT_PI * (-self.value * self.value).exp();
        self.function(Lane::erfc(self.value), slope, FUNCTION)
    }
    fn abs(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }
    fn min(self, other: Self) -> Self {
        if other.value < self.value || self.value.is_nan() {
            Self::chosen(other, self)
        } else {
            Self::chosen(self, other)
        }
    }
    fn max(self, other: Self) -> Self {
        -(-self).min(-other)
    }
    fn floor(self) -> Self {
        Self::step(self.value.floor())
    }
    fn ceil(self) -> Self {
        Self::step(self.value.ceil())
    }
    fn round(self) -> Self {
        Self::step(self.value.round())
    }
    fn round_ties_even(self) -> Self {
        Self::step(self.value.round_ties_even())
    }
    fn trunc(self) -> Self {
        Self::step(self.value.trunc())
    }
    fn copysign(self, sign: Self) -> Self {
        Self { value: self.value.copysign(sign.value), ..self }
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        let error = self.value.abs() * a.error + a.value.abs() * self.error + b.error;
        Self::rounded(self.value.mul_add(a.value, b.value), error)
    }
    fn or_reordered(self, other: impl FnOnce() -> Self) -> Self {
        let other = other().error;
        Self { error: if self.error < other { other } else { self.error }, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_f32_represents_have_no_error() {
        let (x, y) = (Bounded::given(0.75), Bounded::given(3.0));
        for exact in [x + y, x - y, x * y, x.mul_add(y, x), -x, x.min(y), y.floor()] {
            assert!(exact.error == 0.0, "{exact:?}");
        }
        let inexact = Bounded::given(0.1);
        assert!((inexact.error - 0.1).abs() < 1e-16, "{inexact:?}");
    }

    /// Errors in `f32` never exceed the bounds, and reach a twentieth of them.
    #[test]
    fn bounds_hold_and_are_sharp() {
        fn terms<L: Lane>(x: f64) -> [L; 8] {
            let (x, tenth) = (L::splat(x), L::splat(0.1));
            let y = x * tenth + L::splat(0.3);
            [
                y,
                y * y - x * x,
                y / (x + tenth),
                y.sqrt(),
                (y - x).exp() - L::splat(1.0),
                (L::splat(50.0) * y).sin(),
                y.erfc() * y.ln(),
                y.powf(x).max(y.rsqrt()) - y.atan2(x),
            ]
        }
        let mut worst = [0.0_f64; 8];
        for k in 1..2000 {
            let x = f64::from(k) / 256.0;
            let (found, bounds) = (terms::<f32>(x), terms::<Bounded>(x));
            for (worst, (found, bound)) in worst.iter_mut().zip(found.into_iter().zip(bounds)) {
                let error = (f64::from(found) - bound.value).abs() / f32::ROUNDOFF;
                let ratio = if error == 0.0 { 0.0 } else { error / bound.error };
                assert!(!ratio.is_nan(), "{x}: {found} {bound:?}");
                *worst = worst.max(ratio);
            }
        }
        assert!(worst.iter().all(|worst| (0.05..=1.0).contains(worst)), "{worst:?}");
    }
}
