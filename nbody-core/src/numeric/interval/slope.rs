//! Bounds of the change of a number with another one.
// A slope of 0 is exact.
#![allow(clippy::float_cmp)]

use std::ops::{
    Add, AddAssign, BitAnd, BitOr, BitXor, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

use super::{Integers, Interval, Truth};
use crate::Lane;

/// Bounds of a number, and of how much it changes: if one of the numbers that it is computed from grows by x, it
/// changes by no less than `lo` and no more than `hi` times x. Where that is not known these are infinite: of
/// functions but roots, and of conditions that the other number may change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Slope {
    pub value: Interval,
    pub lo: f64,
    pub hi: f64,
}

/// A condition, and whether the other number may change it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    truth: Truth,
    changes: bool,
}

/// An integer, and whether it depends on the other number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Index {
    pub integers: Integers,
    pub changes: bool,
}

/// Returns a product; 0 times infinity is 0, since no change stays none.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

/// Returns the entries of these indices. One beyond the end is NaN, which does not change.
fn among<T>(entries: &[T], index: Integers) -> &[T] {
    let range = index.range();
    entries
        .get(*range.start()..entries.len().min(range.end().saturating_add(1)))
        .unwrap_or_default()
}

impl Slope {
    /// Returns a number that does not change.
    pub fn fixed(value: Interval) -> Self {
        Self { value, lo: 0.0, hi: 0.0 }
    }

    /// Returns a number that changes in a way that is not known.
    fn unknown(value: Interval) -> Self {
        Self { value, lo: f64::NEG_INFINITY, hi: f64::INFINITY }
    }

    fn is_fixed(self) -> bool {
        self.lo == 0.0 && self.hi == 0.0
    }

    /// Returns the changes times a factor within these bounds.
    fn times(self, factor: Interval) -> [f64; 2] {
        let factor = if factor.may_be_nan { Interval::WHOLE } else { factor };
        let products = [self.lo, self.hi]
            .map(|slope| [factor.lo, factor.hi].map(|factor| product(slope, factor)));
        let all = products.as_flattened().iter().copied();
        [all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max)]
    }

    /// Returns this value with the changes of either of two numbers.
    fn hull(value: Interval, a: Self, b: Self) -> Self {
        Self { value, lo: a.lo.min(b.lo), hi: a.hi.max(b.hi) }
    }

    /// Returns this value with the changes in either direction.
    fn either_way(self, value: Interval) -> Self {
        let most = self.hi.max(-self.lo);
        Self { value, lo: -most, hi: most }
    }

    fn unary(self, function: impl Fn(Interval) -> Interval) -> Self {
        let value = function(self.value);
        if self.is_fixed() { Self::fixed(value) } else { Self::unknown(value) }
    }

    fn binary(self, other: Self, function: impl Fn(Interval, Interval) -> Interval) -> Self {
        let value = function(self.value, other.value);
        let is_fixed = self.is_fixed() && other.is_fixed();
        if is_fixed { Self::fixed(value) } else { Self::unknown(value) }
    }

    /// Returns an entry, of which one is not known, or whether it stays the same one.
    fn any_of(entries: &[Self], changes: bool) -> Self {
        let hull = |a: Self, b: Self| Self::hull(a.value.hull(b.value), a, b);
        let found = entries.iter().copied().reduce(hull);
        let found = found.unwrap_or(Self::fixed(Interval::WHOLE));
        if changes { Self::unknown(found.value) } else { found }
    }

    fn compare(a: Self, b: Self, compare: impl Fn(Interval, Interval) -> Truth) -> Condition {
        let changes = !a.is_fixed() || !b.is_fixed();
        Condition { truth: compare(a.value, b.value), changes }
    }
}

impl Add for Slope {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let value = self.value + other.value;
        Self { value, lo: self.lo + other.lo, hi: self.hi + other.hi }
    }
}

impl Sub for Slope {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { value: self.value - other.value, ..self + -other }
    }
}

impl Mul for Slope {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let [a, b] = [self.times(other.value), other.times(self.value)];
        Self { value: self.value * other.value, lo: a[0] + b[0], hi: a[1] + b[1] }
    }
}

impl Div for Slope {
    type Output = Self;
    fn div(self, other: Self) -> Self {
        let inverse = Interval::from(1.0) / other.value;
        let [lo, hi] = (-other).times(inverse * inverse);
        Self { value: self.value / other.value, ..self * Self { value: inverse, lo, hi } }
    }
}

impl Neg for Slope {
    type Output = Self;
    fn neg(self) -> Self {
        Self { value: -self.value, lo: -self.hi, hi: -self.lo }
    }
}

macro_rules! assign {
    ($($trait:ident $method:ident $op:tt),*) => {
        $(impl $trait for Slope {
            fn $method(&mut self, other: Self) {
                *self = *self $op other;
            }
        })*
    };
}
assign!(AddAssign add_assign +, SubAssign sub_assign -, MulAssign mul_assign *, DivAssign div_assign /);

macro_rules! logic {
    ($($trait:ident $method:ident $op:tt),*) => {
        $(impl $trait for Condition {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                let changes = self.changes || other.changes;
                Self { truth: self.truth $op other.truth, changes }
            }
        }
        impl $trait for Index {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                let changes = self.changes || other.changes;
                Self { integers: self.integers $op other.integers, changes }
            }
        })*
    };
}
logic!(BitAnd bitand &, BitOr bitor |, BitXor bitxor ^);

impl Not for Condition {
    type Output = Self;
    fn not(self) -> Self {
        Self { truth: !self.truth, ..self }
    }
}

impl Index {
    fn binary(self, other: Self, operation: impl Fn(Integers, Integers) -> Integers) -> Self {
        let changes = self.changes || other.changes;
        Self { integers: operation(self.integers, other.integers), changes }
    }

    fn compare(a: Self, b: Self, compare: impl Fn(Integers, Integers) -> Truth) -> Condition {
        let changes = a.changes || b.changes;
        Condition { truth: compare(a.integers, b.integers), changes }
    }
}

macro_rules! functions {
    ($($function:ident)*) => {
        $(fn $function(self) -> Self {
            self.unary(Lane::$function)
        })*
    };
}

impl Lane for Slope {
    const ROUNDOFF: f64 = Interval::ROUNDOFF;
    type Mask = Condition;
    type U32 = Index;
    type Coordinate = ();

    fn coordinate(_: f64) {}
    fn select_coordinate(_: Condition, (): (), (): ()) {}
    fn difference((): (), (): ()) -> Self {
        Self::unknown(Interval::WHOLE)
    }
    fn nearest_difference((): (), (): (), (): (), _: Self) -> Self {
        Self::unknown(Interval::WHOLE)
    }

    fn splat(value: f64) -> Self {
        Self::fixed(Interval::splat(value))
    }
    fn splat_u32(value: u32) -> Index {
        Index { integers: Interval::splat_u32(value), changes: false }
    }
    fn splat_mask(value: bool) -> Condition {
        Condition { truth: Interval::splat_mask(value), changes: false }
    }
    fn lt(a: Self, b: Self) -> Condition {
        Self::compare(a, b, Interval::lt)
    }
    fn le(a: Self, b: Self) -> Condition {
        Self::compare(a, b, Interval::le)
    }
    fn eq(a: Self, b: Self) -> Condition {
        Self::compare(a, b, <Interval as Lane>::eq)
    }
    fn select(mask: Condition, yes: Self, no: Self) -> Self {
        mask.truth.select(yes, no, |yes, no| Self::any_of(&[yes, no], mask.changes))
    }
    fn any(mask: Condition) -> bool {
        mask.truth.may_hold
    }
    fn gather(entries: &[Self], index: Index) -> Self {
        Self::any_of(among(entries, index.integers), index.changes)
    }
    fn gather_entry<const COLUMNS: usize, const ROWS: usize>(
        table: &[[Self; COLUMNS]; ROWS],
        row: Index,
        column: Index,
    ) -> Self {
        let rows = among(table, row.integers);
        let found: Vec<_> = rows.iter().map(|entries| Self::gather(entries, column)).collect();
        Self::any_of(&found, row.changes)
    }
    fn scatter(sums: &mut [Self], index: Index, term: Self) {
        let mut values: Vec<_> = sums.iter().map(|sum| sum.value).collect();
        Interval::scatter(&mut values, index.integers, term.value);
        for (k, (sum, value)) in sums.iter_mut().zip(values).enumerate() {
            if index.changes {
                *sum = Self::unknown(value);
            } else if index.integers.range().contains(&k) {
                *sum = Self::hull(value, *sum, *sum + term);
            }
            sum.value = value;
        }
    }

    fn lt_u32(a: Index, b: Index) -> Condition {
        Index::compare(a, b, Interval::lt_u32)
    }
    fn le_u32(a: Index, b: Index) -> Condition {
        Index::compare(a, b, Interval::le_u32)
    }
    fn eq_u32(a: Index, b: Index) -> Condition {
        Index::compare(a, b, Interval::eq_u32)
    }
    fn select_u32(mask: Condition, yes: Index, no: Index) -> Index {
        let changes = yes.changes || no.changes || mask.changes;
        Index { integers: Interval::select_u32(mask.truth, yes.integers, no.integers), changes }
    }
    fn add_u32(a: Index, b: Index) -> Index {
        a.binary(b, Interval::add_u32)
    }
    fn sub_u32(a: Index, b: Index) -> Index {
        a.binary(b, Interval::sub_u32)
    }
    fn mul_u32(a: Index, b: Index) -> Index {
        a.binary(b, Interval::mul_u32)
    }
    fn from_u32(a: Index) -> Self {
        let value = Interval::from_u32(a.integers);
        if a.changes { Self::unknown(value) } else { Self::fixed(value) }
    }

    fn sqrt(self) -> Self {
        let steepest = 0.5 / self.value.lo.max(0.0).sqrt();
        let [lo, hi] = self.times(Interval::new(0.0, steepest));
        Self { value: self.value.sqrt(), lo, hi }
    }
    fn abs(self) -> Self {
        let value = self.value.abs();
        match self.value {
            Interval { lo, may_be_nan: false, .. } if lo >= 0.0 => Self { value, ..self },
            _ => self.either_way(value),
        }
    }
    fn min(self, other: Self) -> Self {
        Self::hull(self.value.min(other.value), self, other)
    }
    fn max(self, other: Self) -> Self {
        Self::hull(self.value.max(other.value), self, other)
    }
    fn of_squares(self) -> Self {
        Self { value: self.value.of_squares(), ..self }
    }
    fn powf(self, exponent: Self) -> Self {
        self.binary(exponent, Lane::powf)
    }
    fn atan2(self, x: Self) -> Self {
        self.binary(x, Lane::atan2)
    }
    fn copysign(self, sign: Self) -> Self {
        let value = self.value.copysign(sign.value);
        if sign.is_fixed() { self.either_way(value) } else { Self::unknown(value) }
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        b + self * a
    }
    functions!(cbrt exp ln sin cos tan asin acos atan sinh cosh tanh erf erfc floor ceil round round_ties_even trunc);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Computes with a number and its slope.
    fn step<L: Lane>(operation: usize, a: L, b: L, c: L) -> L {
        match operation % 12 {
            0 => a + b,
            1 => a - b,
            2 => a * b,
            3 => a / (b.abs() + L::splat(0.5)),
            4 => a.max(b),
            5 => a.min(b),
            6 => (a.abs() + L::splat(0.25)).sqrt(),
            7 => L::select(L::lt(b, c), a, b),
            8 => a.powi(2),
            9 => a.mul_add(b, c),
            10 => L::gather(&[a, b, c], L::splat_u32(1)),
            _ => a.abs(),
        }
    }

    proptest! {
        #[test]
        fn numbers_change_no_more_than_their_slopes(
            steps in proptest::collection::vec((0..12_usize, 0..3_usize, 0..3_usize), 1..6),
            inputs in [-2.0..2.0_f64, -2.0..2.0, -2.0..2.0],
            width in 0.0..1.0_f64, share in 0.0..1.0_f64,
        ) {
            // The first one grows.
            let by = share * width;
            let mut values = inputs;
            let mut after = [inputs[0] + by, inputs[1], inputs[2]];
            let mut slopes = inputs.map(|x| Slope::fixed(Interval::new(x, x + width)));
            (slopes[0].lo, slopes[0].hi) = (1.0, 1.0);
            for (k, (operation, a, b)) in steps.into_iter().enumerate() {
                let at = k % 3;
                values[at] = step(operation, values[a], values[b], values[at]);
                after[at] = step(operation, after[a], after[b], after[at]);
                slopes[at] = step(operation, slopes[a], slopes[b], slopes[at]);
                let changed = after[at] - values[at];
                let rounding = 1e-5 * (1.0 + values[at].abs() + after[at].abs());
                let Slope { lo, hi, value } = slopes[at];
                prop_assert!(value.contains(values[at]) && value.contains(after[at]));
                prop_assert!(
                    product(lo, by) - rounding <= changed && changed <= product(hi, by) + rounding,
                    "{changed} of {by}: {lo}, {hi}"
                );
            }
        }
    }

    #[test]
    fn cutoffs_of_lengths_have_their_slopes() {
        let h = |slope: f64| {
            let value = Interval::new(0.0, f64::INFINITY);
            Slope { value, lo: slope, hi: slope }
        };
        let two = Slope::splat(2.0);
        let slopes = |slope: Slope| [slope.lo, slope.hi];
        assert_eq!(slopes(two * h(1.0).max(h(0.0))), [0.0, 2.0]);
        assert_eq!(slopes(two * (h(1.0) + h(0.0))), [2.0, 2.0]);
        assert_eq!(slopes((h(0.0) - h(1.0)).abs()), [-1.0, 1.0]);
        let infinite = f64::INFINITY;
        assert_eq!(slopes(h(1.0).exp()), [-infinite, infinite]);
        assert_eq!(slopes(h(0.0).exp()), [0.0, 0.0]);
        let of_species = Slope::gather(
            &[two, -two],
            Index { integers: Integers { lo: 0, hi: 9 }, changes: false },
        );
        assert_eq!(slopes(of_species * h(1.0)), [-2.0, 2.0]);
        let condition = Slope::lt(h(1.0), two);
        assert_eq!(slopes(Slope::select(condition, two, -two)), [-infinite, infinite]);
    }
}
