//! A number with the range of `f32` and the digits of `f64`.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::numeric::bounded::Bounded;
use crate::numeric::lane::Lane;
use crate::numeric::scalar::{integers_of, own_coordinates};
use crate::numeric::spline::Cubic;

/// A number in `f64` that is infinite beyond the range of `f32`, and zero where `f32` would be
/// subnormal. It shows the effect of the range of `f32` alone on results, whatever the rounding
/// errors.
///
/// `nbody-declare/cpp/narrow.hpp` has the same operations for laws from text.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub(crate) struct Narrow(f64);

impl Narrow {
    /// Returns the number with the range of `f32`.
    pub fn new(value: f64) -> Self {
        let magnitude = value.abs();
        Self(if magnitude < f64::from(f32::MIN_POSITIVE) {
            0.0_f64.copysign(value)
        } else if magnitude > f64::from(f32::MAX) {
            f64::INFINITY.copysign(value)
        } else {
            value
        })
    }

    pub fn to_f64(self) -> f64 {
        self.0
    }
}

macro_rules! operations {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $op:tt),*) => {
        $(impl $trait for Narrow {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self::new(self.0 $op other.0)
            }
        }
        impl $assign for Narrow {
            fn $assign_method(&mut self, other: Self) {
                *self = *self $op other;
            }
        })*
    };
}
operations!(
    Add add AddAssign add_assign +, Sub sub SubAssign sub_assign -,
    Mul mul MulAssign mul_assign *, Div div DivAssign div_assign /
);

impl Neg for Narrow {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

macro_rules! functions {
    ($($name:ident),*) => {
        $(fn $name(self) -> Self {
            Self::new(Lane::$name(self.0))
        })*
    };
}

macro_rules! functions_of_two {
    ($($name:ident),*) => {
        $(fn $name(self, other: Self) -> Self {
            Self::new(<f64 as Lane>::$name(self.0, other.0))
        })*
    };
}

impl Lane for Narrow {
    const ROUNDOFF: f64 = f64::ROUNDOFF;
    type Mask = bool;
    type U32 = u32;

    own_coordinates!();

    integers_of!(f64);

    fn splat(value: f64) -> Self {
        Self::new(value)
    }
    fn lt(a: Self, b: Self) -> bool {
        a.0 < b.0
    }
    fn le(a: Self, b: Self) -> bool {
        a.0 <= b.0
    }
    fn eq(a: Self, b: Self) -> bool {
        <f64 as Lane>::eq(a.0, b.0)
    }
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    type Element = Bounded;
    fn of_element(number: Bounded) -> Self {
        Self::new(number.value)
    }
    fn to_element(self) -> Bounded {
        Bounded { value: self.0, error: 0.0 }
    }
    fn cubic(cubics: &[Cubic<Bounded>], index: Self) -> [Self; 4] {
        Bounded::cubic(cubics, index.to_element()).map(Self::of_element)
    }
    fn gather(entries: &[Self], index: u32) -> Self {
        entries.get(index as usize).copied().unwrap_or(Self(f64::NAN))
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
        Self(a.into())
    }
    fn to_u32(a: Self) -> u32 {
        f64::to_u32(a.0)
    }
    fn mul_add(self, a: Self, b: Self) -> Self {
        Self::new(self.0.mul_add(a.0, b.0))
    }

    functions!(
        sqrt,
        cbrt,
        exp,
        ln,
        sin,
        cos,
        tan,
        asin,
        acos,
        atan,
        sinh,
        cosh,
        tanh,
        erf,
        erfc,
        abs,
        floor,
        ceil,
        round,
        round_ties_even,
        trunc
    );
    functions_of_two!(powf, atan2, min, max, copysign);
}
