//! Formats of snapshot files.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::Path;

use clap::ValueEnum;
use nbody::models::{Error, Snapshot};
use serde::{Deserialize, Serialize};

/// A format that snapshots are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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

    /// Returns the format with the extension of this path, in upper or lower case.
    pub fn of(path: &Path) -> Option<Self> {
        match &*path.extension()?.to_str()?.to_ascii_lowercase() {
            "csv" => Some(Self::Csv),
            "nemo" | "txt" => Some(Self::Nemo),
            "xyz" | "extxyz" => Some(Self::Xyz),
            _ => None,
        }
    }

    /// Returns the extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Nemo => "nemo",
            Self::Xyz => "xyz",
        }
    }
}

/// Reads a snapshot in the format of the file's extension; `None` if no format has this extension.
pub fn read(path: &Path) -> Option<Result<Snapshot, Error>> {
    let read = match Format::of(path)? {
        Format::Csv => Snapshot::read_csv,
        Format::Nemo => Snapshot::read_nemo,
        Format::Xyz => Snapshot::read_xyz,
    };
    let opened = File::open(path).map_err(|source| Error::Io { action: "open the file", source });
    Some(opened.and_then(|file| read(BufReader::new(file))))
}
