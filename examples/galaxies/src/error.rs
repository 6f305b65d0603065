//! Errors of the simulation.

use std::io;
use std::path::{Path, PathBuf};

/// Refusal or failure of a run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{option} is {found}, expected {expected}")]
    Number { option: &'static str, found: String, expected: String },

    #[error(
        "--output {}: cannot {action}: {source}; expected a folder that can be written", path.display()
    )]
    Io { action: &'static str, path: PathBuf, source: io::Error },

    #[error("--output {} holds {file} of another run: give another folder", folder.display())]
    InUse { folder: PathBuf, file: String },

    #[error("{}: {source}", path.display())]
    Picture { path: PathBuf, source: nbody_plots::Error },

    #[error(
        "at time {time}: kinetic energy {kinetic:e} and potential energy {potential:e}, expected finite \
         ones; give a smaller --step or a larger --eps"
    )]
    Energy { time: f64, kinetic: f64, potential: f64 },

    #[error(transparent)]
    Model(#[from] nbody::models::Error),

    #[error(transparent)]
    Engine(#[from] nbody::Error),

    #[error(transparent)]
    Integrator(#[from] nbody_integrate::Error),
}

impl Error {
    /// Returns the error of an action on a file or a folder.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}
