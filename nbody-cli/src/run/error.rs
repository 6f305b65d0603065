//! Errors of `nbody run`.

use std::path::PathBuf;

use nbody_integrate::Energies;

/// The refusal or the failure of a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}: {source}", path.display())]
    Model { path: PathBuf, source: nbody::models::Error },

    #[error(
        "{}: the extension is that of no format that is read; expected .csv, or .nemo or .txt for \
         NEMO text",
        path.display()
    )]
    Extension { path: PathBuf },

    #[error("particle {index} has mass {mass}, expected zero or more")]
    NegativeMass { index: usize, mass: f64 },

    #[error("{particles} particles of total mass {mass}, expected a positive finite mass")]
    TotalMass { particles: usize, mass: f64 },

    #[error("{option} is {value}, expected {expected}")]
    Number { option: &'static str, value: f64, expected: &'static str },

    #[error("--until is {until}, but the particles are at time {time} already: give a later time")]
    Until { until: f64, time: f64 },

    #[error(
        "{option} is {value}, not a multiple of the step {step}: the leapfrog integrator has snapshots \
         after whole steps"
    )]
    NotMultiple { option: &'static str, value: f64, step: f64 },

    #[error("the leapfrog integrator needs a step: give --step")]
    NoStep,

    #[error(
        "the {integrator} integrator has no option {option}: leave it out, or choose another --integrator"
    )]
    WrongIntegrator { option: &'static str, integrator: &'static str },

    #[error(
        "{} holds {file} of another run: give another folder, or continue that run with --restart",
        folder.display()
    )]
    InUse { folder: PathBuf, file: String },

    #[error("{}: not a file to restart from: {reason}", path.display())]
    Malformed { path: PathBuf, reason: String },

    #[error("{}: version {found} of restart files, expected {expected}", path.display())]
    Version { path: PathBuf, found: u32, expected: u32 },

    #[error(
        "{} is of a run with {name} {found}, but {given} is wanted: leave the option out to continue \
         that run, or begin another one", path.display()
    )]
    AnotherRun { path: PathBuf, name: &'static str, found: String, given: String },

    #[error(
        "at time {time}: kinetic energy {kinetic:e} and potential energy {potential:e}, expected \
         finite ones; if particles come as close as that, give a softening length with --eps"
    )]
    Energy { time: f64, kinetic: f64, potential: f64 },

    #[error("at time {time}: {source}; the last snapshot is that before")]
    Lost { time: f64, source: nbody_integrate::Error },
}

/// Refuses energies at this time that are not finite.
pub fn check_energies(energies: &Energies, time: f64) -> Result<(), Error> {
    let &Energies { kinetic, potential } = energies;
    if kinetic.is_finite() && potential.is_finite() {
        return Ok(());
    }
    Err(Error::Energy { time, kinetic, potential })
}
