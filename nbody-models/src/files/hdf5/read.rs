//! Reading.

use std::collections::HashMap;
use std::io::{BufRead, Read as _};

use hdf5_pure::{AttrValue, DType, File, Group};

use super::{
    FILES, HEADER, MASS, MASSES, NUMBERS, POSITION, READ, REDSHIFT, TIME, TOTAL, VELOCITY, layout,
};
use crate::{Error, Particle, Snapshot};

/// The greatest ratio of a table to the file: deflate does not reach 1032. A table that is larger
/// comes from a damaged file.
const COMPRESSION: u64 = 1100;

const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";
/// The bytes that a signature must be in: a stream of anything else would be read without end.
const USER_BLOCK: u64 = 1 << 20;

pub fn read(mut from: impl BufRead) -> Result<Snapshot, Error> {
    let (mut bytes, failed) = (Vec::new(), |source| Error::Io { action: READ, source });
    from.by_ref().take(USER_BLOCK).read_to_end(&mut bytes).map_err(failed)?;
    if !has_signature(&bytes) {
        let expected = "an HDF5 file, complete and undamaged";
        return Err(layout("the file", "no signature of HDF5", expected));
    }
    from.read_to_end(&mut bytes).map_err(failed)?;
    let file = open(bytes)?;
    let header = Header::read(&file)?;
    let mut particles = Vec::new();
    for (kind, &count) in header.numbers.iter().enumerate().filter(|(_, count)| **count > 0) {
        let mass = header.masses.get(kind).copied().unwrap_or(0.0);
        particles.extend(Kind::open(&file, kind, count)?.particles(mass)?);
    }
    Ok(Snapshot { time: header.time, particles })
}

/// Returns whether the signature of HDF5 is at the beginning, or after a user block: then at 512 bytes,
/// or twice the place before.
fn has_signature(bytes: &[u8]) -> bool {
    let places = [0].into_iter().chain((9..USER_BLOCK.ilog2()).map(|power| 1 << power));
    places.into_iter().any(|at: usize| bytes.get(at..).is_some_and(|it| it.starts_with(SIGNATURE)))
}

/// Opens a file, and refuses one that is shorter than it states: its end may be a table that is
/// not read.
fn open(bytes: Vec<u8>) -> Result<File, Error> {
    let file = File::from_bytes(bytes).map_err(|error| {
        layout("the file", error.to_string(), "an HDF5 file, complete and undamaged")
    })?;
    let (found, stated) = (file.file_size(), file.superblock().eof_address);
    if found < stated {
        let expected = format!("{stated} bytes, as it states: it is cut short");
        return Err(layout("the file", format!("{found} bytes"), expected));
    }
    Ok(file)
}

/// The attributes of the header that matter here.
struct Header {
    numbers: Vec<u64>,
    masses: Vec<f64>,
    time: f64,
}

impl Header {
    fn read(file: &File) -> Result<Self, Error> {
        let expected = "a group of attributes, as GADGET writes it";
        let header = file.group(HEADER).and_then(|group| group.attrs());
        let header = header.map_err(|error| layout(HEADER, error.to_string(), expected))?;
        let attribute = |name: &str| header.get(name);
        let Some(numbers) = attribute(NUMBERS) else {
            let expected = "the number of particles of each type";
            return Err(layout(format!("{HEADER}/{NUMBERS}"), "nothing", expected));
        };
        let numbers = numbers.to_u64s().ok_or_else(|| wrong(NUMBERS, numbers, "whole numbers"))?;
        if let Some(total) = attribute(TOTAL) {
            // Of a number beyond 32 bits another attribute has the upper ones.
            let low = |numbers: Vec<u64>| numbers.iter().map(|n| *n as u32).collect::<Vec<_>>();
            if total.to_u64s().map(low) != Some(low(numbers.clone())) {
                let expected = format!("{numbers:?} as in {NUMBERS}: a snapshot in one file");
                return Err(wrong(TOTAL, total, &expected));
            }
        }
        if let Some(files) = attribute(FILES)
            && files.as_u64() != Some(1)
        {
            return Err(wrong(FILES, files, "1, a snapshot in one file"));
        }
        let redshift = number(&header, REDSHIFT)?;
        if redshift != 0.0 {
            let expected = "0: coordinates at a redshift are comoving";
            return Err(layout(format!("{HEADER}/{REDSHIFT}"), redshift.to_string(), expected));
        }
        let masses = attribute(MASSES).map_or(Ok(Vec::new()), |value| {
            let finite = value.to_f64s().filter(|masses| masses.iter().all(|m| m.is_finite()));
            finite.ok_or_else(|| wrong(MASSES, value, "finite numbers"))
        })?;
        Ok(Self { numbers, masses, time: number(&header, TIME)? })
    }
}

/// Returns a finite number of the header; 0 if it is absent.
fn number(header: &HashMap<String, AttrValue>, name: &str) -> Result<f64, Error> {
    header.get(name).map_or(Ok(0.0), |value| {
        let finite = value.as_f64().filter(|number| number.is_finite());
        finite.ok_or_else(|| wrong(name, value, "a finite number"))
    })
}

fn wrong(name: &str, value: &AttrValue, expected: &str) -> Error {
    layout(format!("{HEADER}/{name}"), format!("{value:?}"), expected)
}

/// The particles of a type.
struct Kind {
    group: Group,
    name: String,
    count: u64,
    /// The greatest size of a table in bytes.
    limit: u64,
}

impl Kind {
    fn open(file: &File, kind: usize, count: u64) -> Result<Self, Error> {
        let name = format!("PartType{kind}");
        let group = file.group(&name).map_err(|error| {
            layout(&*name, error.to_string(), format!("a group of {count} particles"))
        })?;
        Ok(Self { group, name, count, limit: file.file_size().saturating_mul(COMPRESSION) })
    }

    /// Reads the particles, all of this mass, or if it is 0 of the masses in the table.
    fn particles(&self, mass: f64) -> Result<Vec<Particle>, Error> {
        let (positions, velocities) = (self.table(POSITION, 3)?, self.table(VELOCITY, 3)?);
        let masses = if mass == 0.0 { Some(self.table(MASS, 1)?) } else { None };
        let vectors = positions.as_chunks().0.iter().zip(velocities.as_chunks().0);
        let particle = |(k, (&pos, &vel)): (usize, (&[f64; 3], &[f64; 3]))| {
            let mass = masses.as_ref().map_or(mass, |masses| masses[k]);
            Particle { mass, pos, vel }
        };
        Ok(vectors.enumerate().map(particle).collect())
    }

    /// Reads a table of finite real numbers, with a row for each particle.
    fn table(&self, name: &str, columns: u64) -> Result<Vec<f64>, Error> {
        let place = format!("{}/{name}", self.name);
        let shape = if columns == 1 { vec![self.count] } else { vec![self.count, columns] };
        let expected = format!("real numbers of the shape {shape:?}");
        let failed = |error: hdf5_pure::Error| layout(&*place, error.to_string(), &*expected);
        let table = self.group.dataset(name).map_err(failed)?;
        let (found, kind) = (table.shape().map_err(failed)?, table.dtype().map_err(failed)?);
        if found != shape || !matches!(kind, DType::F32 | DType::F64) {
            return Err(layout(&*place, format!("{kind} of the shape {found:?}"), expected));
        }
        if self.count.saturating_mul(8 * columns) > self.limit {
            let found = format!("{} particles", self.count);
            return Err(layout(&*place, found, "no more than a file of this size can hold"));
        }
        let numbers = table.read_f64().map_err(failed)?;
        if let Some(at) = numbers.iter().position(|number| !number.is_finite()) {
            let row = at as u64 / columns;
            let found = format!("{} of the particle {row}", numbers[at]);
            return Err(layout(&*place, found, "a finite number"));
        }
        if numbers.len() as u64 != self.count * columns {
            return Err(layout(&*place, format!("{} numbers", numbers.len()), expected));
        }
        Ok(numbers)
    }
}
