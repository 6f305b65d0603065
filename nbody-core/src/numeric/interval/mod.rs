//! Interval arithmetic: bounds of a number.

mod functions;
mod integers;
mod logic;
mod slope;

use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

pub use integers::Integers;
pub use logic::Truth;
pub(crate) use slope::{Index, Slope};

use super::accuracy::{DIVISION, FUNCTION, ROOT};
use crate::Lane;

/// Bounds of a number (Moore 1966). Each operation returns bounds of what any engine computes from
/// numbers within the bounds of its operands: on the host or a GPU, in `f32` or `f64`, with fast or exact
/// mathematics. So the bounds are widened by the largest rounding errors, those of `f32`.
///
/// Nothing is known of positions: their differences are the [whole line](Self::WHOLE). Of functions that
/// cutoffs hardly use, only the range is known.
///
/// `interval.cuh` has the same bounds, to the last bit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Interval {
    /// The lower bound.
    pub lo: f64,
    /// The upper bound.
    pub hi: f64,
    /// Whether it may be NaN.
    pub may_be_nan: bool,
}

/// Errors are taken for twice as large as they are known to be, which covers rounding in `f64`.
const SLACK: f64 = 2.0;
/// The error of a sum, in roundoffs of its terms: engines may sum those of a scalar product in another
/// order.
const SUM: f64 = 4.0;
/// Smaller numbers may become 0.
const TINY: f64 = f32::MIN_POSITIVE as f64;
/// Larger numbers may become infinite, and their reciprocals 0.
const LARGE: f64 = 0.25 / TINY;

/// Returns a lower bound of a number that is at least `x` but for an error.
fn below(x: f64, error: f64) -> f64 {
    let bound = if x == f64::INFINITY { x } else { x - (SLACK * error + TINY) };
    if bound < -LARGE { f64::NEG_INFINITY } else { bound }
}

/// Returns an upper bound of a number that is at most `x` but for an error.
fn above(x: f64, error: f64) -> f64 {
    -below(-x, error)
}

/// Tests whether every engine has exactly this number.
// Exact comparison: does rounding to `f32` change the value?
#[allow(clippy::float_cmp)]
fn is_exact(x: f64) -> bool {
    let rounded = x as f32;
    (rounded.is_normal() || x == 0.0) && f64::from(rounded) == x
}

/// A number.
impl From<f64> for Interval {
    fn from(x: f64) -> Self {
        Self::new(x, x)
    }
}

impl Interval {
    /// All numbers, and NaN.
    pub const WHOLE: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY, may_be_nan: true };

    /// Returns the numbers from `lo` to `hi`, or the whole line if there are none.
    pub const fn new(lo: f64, hi: f64) -> Self {
        if lo <= hi { Self { lo, hi, may_be_nan: false } } else { Self::WHOLE }
    }

    /// Returns bounds of the numbers of both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        let (lo, hi) = (self.lo.min(other.lo), self.hi.max(other.hi));
        Self { lo, hi, may_be_nan: self.may_be_nan || other.may_be_nan }
    }

    /// Tests whether this number is within the bounds.
    pub fn contains(&self, x: f64) -> bool {
        self.lo <= x && x <= self.hi || x.is_nan() && self.may_be_nan
    }

    /// Tests whether it certainly is a number, and finite.
    pub fn is_finite(&self) -> bool {
        self.lo.is_finite() && self.hi.is_finite() && !self.may_be_nan
    }

    /// Returns bounds of the numbers that engines read from memory, rounded once.
    pub(crate) fn stored(self) -> Self {
        // Most numbers of a record are not known.
        if self == Self::WHOLE {
            return self;
        }
        let rounded = Self::rounded(self.lo, self.hi, 1.0);
        let lo = if is_exact(self.lo) { self.lo } else { rounded.lo };
        let hi = if is_exact(self.hi) { self.hi } else { rounded.hi };
        Self { lo, hi, may_be_nan: self.may_be_nan || rounded.may_be_nan }
    }

    /// Returns the integers within the bounds.
    #[allow(clippy::cast_sign_loss, reason = "a cast takes the nearest integer")]
    pub(crate) fn integers(self) -> Integers {
        Integers { lo: self.lo.ceil() as u32, hi: self.hi.floor() as u32 }
    }

    /// Returns bounds of results between these two but for an error, in roundoffs. It does not change
    /// their sign.
    fn rounded(lo: f64, hi: f64, roundoffs: f64) -> Self {
        if lo.is_nan() || hi.is_nan() {
            return Self::WHOLE;
        }
        let error = |x: f64| roundoffs * f32::ROUNDOFF * x.abs();
        let (low, high) = (below(lo, error(lo)), above(hi, error(hi)));
        let low = if lo >= 0.0 { low.max(0.0) } else { low };
        let high = if hi <= 0.0 { high.min(0.0) } else { high };
        Self { lo: low, hi: high, may_be_nan: false }
    }

    /// Returns the hull of these results, each with an error.
    fn of_results(results: [f64; 4], roundoffs: f64) -> Self {
        if results.iter().any(|x| x.is_nan()) {
            return Self::WHOLE;
        }
        let lo = results.into_iter().fold(f64::INFINITY, f64::min);
        let hi = results.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self::rounded(lo, hi, roundoffs)
    }

    fn or_nan(self, may_be_nan: bool) -> Self {
        Self { may_be_nan: self.may_be_nan || may_be_nan, ..self }
    }

    fn number(self) -> Self {
        Self { may_be_nan: false, ..self }
    }

    fn is_unbounded(self) -> bool {
        self.lo == f64::NEG_INFINITY || self.hi == f64::INFINITY
    }

    /// Returns the number if there is only one, the same on every engine.
    fn exact(self) -> Option<f64> {
        // Exact comparison: the bounds of one number are the same.
        #[allow(clippy::float_cmp)]
        let is_one = self.lo == self.hi && !self.may_be_nan;
        (is_one && is_exact(self.lo)).then_some(self.lo)
    }

    /// Returns the part in the domain of a function, which is NaN elsewhere.
    fn inside(self, lo: f64, hi: f64) -> Self {
        if self.hi < lo || hi < self.lo {
            return Self::WHOLE;
        }
        let leaves = self.lo < lo || self.hi > hi;
        Self { lo: self.lo.max(lo), hi: self.hi.min(hi), ..self }.or_nan(leaves)
    }

    /// Returns the values of an increasing function.
    fn increasing(self, function: impl Fn(f64) -> f64, roundoffs: f64) -> Self {
        let values = Self::rounded(function(self.lo), function(self.hi), roundoffs);
        values.or_nan(self.may_be_nan)
    }

    /// Returns the values of a step function, which are exact.
    fn step(self, function: impl Fn(f64) -> f64) -> Self {
        Self { lo: function(self.lo), hi: function(self.hi), ..self }
    }

    /// Returns the range of a function of this number.
    fn range(self, lo: f64, hi: f64) -> Self {
        Self::rounded(lo, hi, FUNCTION).or_nan(self.may_be_nan)
    }

    /// Returns the values of a sine.
    fn wave(self) -> Self {
        self.range(-1.0, 1.0).or_nan(self.is_unbounded())
    }
}

/// Tests whether a sum in `f64` is exact: each term is its difference from the other (Dekker 1971).
#[allow(clippy::float_cmp)]
fn is_exact_sum(a: f64, b: f64) -> bool {
    let sum = a + b;
    is_exact(sum) && sum - a == b && sum - b == a
}

/// Returns bounds of a sum with rounding errors.
fn rounded_sum(a: Interval, b: Interval) -> Interval {
    let (lo, hi) = (a.lo + b.lo, a.hi + b.hi);
    if lo.is_nan() || hi.is_nan() {
        return Interval::WHOLE;
    }
    let error = |a: f64, b: f64| SUM * f32::ROUNDOFF * (a.abs() + b.abs());
    let (low, high) = (below(lo, error(a.lo, b.lo)), above(hi, error(a.hi, b.hi)));
    let lo = if a.lo >= 0.0 && b.lo >= 0.0 { low.max(0.0) } else { low };
    let hi = if a.hi <= 0.0 && b.hi <= 0.0 { high.min(0.0) } else { high };
    // Infinities of opposite sign.
    let cancels = |a: f64, b: f64| a.is_infinite() && b == -a;
    let may_be_nan = a.may_be_nan || b.may_be_nan || cancels(a.lo, b.hi) || cancels(a.hi, b.lo);
    Interval { lo, hi, may_be_nan }
}

impl Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        match (self.exact(), other.exact()) {
            (Some(a), Some(b)) if is_exact_sum(a, b) => Self::from(a + b),
            _ => rounded_sum(self, other),
        }
    }
}

impl Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        // A product of two numbers of `f32` is exact in `f64`.
        if let (Some(a), Some(b)) = (self.exact(), other.exact())
            && is_exact(a * b)
        {
            return Self::from(a * b);
        }
        let ([a, b], [c, d]) = ([self.lo, self.hi], [other.lo, other.hi]);
        let product = Self::of_results([a * c, a * d, b * c, b * d], 1.0);
        // Zero times infinity.
        let vanishes = |zero: Self, infinity: Self| zero.contains(0.0) && infinity.is_unbounded();
        let may_be_nan = vanishes(self, other) || vanishes(other, self);
        product.or_nan(may_be_nan || self.may_be_nan || other.may_be_nan)
    }
}

impl Div for Interval {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        if other.contains(0.0) {
            return Self::WHOLE;
        }
        let ([a, b], [c, d]) = ([self.lo, self.hi], [other.lo, other.hi]);
        let quotient = Self::of_results([a / c, a / d, b / c, b / d], DIVISION);
        let may_be_nan = self.is_unbounded() && other.is_unbounded();
        quotient.or_nan(may_be_nan || self.may_be_nan || other.may_be_nan)
    }
}

impl Neg for Interval {
    type Output = Self;
    fn neg(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo, ..self }
    }
}

macro_rules! assign {
    ($($trait:ident $method:ident $op:tt),*) => {
        $(impl $trait for Interval {
            fn $method(&mut self, other: Self) {
                *self = *self $op other;
            }
        })*
    };
}
assign!(AddAssign add_assign +, SubAssign sub_assign -, MulAssign mul_assign *, DivAssign div_assign /);

impl Lane for Interval {
    const ROUNDOFF: f64 = f32::ROUNDOFF;
    type Mask = Truth;
    type U32 = Integers;
    type Coordinate = ();

    fn coordinate(_: f64) {}
    fn select_coordinate(_: Truth, (): (), (): ()) {}
    fn difference((): (), (): ()) -> Self {
        Self::WHOLE
    }
    fn nearest_difference((): (), (): (), (): (), _: Self) -> Self {
        Self::WHOLE
    }

    fn splat(value: f64) -> Self {
        Self::from(value).stored()
    }
    fn splat_u32(value: u32) -> Integers {
        Integers { lo: value, hi: value }
    }
    fn splat_mask(value: bool) -> Truth {
        Truth::from(value)
    }
    fn lt(a: Self, b: Self) -> Truth {
        let may_be_nan = a.may_be_nan || b.may_be_nan;
        Truth { may_hold: a.lo < b.hi, may_fail: a.hi >= b.lo || may_be_nan }
    }
    fn le(a: Self, b: Self) -> Truth {
        let may_be_nan = a.may_be_nan || b.may_be_nan;
        Truth { may_hold: a.lo <= b.hi, may_fail: a.hi > b.lo || may_be_nan }
    }
    fn eq(a: Self, b: Self) -> Truth {
        let differs = Self::lt(a, b).may_hold || Self::lt(b, a).may_hold;
        let overlaps = a.lo <= b.hi && b.lo <= a.hi;
        Truth { may_hold: overlaps, may_fail: differs || a.may_be_nan || b.may_be_nan }
    }
    fn select(mask: Truth, yes: Self, no: Self) -> Self {
        mask.select(yes, no, Self::hull)
    }
    fn any(mask: Truth) -> bool {
        mask.may_hold
    }
    fn gather(entries: &[Self], index: Integers) -> Self {
        let found = entries.get(index.range()).unwrap_or_default();
        found.iter().copied().reduce(Self::hull).unwrap_or(Self::WHOLE)
    }
    fn gather_entry<const COLUMNS: usize, const ROWS: usize>(
        table: &[[Self; COLUMNS]; ROWS],
        row: Integers,
        column: Integers,
    ) -> Self {
        let rows = table.get(row.range()).unwrap_or_default();
        let found = rows.iter().map(|entries| Self::gather(entries, column));
        found.reduce(Self::hull).unwrap_or(Self::WHOLE)
    }
    fn scatter(sums: &mut [Self], index: Integers, term: Self) {
        let last = sums.len().min(*index.range().end() + 1);
        for sum in sums.get_mut(*index.range().start()..last).unwrap_or_default() {
            let more = *sum + term;
            *sum = if index.lo == index.hi { more } else { sum.hull(more) };
        }
    }

    fn lt_u32(a: Integers, b: Integers) -> Truth {
        Truth { may_hold: a.lo < b.hi, may_fail: a.hi >= b.lo }
    }
    fn le_u32(a: Integers, b: Integers) -> Truth {
        Truth { may_hold: a.lo <= b.hi, may_fail: a.hi > b.lo }
    }
    fn eq_u32(a: Integers, b: Integers) -> Truth {
        let is_one = a.lo == b.hi && a.hi == b.lo;
        Truth { may_hold: a.lo <= b.hi && b.lo <= a.hi, may_fail: !is_one }
    }
    fn select_u32(mask: Truth, yes: Integers, no: Integers) -> Integers {
        mask.select(yes, no, Integers::hull)
    }
    fn add_u32(a: Integers, b: Integers) -> Integers {
        a.combine(b, u32::wrapping_add, |a, b| {
            Some(a.lo.checked_add(b.lo)?..=a.hi.checked_add(b.hi)?)
        })
    }
    fn sub_u32(a: Integers, b: Integers) -> Integers {
        a.combine(b, u32::wrapping_sub, |a, b| {
            Some(a.lo.checked_sub(b.hi)?..=a.hi.checked_sub(b.lo)?)
        })
    }
    fn mul_u32(a: Integers, b: Integers) -> Integers {
        a.combine(b, u32::wrapping_mul, |a, b| {
            Some(a.lo.checked_mul(b.lo)?..=a.hi.checked_mul(b.hi)?)
        })
    }
    fn from_u32(a: Integers) -> Self {
        Self::new(a.lo.into(), a.hi.into()).stored()
    }

    fn plus_product(self, a: Self, b: Self) -> Self {
        // Never exact, since engines may add the products of a scalar product in another order.
        rounded_sum(self, a * b)
    }
    fn of_squares(self) -> Self {
        Self { lo: self.lo.max(0.0), ..self }
    }
    fn powi(self, n: i32) -> Self {
        // Repeated squaring of a number.
        let power = |x: f64| {
            let (mut power, factor) = (Self::from(1.0), Self::from(x));
            for bit in (0..u32::BITS - n.unsigned_abs().leading_zeros()).rev() {
                power *= power;
                if n.unsigned_abs() >> bit & 1 == 1 {
                    power *= factor;
                }
            }
            power
        };
        let base = if n % 2 == 0 { self.abs() } else { self };
        let power = Self { lo: power(base.lo).lo, hi: power(base.hi).hi, ..self };
        if n < 0 { power.recip() } else { power }
    }
    fn times_rsqrt_powi<const N: i32>(self, x: Self) -> Self {
        self * (Self::from(1.0) * x.rsqrt().powi(N))
    }
    fn powf(self, exponent: Self) -> Self {
        let ([a, b], [c, d]) = ([self.lo, self.hi], [exponent.lo, exponent.hi]);
        if a < 0.0 || a == 0.0 && c < 0.0 {
            return Self::WHOLE;
        }
        let power = functions::powf;
        // The logarithm is linear in the exponent, and in that of the base.
        let powers =
            Self::of_results([power(a, c), power(a, d), power(b, c), power(b, d)], FUNCTION);
        powers.or_nan(self.may_be_nan || exponent.may_be_nan)
    }
    fn sqrt(self) -> Self {
        self.inside(0.0, f64::INFINITY).increasing(f64::sqrt, ROOT)
    }
    fn cbrt(self) -> Self {
        self.increasing(functions::cbrt, FUNCTION)
    }
    fn exp(self) -> Self {
        self.increasing(functions::exp, FUNCTION)
    }
    fn ln(self) -> Self {
        self.inside(0.0, f64::INFINITY).increasing(functions::ln, FUNCTION)
    }
    fn sin(self) -> Self {
        self.wave()
    }
    fn cos(self) -> Self {
        self.wave()
    }
    fn tan(self) -> Self {
        Self::WHOLE
    }
    fn asin(self) -> Self {
        self.inside(-1.0, 1.0).range(-FRAC_PI_2, FRAC_PI_2)
    }
    fn acos(self) -> Self {
        self.inside(-1.0, 1.0).range(0.0, PI)
    }
    fn atan(self) -> Self {
        self.range(-FRAC_PI_2, FRAC_PI_2)
    }
    fn atan2(self, x: Self) -> Self {
        self.range(-PI, PI).or_nan(x.may_be_nan)
    }
    fn sinh(self) -> Self {
        self.increasing(functions::sinh, FUNCTION)
    }
    fn cosh(self) -> Self {
        self.abs().increasing(functions::cosh, FUNCTION)
    }
    fn tanh(self) -> Self {
        self.increasing(functions::tanh, FUNCTION)
    }
    fn erf(self) -> Self {
        self.range(-1.0, 1.0)
    }
    fn erfc(self) -> Self {
        self.range(0.0, 2.0)
    }
    fn abs(self) -> Self {
        let magnitude = if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            -self
        } else {
            Self { lo: 0.0, hi: self.hi.max(-self.lo), ..self }
        };
        Self { lo: magnitude.lo.max(0.0), ..magnitude }
    }
    fn min(self, other: Self) -> Self {
        let both = Self::new(self.lo.min(other.lo), self.hi.min(other.hi));
        // Of a number and NaN, the number.
        let alone = |nan: Self, bounds: Self, number: Self| {
            if nan.may_be_nan { bounds.hull(number.number()) } else { bounds }
        };
        let bounds = alone(other, alone(self, both, other), self);
        bounds.or_nan(self.may_be_nan && other.may_be_nan)
    }
    fn max(self, other: Self) -> Self {
        -(-self).min(-other)
    }
    fn floor(self) -> Self {
        self.step(f64::floor)
    }
    fn ceil(self) -> Self {
        self.step(f64::ceil)
    }
    fn round(self) -> Self {
        self.step(f64::round)
    }
    fn round_ties_even(self) -> Self {
        self.step(f64::round_ties_even)
    }
    fn trunc(self) -> Self {
        self.step(f64::trunc)
    }
    fn copysign(self, sign: Self) -> Self {
        let magnitude = self.abs();
        let is_negative = Truth {
            may_hold: sign.lo <= 0.0 || sign.may_be_nan,
            may_fail: sign.hi >= 0.0 || sign.may_be_nan,
        };
        Self::select(is_negative, -magnitude, magnitude)
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        b.plus_product(self, a)
    }
}

#[cfg(test)]
mod tests;
