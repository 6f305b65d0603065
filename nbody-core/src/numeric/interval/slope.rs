//! Bounds of the rate at which a number changes with another one.

use std::ops::Range;

use crate::numeric::interval::bounds;
use crate::numeric::interval::steps::{Function, Records, Role, Step, Value, value};
use crate::numeric::interval::values::{Integers, Interval, Truth};

/// Bounds of a value's rate of change: if one number of the records grows by x, the value changes
/// by at least `lo` x and at most `hi` x. The bounds are infinite where the rate is unknown: for
/// functions other than roots, and if the changing number may affect a condition or an integer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slope {
    pub lo: f64,
    pub hi: f64,
}

/// Returns the slope of the magnitude of a program's result with respect to one number of a
/// record.
pub(crate) fn slope(steps: &[Step], records: &Records, changing: (Role, usize)) -> Slope {
    let (values, slopes) = follow(steps, records, changing);
    let last = steps.len() - 1;
    slopes[last].of_magnitude(values[last].into())
}

/// Returns the values and the slopes of all steps.
fn follow(steps: &[Step], records: &Records, changing: (Role, usize)) -> (Vec<Value>, Vec<Slope>) {
    let (mut values, mut slopes) = (Vec::new(), Vec::new());
    for step in steps {
        slopes.push(Slope::of(step, &values, &slopes, changing));
        values.push(value(step, &values, records, existing));
    }
    (values, slopes)
}

/// Returns these indices without any beyond the end: entries there are NaN, which does not change.
fn existing(indices: Integers, count: usize) -> Range<usize> {
    let [lo, hi] = [indices.lo, indices.hi].map(|index| index as usize);
    lo.min(count)..hi.saturating_add(1).min(count)
}

/// Returns a product; 0 times infinity is 0, because a constant stays constant.
fn product(a: f64, b: f64) -> f64 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

impl Slope {
    const NONE: Self = Self { lo: 0.0, hi: 0.0 };
    const UNKNOWN: Self = Self { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    /// Returns the slope of a step's value, from earlier values and slopes.
    fn of(step: &Step, values: &[Value], slopes: &[Self], (role, number): (Role, usize)) -> Self {
        let at = |place: u16| slopes[usize::from(place)];
        let known = |place: &u16| at(*place) == Self::NONE;
        match *step {
            Step::Number(of, k) if (of, k) == (role, number) => Self { lo: 1.0, hi: 1.0 },
            Step::Index(of, k) if (of, k) == (role, number) => Self::UNKNOWN,
            Step::Real(_)
            | Step::Integer(_)
            | Step::Truth(_)
            | Step::Number(..)
            | Step::Index(..)
            | Step::Power(_, 0) => Self::NONE,
            Step::Apply(function, operands) => {
                Self::of_function(function, operands, values, slopes)
            }
            Step::Power(base, n) => {
                let x = Interval::from(values[usize::from(base)]);
                at(base).times(bounds::product(f64::from(n).into(), bounds::power(x, n - 1)))
            }
            Step::Entry(among, ref index) if known(index) => {
                let indices = existing(values[usize::from(*index)].into(), among.len());
                among[indices].iter().map(|k| at(*k)).reduce(Self::hull).unwrap_or(Self::NONE)
            }
            Step::Lookup { at, .. } if at.iter().all(known) => Self::NONE,
            Step::Unknown | Step::Entry(..) | Step::Lookup { .. } => Self::UNKNOWN,
        }
    }

    fn of_function(
        function: Function,
        operands: [u16; 3],
        values: &[Value],
        slopes: &[Self],
    ) -> Self {
        let operands = operands.map(usize::from);
        let [a, b, c] = operands;
        let x = |place: usize| Interval::from(values[place]);
        match function {
            Function::Negative => slopes[a].reversed(),
            Function::Sum | Function::RoundedSum => slopes[a].plus(slopes[b]),
            Function::Product => slopes[a].times(x(b)).plus(slopes[b].times(x(a))),
            Function::Quotient => {
                let inverse = bounds::quotient(1.0.into(), x(b));
                let of_inverse = slopes[b].reversed().times(bounds::product(inverse, inverse));
                slopes[a].times(inverse).plus(of_inverse.times(x(a)))
            }
            Function::Abs => slopes[a].of_magnitude(x(a)),
            Function::Min | Function::Max => slopes[a].hull(slopes[b]),
            Function::Sqrt => slopes[a].times(Interval::new(0.0, 0.5 / x(a).lo.max(0.0).sqrt())),
            Function::Copysign if slopes[b] == Self::NONE => slopes[a].either_way(),
            Function::Select => {
                let condition = Truth::from(values[a]);
                match (condition.may_hold, condition.may_fail) {
                    (true, false) => slopes[b],
                    (false, true) => slopes[c],
                    _ if slopes[a] == Self::NONE => slopes[b].hull(slopes[c]),
                    _ => Self::UNKNOWN,
                }
            }
            _ => {
                let operands = &operands[..function.inputs().len()];
                let is_fixed = operands.iter().all(|k| slopes[*k] == Self::NONE);
                if is_fixed { Self::NONE } else { Self::UNKNOWN }
            }
        }
    }

    fn reversed(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo }
    }

    fn plus(self, other: Self) -> Self {
        Self { lo: self.lo + other.lo, hi: self.hi + other.hi }
    }

    fn hull(self, other: Self) -> Self {
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Returns the slope times a factor within these bounds.
    fn times(self, factor: Interval) -> Self {
        let factor = if factor.may_be_nan { Interval::WHOLE } else { factor };
        let products = [self.lo, self.hi]
            .map(|slope| [factor.lo, factor.hi].map(|factor| product(slope, factor)));
        let all = products.as_flattened().iter().copied();
        Self {
            lo: all.clone().fold(f64::INFINITY, f64::min),
            hi: all.fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Returns the slope if the sign is unknown.
    fn either_way(self) -> Self {
        let most = self.hi.max(-self.lo);
        Self { lo: -most, hi: most }
    }

    /// Returns the slope of the magnitude of the number `x`.
    fn of_magnitude(self, x: Interval) -> Self {
        if x.lo >= 0.0 && !x.may_be_nan { self } else { self.either_way() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Function::*;
    use super::*;

    fn apply(function: Function, operands: &[u16]) -> Step {
        Step::Apply(function, std::array::from_fn(|k| operands.get(k).copied().unwrap_or(0)))
    }

    /// Applies an operation to numbers.
    fn number(operation: usize, [a, b, c]: [f64; 3]) -> f64 {
        match operation {
            0 => a + b,
            1 => a - b,
            2 => a * b,
            3 => a / (b.abs() + 0.5),
            4 => a.max(b),
            5 => a.min(b),
            6 => (a.abs() + 0.25).sqrt(),
            7 if b < c => a,
            7 | 10 => b,
            8 => a * a,
            9 => a * b + c,
            11 => a * a * a,
            12 => a.copysign(b),
            _ => a.abs(),
        }
    }
    const OPERATIONS: usize = 14;

    /// Returns the steps of the same operation; the first step has the place `k`.
    fn steps(operation: usize, [a, b, c]: [u16; 3], k: u16) -> Vec<Step> {
        match operation {
            0 => vec![apply(Sum, &[a, b])],
            1 => vec![apply(Negative, &[b]), apply(Sum, &[a, k])],
            2 => vec![apply(Product, &[a, b])],
            3 => {
                let size = [apply(Abs, &[b]), Step::Real(0.5), apply(Sum, &[k, k + 1])];
                [&size[..], &[apply(Quotient, &[a, k + 2])]].concat()
            }
            4 => vec![apply(Max, &[a, b])],
            5 => vec![apply(Min, &[a, b])],
            6 => {
                let size = [apply(Abs, &[a]), Step::Real(0.25), apply(Sum, &[k, k + 1])];
                [&size[..], &[apply(Sqrt, &[k + 2])]].concat()
            }
            7 => vec![apply(Less, &[b, c]), apply(Select, &[k, a, b])],
            8 => vec![Step::Power(a, 2)],
            9 => vec![apply(Product, &[a, b]), apply(RoundedSum, &[k, c])],
            10 => vec![Step::Integer(1), Step::Entry(Box::leak(Box::new([a, b, c])), k)],
            11 => vec![Step::Power(a, 3)],
            12 => vec![apply(Copysign, &[a, b])],
            _ => vec![apply(Abs, &[a])],
        }
    }

    proptest! {
        #[test]
        fn numbers_change_no_more_than_their_slopes(
            operations in prop::collection::vec((0..OPERATIONS, 0..3_usize, 0..3_usize), 1..6),
            inputs in [-2.0..2.0_f64, -2.0..2.0, -2.0..2.0],
            width in 0.0..1.0_f64, share in 0.0..1.0_f64,
        ) {
            // The first number grows.
            let by = share * width;
            let mut values = inputs;
            let mut after = [inputs[0] + by, inputs[1], inputs[2]];
            let bounds = inputs.map(|x| Interval::new(x, x + width));
            let mut program: Vec<_> = (0..3).map(|k| Step::Number(Role::J, k)).collect();
            let mut places = [0, 1, 2];
            for (k, (operation, a, b)) in operations.into_iter().enumerate() {
                let (at, of) = (k % 3, [a, b, k % 3]);
                program.extend(steps(operation, of.map(|k| places[k]), program.len() as u16));
                places[at] = program.len() as u16 - 1;
                values[at] = number(operation, of.map(|k| values[k]));
                after[at] = number(operation, of.map(|k| after[k]));
                let (found, slopes) = follow(&program, &[&[], &[], &bounds], (Role::J, 0));
                let (found, slope) = (found.last().unwrap(), slopes.last().unwrap());
                let changed = after[at] - values[at];
                let rounding = 1e-5 * (1.0 + values[at].abs() + after[at].abs());
                let found = Interval::from(*found);
                prop_assert!(found.contains(values[at]) && found.contains(after[at]));
                let (least, most) = (product(slope.lo, by), product(slope.hi, by));
                prop_assert!(
                    least - rounding <= changed && changed <= most + rounding,
                    "{changed} of {by}: {slope:?} of {operation}"
                );
            }
        }
    }

    /// Returns the slope of the last of these steps, which follow four others: a changing length,
    /// another length, 2, and -2.
    fn slope_of(behind: &[Step]) -> [f64; 2] {
        let numbers = [Step::Number(Role::I, 0), Step::Number(Role::I, 1), Step::Real(2.0)];
        let steps = [&numbers[..], &[Step::Real(-2.0)], behind].concat();
        let any = [Interval::new(0.0, f64::INFINITY); 2];
        let table = [2.0, -2.0].map(Interval::from);
        let (_, slopes) = follow(&steps, &[&table, &any, &any], (Role::I, 0));
        let slope = slopes.last().unwrap();
        [slope.lo, slope.hi]
    }

    #[test]
    fn cutoffs_of_lengths_have_their_slopes() {
        let infinite = f64::INFINITY;
        let twice = apply(Product, &[2, 4]);
        assert_eq!(slope_of(&[apply(Max, &[0, 1]), twice]), [0.0, 2.0]);
        assert_eq!(slope_of(&[apply(Sum, &[0, 1]), twice]), [2.0, 2.0]);
        let difference = [apply(Negative, &[0]), apply(Sum, &[1, 4]), apply(Abs, &[5])];
        assert_eq!(slope_of(&difference), [-1.0, 1.0]);
        assert_eq!(slope_of(&[apply(Exp, &[0])]), [-infinite, infinite]);
        assert_eq!(slope_of(&[apply(Exp, &[1])]), [0.0, 0.0]);
        // A coefficient that depends on the species, for any species.
        let species = Step::Index(Role::J, 0);
        let times = apply(Product, &[5, 0]);
        assert_eq!(slope_of(&[species, Step::Entry(&[2, 3], 4), times]), [-2.0, 2.0]);
        assert_eq!(slope_of(&[species, Step::Entry(&[0, 1], 4)]), [0.0, 1.0]);
        let looked_up =
            |kind| [kind, Step::Integer(0), Step::Lookup { first: 0, size: [1, 2], at: [5, 4] }];
        let coefficient = [&looked_up(species)[..], &[apply(Product, &[6, 0])]].concat();
        assert_eq!(slope_of(&coefficient), [-2.0, 2.0]);
        assert_eq!(slope_of(&looked_up(species)), [0.0, 0.0]);
        // The species changes.
        let own = Step::Index(Role::I, 0);
        assert_eq!(slope_of(&[own, Step::Entry(&[2, 3], 4)]), [-infinite, infinite]);
        assert_eq!(slope_of(&looked_up(own)), [-infinite, infinite]);
        let choice = [apply(Less, &[0, 2]), apply(Select, &[4, 2, 3])];
        assert_eq!(slope_of(&choice), [-infinite, infinite]);
        let of_other = [apply(Less, &[1, 2]), apply(Select, &[4, 0, 3])];
        assert_eq!(slope_of(&of_other), [0.0, 1.0]);
    }
}
