//! The completed steps of a run, and the next one.

use crate::Error;

/// Rounding errors of times, relative to a step.
const ROUNDOFF: f64 = 1e-9;

/// The number of steps since a run began or was continued.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Number of steps; with block time steps, each advances one block.
    pub steps: u64,
    /// Sum over the steps of the numbers of advanced particles.
    pub particle_steps: u64,
}

impl Steps {
    /// Counts a step of this many particles.
    pub(crate) fn count(&mut self, particles: usize) {
        self.steps = self.steps.saturating_add(1);
        self.particle_steps = self.particle_steps.saturating_add(particles as u64);
    }
}

/// The next step of a run, by the times of its beginning and its end. The end is earlier if the
/// run goes back in time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NextStep {
    pub begin: f64,
    pub end: f64,
}

impl NextStep {
    /// Returns whether the step ends by this time, up to rounding.
    pub fn ends_by(self, time: f64) -> bool {
        let left = if self.end < self.begin { self.end - time } else { time - self.end };
        left >= -self.nearest(time)
    }

    /// Returns whether the step begins at this time, up to rounding.
    pub fn begins_at(self, time: f64) -> bool {
        (time - self.begin).abs() <= self.nearest(time)
    }

    /// Refuses a time that the state of the run does not reach.
    pub fn check(self, time: f64) -> Result<(), Error> {
        let Self { begin, end } = self;
        let (first, last, roundoff) = (begin.min(end), begin.max(end), self.roundoff(time));
        if time.is_finite() && time >= first - roundoff && time <= last + roundoff {
            Ok(())
        } else {
            Err(Error::Outside { time, begin, end })
        }
    }

    /// Refuses a time that is past, up to the rounding errors of steps up to `longest`.
    pub fn check_ahead(self, time: f64, longest: f64) -> Result<(), Error> {
        let Self { begin: now, end } = self;
        let ahead = if end < now { now - time } else { time - now };
        let roundoff = self.roundoff(time).max(ROUNDOFF * longest.abs());
        if ahead >= -roundoff { Ok(()) } else { Err(Error::Past { time, now }) }
    }

    /// Returns the rounding error of this time, at most half a step: a run must not step beyond a
    /// time far from 0, where numbers are about a step apart.
    fn nearest(self, time: f64) -> f64 {
        self.roundoff(time).min(0.5 * (self.end - self.begin).abs())
    }

    fn roundoff(self, time: f64) -> f64 {
        ROUNDOFF * (self.end - self.begin).abs() + 4.0 * f64::EPSILON * time.abs()
    }
}

/// Refuses a run that begins at a NaN or infinite time.
pub(crate) fn check_begin(time: f64) -> Result<(), Error> {
    check_finite("the beginning of the run", time)
}

/// Refuses steps too short to advance the time in `f64`, with which a run would never end.
pub(crate) fn check_resolution(time: f64, step: f64) -> Result<(), Error> {
    if time + step == time { Err(Error::Resolution { time, step }) } else { Ok(()) }
}

/// Refuses a run to a NaN or infinite time.
pub(crate) fn check_end(time: f64) -> Result<(), Error> {
    check_finite("the time to advance to", time)
}

fn check_finite(which: &'static str, time: f64) -> Result<(), Error> {
    if time.is_finite() { Ok(()) } else { Err(Error::TimeNotFinite { which, time }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_ends_by_a_time_to_rounding() {
        let step = NextStep { begin: 0.2, end: 0.1 + 0.2 };
        assert!(step.end > 0.3 && step.ends_by(0.3) && step.ends_by(f64::INFINITY));
        assert!(!step.ends_by(0.3 - 1e-6) && !step.ends_by(f64::NAN));
        let back = NextStep { begin: 0.4, end: 0.1 + 0.2 };
        assert!(back.ends_by(0.3) && back.ends_by(-1.0) && !back.ends_by(0.3 + 1e-6));
        assert!(
            back.begins_at(0.4) && back.begins_at(0.4_f64.next_down()) && !back.begins_at(0.39)
        );
    }

    #[test]
    fn a_step_beyond_a_late_time_is_not_done() {
        let late = 1e15;
        let step = NextStep { begin: late + 1.0, end: late + 1.125 };
        assert!(
            !step.ends_by(late + 1.0) && step.ends_by(late + 1.125) && step.begins_at(late + 1.0)
        );
        assert!(!step.begins_at(late + 1.125));
        let back = NextStep { begin: late, end: late - 0.125 };
        assert!(!back.ends_by(late) && back.ends_by(late - 0.125));
    }

    #[test]
    fn past_times_are_refused() {
        let (begin, end) = (0.1 + 0.2, 0.4);
        let step = NextStep { begin, end };
        for time in [0.3, 0.35, 0.4, 9.0] {
            step.check_ahead(time, 0.1).unwrap();
        }
        let error = step.check_ahead(0.29, 0.1).unwrap_err();
        assert!(matches!(error, Error::Past { time: 0.29, now } if now == begin), "{error}");
        // The step before may have been longer, and so its rounding error.
        assert!(step.check_ahead(0.3 - 5e-10, 0.1).is_err());
        step.check_ahead(0.3 - 5e-10, 1.0).unwrap();
        let back = NextStep { begin: end, end: begin };
        back.check_ahead(0.4, -0.1).unwrap();
        back.check_ahead(-9.0, -0.1).unwrap();
        assert!(matches!(back.check_ahead(0.41, -0.1), Err(Error::Past { .. })));
    }

    #[test]
    fn times_outside_of_a_step_are_refused() {
        let (begin, end) = (0.2, 0.1 + 0.2);
        for step in [NextStep { begin, end }, NextStep { begin: end, end: begin }] {
            for time in [0.2, 0.25, 0.3] {
                step.check(time).unwrap();
            }
            for time in [0.19, 0.31, f64::NAN, f64::INFINITY, -0.25] {
                assert!(matches!(step.check(time), Err(Error::Outside { .. })), "{time}");
            }
        }
    }
}
