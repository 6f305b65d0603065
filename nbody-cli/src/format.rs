//! Formats of snapshot files.

use std::io::Write;

use clap::ValueEnum;
use nbody::models::{Error, Snapshot};

/// A format that snapshots are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns mass, x, y, z, vx, vy, vz.
    Csv,
    /// The plain text that NEMO's atos reads.
    Nemo,
    /// Extended XYZ: columns position, velocity, mass.
    Xyz,
}

impl Format {
    pub fn write(self, snapshot: &Snapshot, to: impl Write) -> Result<(), Error> {
        match self {
            Self::Csv => snapshot.write_csv(to),
            Self::Nemo => snapshot.write_nemo(to),
            Self::Xyz => snapshot.write_xyz(to),
        }
    }
}
