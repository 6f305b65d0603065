//! Estimates of the error of far particles by the pair itself.

use crate::field::Field;
use crate::law::charges::Charges;
use crate::trees::kernel::Kernel;

/// Steps of the square of a distance for a factor of 2, as a power of 2.
const STEPS: u32 = 3;
/// All that is above the bits of a step in an `f32`.
pub const SHIFT: u32 = f32::MANTISSA_DIGITS - 1 - STEPS;
/// The numbers of a table.
const SIZE: usize = 1 << (8 + STEPS);

/// The binary logarithm of |K(d)| for the squares of distances d: the first field of the result of a unit
/// charge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Estimate {
    /// A number for each step, that of its least distance.
    kernel: Vec<f64>,
    /// The length that distances are in units of, inverted.
    scale: f64,
}

/// The binary logarithm of |K(d)| / dᵖ for the squares of distances d, with the power p with which the relative
/// error of far particles falls.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The numbers of steps, and NaN for negative numbers.
    numbers: Box<[f32; 2 * SIZE]>,
    power: u32,
}

impl Estimate {
    /// Makes the estimate of a kernel, for distances in units of 1 / `scale`.
    pub fn of(kernel: &Kernel, scale: f64) -> Self {
        let at = |step: usize| kernel.length(distance(step) / scale, first(kernel.law.f)).log2();
        Self { kernel: (0..SIZE).map(at).collect(), scale }
    }

    /// Returns whether an interaction has an estimate: the first field of its results depends on i by the position
    /// alone, and on charges that are carried as such.
    pub fn exists(charges: Charges) -> bool {
        charges.sums.first().is_some_and(|sum| {
            !sum.depends_on_i && !sum.charges.is_empty() && !charges.has_ratio(sum)
        })
    }

    /// Returns whether it is for distances in these units.
    pub fn has_scale(&self, scale: f64) -> bool {
        self.scale == scale
    }

    /// Returns the table for errors that fall with this power.
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
    /// Returns the number for each step of the square of a distance.
    pub fn numbers(&self) -> &[f32] {
        &self.numbers[..SIZE]
    }

    /// Returns the power with which the relative error falls with the size of a cell.
    pub fn power(&self) -> u32 {
        self.power
    }

    /// Returns the number for this square of a distance.
    #[inline(always)]
    pub fn at(&self, distance2: f32) -> f32 {
        self.numbers[(distance2.to_bits() >> SHIFT) as usize & (2 * SIZE - 1)]
    }
}
