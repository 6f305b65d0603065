//! Estimates of the error of far particles by the pair itself.

use super::kernel::Kernel;
use super::opening::Expansion;
use crate::{Charges, Interaction, Record};

/// Steps of the square of a distance for a factor of 2, as a power of 2.
const STEPS: u32 = 3;
/// All that is above the bits of a step in an `f32`.
const SHIFT: u32 = f32::MANTISSA_DIGITS - 1 - STEPS;
/// The numbers of a table.
const SIZE: usize = 1 << (8 + STEPS);

/// The binary logarithm of |K(d)| / dᵖ for the squares of distances d: the first field of the result of a unit
/// charge, and the power with which the relative error of far particles falls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// A number for each step, that of its least distance.
    table: Vec<f32>,
    /// The length that distances are in units of, inverted.
    scale: f64,
}

/// Returns the power with which the relative error of the action of a cell falls with its size.
pub fn power(expansion: Expansion) -> i32 {
    match expansion {
        Expansion::Monopole => 2,
        Expansion::Second => 3,
    }
}

impl Estimate {
    /// Makes the table of an interaction, for distances in units of 1 / `scale`.
    pub fn of<X: Interaction>(
        interaction: &X,
        charges: Charges,
        expansion: Expansion,
        scale: f64,
    ) -> Self {
        let kernel = Kernel { interaction, charges };
        let at = |step: usize| {
            let distance = f64::from(f32::from_bits((step as u32) << SHIFT)).sqrt();
            let length = kernel.length(distance / scale, X::F::FIELDS);
            (length.log2() - f64::from(power(expansion)) * distance.log2()) as f32
        };
        Self { table: (0..SIZE).map(at).collect(), scale }
    }

    /// Returns whether the table is for distances in these units.
    pub fn has_scale(&self, scale: f64) -> bool {
        self.scale == scale
    }

    /// Returns the number for this square of a distance.
    #[inline(always)]
    pub fn at(&self, distance2: f32) -> f32 {
        self.table.get((distance2.to_bits() >> SHIFT) as usize).copied().unwrap_or(f32::NAN)
    }
}
