//! Errors of time integration.

use std::fmt;

/// The refusal or the failure of an integration. The state is unchanged, unless the device failed
/// within a step.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An evaluation or its device failed.
    #[error(transparent)]
    Engine(#[from] nbody::Error),

    /// The records of an interaction lack fields that the integrator or its energies need.
    #[error(
        "`{interaction}` lacks fields for {purpose}: {}; declare them, or take an interaction that has them, such \
         as `{example}`",
        listed(particles, results)
    )]
    MissingFields {
        /// The name of the interaction.
        interaction: &'static str,
        /// The integrator or its energies.
        purpose: &'static str,
        /// All fields that its particles lack, as in a declaration.
        particles: Box<[&'static str]>,
        /// All fields that its results lack.
        results: Box<[&'static str]>,
        /// The path of an interaction that has all fields.
        example: &'static str,
    },

    /// Particles lack a field of their motion.
    #[error(
        "the particles have no field `{field}`; give particles that have it, or the motion of each beside them \
         (`Start::motions`)"
    )]
    NoMotion {
        /// The field, as in a declaration.
        field: &'static str,
    },

    /// A run that is resumed is told how it begins.
    #[error(
        "a run is resumed with a time or with motions; the checkpoint has both: give the particles alone"
    )]
    Resumed,

    /// Positions are to be wrapped in open space.
    #[error(
        "positions cannot be wrapped in open space; give the engine a periodic box before the run begins"
    )]
    WrapWithoutBox,

    /// J-particles are given beside i-particles of their type.
    #[error(
        "the i-particles and the j-particles of `{interaction}` are of one type; give one set of particles, without \
         `Start::sources`"
    )]
    OneType {
        /// The name of the interaction.
        interaction: &'static str,
    },

    /// J-particles are of another type than i-particles, where each particle is both.
    #[error(
        "the i-particles and the j-particles of `{interaction}` have different fields; block time steps need one \
         type for both: declare it with the fields of both"
    )]
    TwoTypes {
        /// The name of the interaction.
        interaction: &'static str,
    },

    /// A number of a particle is NaN or infinite.
    #[error("particle {index} has {field} {value}, expected a finite number")]
    NotFinite {
        /// The particle.
        index: usize,
        /// The field.
        field: &'static str,
        /// The number.
        value: f64,
    },

    /// A mass is zero or negative, where forces are divided by masses.
    #[error(
        "particle {index} has mass {mass}; forces are divided by it, so that it must be positive"
    )]
    Mass {
        /// The particle.
        index: usize,
        /// Its mass.
        mass: f64,
    },

    /// A mass is negative.
    #[error("particle {index} has mass {mass}, expected zero or more")]
    NegativeMass {
        /// The particle.
        index: usize,
        /// Its mass.
        mass: f64,
    },

    /// The state of a run has no particles.
    #[error("the state of the run has no particles; take the state of a checkpoint as it is")]
    NoParticles,

    /// A step has more iterations than can make a difference.
    #[error(
        "{iterations} iterations of a step, expected at most {most}: a few make a step symmetric"
    )]
    Iterations {
        /// The number of iterations.
        iterations: u32,
        /// The greatest number.
        most: u32,
    },

    /// An option of an integrator is not positive.
    #[error("{option} is {value}, expected a positive number")]
    Option {
        /// The option.
        option: &'static str,
        /// Its value.
        value: f64,
    },

    /// The state of a run is at a time that does not fit its step.
    #[error(
        "a state at {ticks} ticks with a step of level {level}: the time is a multiple of the step, and \
         the level at most 40; take the state of a checkpoint as it is"
    )]
    Time {
        /// The time in ticks.
        ticks: u64,
        /// The level of the step.
        level: u32,
    },

    /// The state of a run is too late for exact times.
    #[error(
        "a state at {ticks} ticks: expected 2⁶² at most; take the state of a checkpoint as it is"
    )]
    Ticks {
        /// The time in ticks.
        ticks: u64,
    },

    /// The state of a run has too many steps for exact times.
    #[error(
        "a state after {steps} steps: expected 2⁵³ at most; take the state of a checkpoint as it is"
    )]
    TooManySteps {
        /// The number of steps.
        steps: u64,
    },

    /// Steps are too short to advance the time.
    #[error(
        "steps of {step:e} at time {time:e}: the next number of `f64` is farther; take longer steps, or \
         times nearer to 0"
    )]
    Resolution {
        /// The time.
        time: f64,
        /// The step.
        step: f64,
    },

    /// A particle in the state of a run has a step that does not contain the time of the run.
    #[error(
        "particle {index} has a step of {step} ticks from {time} to {due}, where the run is at {now}: steps are \
         powers of two, of which the times are multiples; take the state of a checkpoint as it is"
    )]
    BlockTime {
        /// The particle.
        index: usize,
        /// Its step in ticks.
        step: u32,
        /// The time at which the step begins; all of these times are modulo 2³².
        time: u32,
        /// The time at which the step ends.
        due: u32,
        /// The time of the run.
        now: u32,
    },

    /// Two particles are so close that no step is short enough. The state is as after the last
    /// step.
    #[error(
        "particles {first} and {second} are at a distance of {distance:e} at time {time}, where a step \
         of {}{step:e} is wanted; {}soften the interaction, or begin with particles apart",
        if *step > 0.0 { "less than " } else { "" },
        if *step > 0.0 {
            "that is the shortest: take a shorter largest step (`HermiteOptions::largest`, `--largest`) for \
             orbits of so short a period, "
        } else {
            ""
        }
    )]
    Close {
        /// The particle whose step is too short.
        first: usize,
        /// The nearest other particle.
        second: usize,
        /// Their distance.
        distance: f64,
        /// The time.
        time: f64,
        /// The shortest step, which is too long for the particle; zero if its acceleration is not
        /// finite.
        step: f64,
    },

    /// The beginning or the end of a run is NaN or infinite.
    #[error("{which} is {time}, expected a finite time")]
    TimeNotFinite {
        /// The beginning or the end.
        which: &'static str,
        /// The time.
        time: f64,
    },

    /// A run is to advance to a time that is past.
    #[error(
        "the run is at time {now}, past time {time}; advance to {now} or {}",
        if *time < *now { "later" } else { "earlier" }
    )]
    Past {
        /// The time to advance to.
        time: f64,
        /// The time of the run: the end of its last step.
        now: f64,
    },

    /// Motions are requested at a time that the state does not reach.
    #[error(
        "motions at time {time}, expected a time within the next step, from {begin} to {end}: {}",
        if (*end < *begin) == (*time < *begin) {
            "advance to that time first"
        } else {
            "past motions are gone; ask for them before the step that ends later"
        }
    )]
    Outside {
        /// The time.
        time: f64,
        /// The time of the state: the beginning of the next step.
        begin: f64,
        /// The end of the next step.
        end: f64,
    },

    /// Block time steps evaluate other particles each time, but the engine compares with previous
    /// evaluations, and would mistake these particles for the previous ones.
    #[error(
        "no block time steps over neighbour lists or by a tree with relative openings; evaluate all pairs, or by a tree \
         that is opened by an angle"
    )]
    NoBlockSteps,

    /// A run is to be continued by an integrator without engine states, but the next results of
    /// its engine depend on previous evaluations.
    #[error(
        "no checkpoint over neighbour lists or by a tree with relative openings; use the leapfrog integrator"
    )]
    NoCheckpoint,

    /// The step is zero or not finite.
    #[error("a step of {step}, expected a finite number other than zero")]
    Step {
        /// The step.
        step: f64,
    },
}

/// Returns missing fields in words.
fn listed(particles: &[&str], results: &[&str]) -> String {
    let mut parts = Vec::new();
    for (record, fields) in [("particles", particles), ("results", results)] {
        if !fields.is_empty() {
            let fields: Vec<_> = fields.iter().map(|field| format!("`{field}`")).collect();
            parts.push(format!("{} of its {record}", fields.join(" and ")));
        }
    }
    parts.join(", ")
}

/// Explains the error, as `main` and `unwrap` print it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        nbody_core::explain(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_debug_form_of_an_error_is_its_message() {
        let error = Error::NoMotion { field: "vel: Vector" };
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(error.to_string().starts_with("the particles have no field `vel: Vector`"));
    }
}
