//! Errors of `nbody run`.

use std::path::PathBuf;

use nbody::Precision;
use nbody_integrate::Energies;

/// The refusal or the failure of a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{}: {source}", path.display())]
    Model { path: PathBuf, source: nbody::models::Error },

    #[error(
        "{}: the extension is that of no format that is read; expected .csv for a table, .nemo or \
         .txt for NEMO text, .xyz for extended XYZ, or .hdf5 or .h5 for GADGET's HDF5",
        path.display()
    )]
    Extension { path: PathBuf },

    #[error(transparent)]
    Sphere(#[from] crate::sphere::Failure),

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
         after whole steps; {}",
        offer(near)
    )]
    NotMultiple { option: &'static str, value: f64, step: f64, near: Near },

    #[error("the leapfrog integrator needs a step: give --step")]
    NoStep,

    #[error("--distribute-trees without a tree: give --tree with an opening angle, such as 0.6")]
    NoTree,

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
    Lost { time: f64, source: Box<Error> },

    /// The units of the numbers in the message, if they differ from the units of the files.
    #[error("{source}{units}")]
    Integration { source: nbody_integrate::Error, units: String },

    #[error(
        "particles {first} and {second} are at a distance of 0e0 at time {time}: give a softening length with \
         --eps, or begin with particles apart"
    )]
    Together { first: usize, second: usize, time: f64 },

    #[error("{what}: give --precision {wanted}, or leave the option out")]
    Precision { what: String, wanted: Precision },

    #[error(
        "{option} is {value}, but times near {near} are multiples of {resolution:e}: expected at least {least:e}"
    )]
    TooFine { option: &'static str, value: f64, near: f64, resolution: f64, least: f64 },

    #[error(
        "--until {until} is {steps:e} steps of {step} away, expected 2^53 at most: give a larger --step"
    )]
    TooManySteps { until: f64, steps: f64, step: f64 },

    #[error(
        "another process writes into {}: wait for its end, or give another folder with --output",
        folder.display()
    )]
    Locked { folder: PathBuf },
}

/// Values of an option near the refused one.
#[derive(Debug)]
pub struct Near {
    /// The option to change.
    pub option: &'static str,
    /// The nearest values that are allowed, below and above.
    pub values: Vec<f64>,
}

/// Returns the remedy in words.
fn offer(Near { option, values }: &Near) -> String {
    match &values[..] {
        [] => "give a step that divides --every and --until, and --until as a multiple of --every"
            .to_owned(),
        values => {
            let values: Vec<_> = values.iter().map(f64::to_string).collect();
            format!("give {option} {}", values.join(" or "))
        }
    }
}

/// Refuses infinite or NaN energies.
pub fn check_energies(energies: &Energies, time: f64) -> Result<(), Error> {
    let &Energies { kinetic, potential } = energies;
    if kinetic.is_finite() && potential.is_finite() {
        return Ok(());
    }
    Err(Error::Energy { time, kinetic, potential })
}
