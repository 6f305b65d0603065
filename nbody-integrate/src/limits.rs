//! The scales of a system, which limit steps where accelerations or their derivatives vanish.
//!
//! Aarseth's criterion is a quotient of rounding errors where the acceleration and its derivatives
//! vanish. A step in which these would change velocities by no more than rounding errors, in units
//! of the speeds of the system, is not shortened; it is at most a small part of the time in which
//! bodies cross the system. Both numbers are chosen at the beginning and kept in checkpoints.

use nbody::{Precision, Vector};

use crate::{Error, HermiteOptions, Motion};

/// The longest step protected against shortening by rounding errors alone, in units of the
/// crossing time of the system.
const LONGEST: f64 = 1.0 / 16.0;

/// The time at which forces are evaluated again before the first step, in the same units.
const SOON: f64 = 1.0 / (1 << 20) as f64;

/// The limits of the time steps of a Hermite integrator, from the scales of the system at its
/// beginning. Where the acceleration of a particle vanishes with its derivatives, as in the middle
/// of a regular polygon, only their rounding errors remain, and would shorten its steps more and
/// more.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepLimits {
    /// The rounding error of velocities: a step in which the velocity changes less is not
    /// shortened.
    pub speed: f64,
    /// The longest step chosen for that reason.
    pub longest: f64,
}

impl StepLimits {
    /// Refuses limits that are negative or not finite.
    pub(crate) fn check(self) -> Result<(), Error> {
        for (option, value) in [("limits.speed", self.speed), ("limits.longest", self.longest)] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(Error::Option { option, value });
            }
        }
        Ok(())
    }

    /// Returns the limits for particles with these motions, accelerations and jerks, and the time
    /// at which forces are evaluated again to find the second derivatives.
    pub(crate) fn of(
        motions: &[Motion],
        [acc, jerk]: [&[Vector<f64>]; 2],
        precision: Precision,
        options: HermiteOptions,
    ) -> (Self, f64) {
        let Some(first) = motions.first() else { return (Self::default(), options.largest) };
        let size = greatest(motions.iter().map(|it| it.pos - first.pos));
        let drift = greatest(motions.iter().map(|it| it.vel - first.vel));
        let (most, jerk) = (greatest(acc.iter().copied()), greatest(jerk.iter().copied()));
        let share = 1.0 / acc.len() as f64;
        let mean = acc.iter().map(|acc| greatest([*acc]) * share).sum::<f64>();
        let speed = drift.max(size.sqrt() * mean.sqrt());
        // Particles that are all at one place move apart.
        let time = if size > 0.0 { size / speed } else { (drift / jerk).sqrt() };
        let is_scale = |time: &f64| time.is_finite() && *time > 0.0;
        let soon = [options.eta_start * most / jerk, SOON * (size / most).sqrt(), SOON * time];
        let soon = soon.into_iter().filter(is_scale).fold(options.largest, f64::min);
        if !(is_scale(&time) && speed.is_finite()) {
            return (Self::default(), soon);
        }
        let roundoff = match precision {
            Precision::Single | Precision::Mixed => f64::from(f32::EPSILON),
            Precision::Double => 4.0 * f64::EPSILON,
        };
        let longest = (LONGEST * time).min(options.largest);
        (Self { speed: 2.0 * roundoff * speed, longest }, soon)
    }
}

/// Returns the greatest magnitude of a component.
fn greatest(vectors: impl IntoIterator<Item = Vector<f64>>) -> f64 {
    vectors.into_iter().flat_map(|it| it.0).fold(0.0, |most, x| x.abs().max(most))
}
