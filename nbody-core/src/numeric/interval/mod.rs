//! Interval arithmetic: guaranteed bounds of numbers.
//!
//! The functions of [`bounds`] are written once for the host and for devices. A declared cutoff is
//! a program of these functions ([`steps`]), which the host evaluates and a device compiles. So
//! both find the same bounds, to the last bit.

mod bounds;
mod constants;
mod functions;
mod primitives;
mod slope;
pub mod steps;
mod values;

use super::shared::Function;

pub(crate) use slope::slope;
pub use values::Interval;

/// The text of interval arithmetic.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// The constants, by name.
    pub constants: &'static [(&'static str, f64)],
    /// The functions of numbers, then the functions of bounds.
    pub functions: [&'static [Function]; 2],
}

/// The text of interval arithmetic, without the primitive operations.
pub const TEXT: Text =
    Text { constants: constants::CONSTANTS, functions: [functions::FUNCTIONS, bounds::FUNCTIONS] };

impl Interval {
    /// Returns an interval that contains both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        bounds::hull(self, other)
    }

    /// Tests whether it is certainly a finite number.
    pub fn is_finite(&self) -> bool {
        bounds::is_finite(*self)
    }
}

#[cfg(test)]
mod tests;
