//! The options of the Hermite integrators.

use crate::Error;
use crate::clock::LEVELS;

/// A step of more iterations would seem never to end.
const MOST_ITERATIONS: u32 = 1000;

/// The accuracy of a Hermite integrator.
///
/// Typical values of eta are 0.01 to 0.04. With block time steps of 4096 stars over a time unit,
/// softened by 1/256, the relative error of the energy is 1.7·10⁻⁷ for 0.04, 3.2·10⁻⁸ for 0.02 and
/// 3·10⁻⁹ for 0.01. Below eta = 0.01, rounding errors of forces in single precision, the default
/// of an engine, make steps many times shorter than necessary: use [`Precision::Mixed`](nbody::Precision::Mixed) or
/// `Double` there, and wherever close pairs matter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct HermiteOptions {
    /// The accuracy of steps: Aarseth's eta (1985).
    pub eta: f64,
    /// The accuracy of the first step, about which less is known: eta |a| / |j|, or the criterion
    /// of later steps with the second derivative for bodies at rest.
    pub eta_start: f64,
    /// The largest step; all steps are this divided by a power of two, up to 2⁴⁰ with a shared
    /// step and 2³⁰ with block time steps. A binary with a short period needs a smaller value than
    /// the default.
    pub largest: f64,
    /// Evaluations and corrections of a step: n of P(EC)ⁿ. With three, steps of constant length
    /// are symmetric in time to the accuracy of the iteration, and orbits keep their energy. In a
    /// cluster, more than one iteration gains little.
    pub iterations: u32,
}

impl Default for HermiteOptions {
    /// Returns eta = 0.02, 0.005 at the start, a largest step of 1/8, and one iteration.
    fn default() -> Self {
        Self { eta: 0.02, eta_start: 0.005, largest: 0.125, iterations: 1 }
    }
}

impl HermiteOptions {
    /// Sets the accuracy of steps.
    #[must_use]
    pub const fn eta(self, eta: f64) -> Self {
        Self { eta, ..self }
    }

    /// Sets the accuracy of the first step.
    #[must_use]
    pub const fn eta_start(self, eta_start: f64) -> Self {
        Self { eta_start, ..self }
    }

    /// Sets the largest step.
    #[must_use]
    pub const fn largest(self, largest: f64) -> Self {
        Self { largest, ..self }
    }

    /// Sets the number of evaluations and corrections of a step.
    #[must_use]
    pub const fn iterations(self, iterations: u32) -> Self {
        Self { iterations, ..self }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let Self { eta, eta_start, largest, iterations } = *self;
        let numbers = [("eta", eta), ("eta_start", eta_start), ("largest", largest)];
        for (option, value) in numbers.into_iter().chain([("iterations", iterations.into())]) {
            if !(value.is_finite() && value > 0.0) {
                return Err(Error::Option { option, value });
            }
        }
        if iterations > MOST_ITERATIONS {
            return Err(Error::Iterations { iterations, most: MOST_ITERATIONS });
        }
        // The shortest step is a normal number.
        if largest / ((1_u64 << LEVELS) as f64) < f64::MIN_POSITIVE {
            return Err(Error::Resolution { time: 0.0, step: largest });
        }
        Ok(())
    }
}
