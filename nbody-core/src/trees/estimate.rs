//! Estimates of the error of far particles, from their interaction with the group.

use crate::field::Field;
use crate::law::charges::Charges;
use crate::trees::kernel::Kernel;

/// The binary logarithm of the number of steps for each factor of 2 in the square of a distance.
const STEPS: u32 = 3;
/// The number of bits of an `f32` below a step.
pub const SHIFT: u32 = f32::MANTISSA_DIGITS - 1 - STEPS;
/// The number of entries of a table.
const SIZE: usize = 1 << (8 + STEPS);

/// log₂ |K(d)| as a function of the square of the distance d, where K is the first field of the
/// result of a unit charge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// The value at the least distance of each step.
    kernel: Vec<f64>,
    /// The inverse of the unit of distances.
    scale: f64,
}

/// log₂ (|K(d)| / dᵖ) as a function of the square of the distance d, where p is the exponent of
/// the error bound of far particles.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The value of each step; NaN for squares with the sign bit set.
    numbers: Box<[f32; 2 * SIZE]>,
    power: u32,
}

impl Estimate {
    /// Computes the estimate of a kernel, for distances in units of 1 / `scale`.
    pub fn of(kernel: &Kernel, scale: f64) -> Self {
        let at = |step: usize| kernel.length(distance(step) / scale, first(kernel.law.f)).log2();
        Self { kernel: (0..SIZE).map(at).collect(), scale }
    }

    /// Returns whether an interaction has an estimate: its first result may depend on the
    /// i-particle only through the position, and must depend on charges, none of which is carried
    /// as a ratio to another charge.
    pub fn exists(charges: Charges) -> bool {
        charges.sums.first().is_some_and(|sum| {
            !sum.depends_on_i && !sum.charges.is_empty() && !charges.has_ratio(sum)
        })
    }

    /// Returns whether distances are in these units.
    pub fn has_scale(&self, scale: f64) -> bool {
        self.scale == scale
    }

    /// Returns the table for an error bound with this exponent.
    pub fn table(&self, power: u32) -> Table {
        let mut numbers = Box::new([f32::NAN; 2 * SIZE]);
        for (step, (number, length)) in numbers.iter_mut().zip(&self.kernel).enumerate() {
            *number = (length - f64::from(power) * distance(step).log2()) as f32;
        }
        Table { numbers, power }
    }
}

/// Returns the first field of a result.
fn first(fields: &[Field]) -> &[Field] {
    &fields[..fields.len().min(1)]
}

/// Returns the least distance of a step.
fn distance(step: usize) -> f64 {
    f64::from(f32::from_bits((step as u32) << SHIFT)).sqrt()
}

impl Table {
    /// Returns the value of each step.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers[..SIZE]
    }

    /// Returns the exponent of the error bound.
    pub fn power(&self) -> u32 {
        self.power
    }

    /// Returns the value for this square of a distance.
    #[inline(always)]
    pub fn at(&self, distance2: f32) -> f32 {
        self.numbers[(distance2.to_bits() >> SHIFT) as usize & (2 * SIZE - 1)]
    }
}
