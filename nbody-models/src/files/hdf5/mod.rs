//! HDF5 in the layout of GADGET (Springel 2005, Mon. Not. R. Astron. Soc. 364, 1105): a group
//! `Header` of attributes, and for each type of particles a group `PartType0` to `PartType5` of
//! tables.

mod read;
mod write;

use std::io::{BufRead, Write};

use crate::{Error, Snapshot};

const READ: &str = "read HDF5";
const WRITE: &str = "write HDF5";

/// The group of the attributes, and its attributes that are both written and read.
const HEADER: &str = "Header";
const NUMBERS: &str = "NumPart_ThisFile";
const TOTAL: &str = "NumPart_Total";
const MASSES: &str = "MassTable";
const TIME: &str = "Time";
const FILES: &str = "NumFilesPerSnapshot";
const REDSHIFT: &str = "Redshift";

/// The tables of a type of particles.
const POSITION: &str = "Coordinates";
const VELOCITY: &str = "Velocities";
const MASS: &str = "Masses";

/// Types of particles in a header that is written.
const TYPES: usize = 6;
/// The type of the particles that are written: halo, whose particles have gravity alone.
const TYPE: usize = 1;

impl Snapshot {
    /// Writes HDF5 in the layout of GADGET, which yt, pynbody and h5py read: the group `Header`
    /// with the attributes `NumPart_ThisFile`, `MassTable`, `Time` and others, and the group
    /// `PartType1` with the tables `Coordinates`, `Velocities`, `Masses` and `ParticleIDs`. Real
    /// numbers have 64 bits and come back to the last bit. The identifiers are 1, 2, 3 and so on,
    /// in the order of the particles. The format is readable from HDF5 1.8 on.
    ///
    /// The particles are fewer than 2³². Programs take units of their own unless they are told
    /// others: here G = 1.
    pub fn write_hdf5(&self, to: impl Write) -> Result<(), Error> {
        write::write(self, to)
    }

    /// Reads HDF5 in the layout of GADGET, from this library or another program, with numbers of 32
    /// or 64 bits, compressed or not. Particles of all types are point masses, type by type, in
    /// the order of the file; their masses are in `Masses`, or for a whole type in `MassTable`.
    /// Without `Time` the time is 0. Numbers are taken as they are: G = 1 must hold in the units
    /// of the file.
    ///
    /// A snapshot in several files is refused, and one at a redshift, whose coordinates are
    /// comoving.
    pub fn read_hdf5(from: impl BufRead) -> Result<Self, Error> {
        read::read(from)
    }
}

/// Creates the error of a place in a file.
fn layout(
    place: impl Into<String>,
    found: impl Into<String>,
    expected: impl Into<String>,
) -> Error {
    Error::Layout { place: place.into(), found: found.into(), expected: expected.into() }
}
