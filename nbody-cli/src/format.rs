//! Formats of snapshot files.

use std::error::Error as StdError;
use std::fs::File;
use std::io::{BufRead, BufReader, Write, stdin};
use std::path::Path;

use clap::ValueEnum;
use nbody::models::{Error, Snapshot};
use serde::{Deserialize, Serialize};

/// Extensions of the formats, for messages.
pub const EXTENSIONS: &str =
    if cfg!(feature = "hdf5") { ".csv, .nemo, .xyz or .hdf5" } else { ".csv, .nemo or .xyz" };

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
    /// HDF5 in the layout of GADGET, which yt and pynbody read.
    #[cfg(feature = "hdf5")]
    Hdf5,
}

impl Format {
    pub fn write(self, snapshot: &Snapshot, to: impl Write) -> Result<(), Error> {
        match self {
            Self::Csv => snapshot.write_csv(to),
            Self::Nemo => snapshot.write_nemo(to),
            Self::Xyz => snapshot.write_xyz(to),
            #[cfg(feature = "hdf5")]
            Self::Hdf5 => snapshot.write_hdf5(to),
        }
    }

    fn read(self, from: impl BufRead) -> Result<Snapshot, Error> {
        match self {
            Self::Csv => Snapshot::read_csv(from),
            Self::Nemo => Snapshot::read_nemo(from),
            Self::Xyz => Snapshot::read_xyz(from),
            #[cfg(feature = "hdf5")]
            Self::Hdf5 => Snapshot::read_hdf5(from),
        }
    }

    /// Returns the format with the extension of this path, in upper or lower case.
    pub fn of(path: &Path) -> Option<Self> {
        match &*path.extension()?.to_str()?.to_ascii_lowercase() {
            "csv" => Some(Self::Csv),
            "nemo" | "txt" => Some(Self::Nemo),
            "xyz" | "extxyz" => Some(Self::Xyz),
            #[cfg(feature = "hdf5")]
            "hdf5" | "h5" => Some(Self::Hdf5),
            _ => None,
        }
    }

    /// Returns the extension of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Nemo => "nemo",
            Self::Xyz => "xyz",
            #[cfg(feature = "hdf5")]
            Self::Hdf5 => "hdf5",
        }
    }
}

/// Reads a snapshot in the format of the file's extension; `None` if no format has this extension.
pub fn read(path: &Path) -> Option<Result<Snapshot, Error>> {
    Format::of(path).map(|format| open(path, format))
}

/// Reads a snapshot in a format, or in the format of the file's extension. The path `-` is the
/// standard input.
pub fn read_as(path: &Path, format: Option<Format>) -> Result<Snapshot, Box<dyn StdError>> {
    let name = if is_standard(path) { "the standard input".into() } else { path.to_string_lossy() };
    let format = format.or_else(|| Format::of(path)).ok_or_else(|| {
        format!("{name} has no extension of a format, expected {EXTENSIONS}: give --from FORMAT")
    })?;
    let read = if is_standard(path) { format.read(stdin().lock()) } else { open(path, format) };
    Ok(read.map_err(|error| format!("{name}: {error}"))?)
}

/// Returns whether a path stands for the standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn open(path: &Path, format: Format) -> Result<Snapshot, Error> {
    let opened = File::open(path).map_err(|source| Error::Io { action: "open the file", source });
    format.read(BufReader::new(opened?))
}
