//! Measurements of earlier runs.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::report::Row;
use crate::run::history::Counts;
use crate::sphere::{Experiment, Integrated};

/// The most bytes of a file, for some hundred thousand measurements.
const LARGEST: u64 = 1 << 26;

/// A reason to refuse the measurements of a file.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {}: {source}; give a file that `nbody scaling --csv` wrote", path.display())]
    Read { path: PathBuf, source: csv::Error },

    #[error("{} has more than {LARGEST} bytes; give a file that `nbody scaling --csv` wrote", path.display())]
    TooLarge { path: PathBuf },

    #[error("{} has no measurements; give a file that `nbody scaling --csv` wrote", path.display())]
    Empty { path: PathBuf },

    #[error(
        "{}, N = {n}: measured with {option} {found}, and this run has {expected}; give {option} {found}",
        path.display()
    )]
    Other { path: PathBuf, n: usize, option: &'static str, found: String, expected: String },
}

/// The columns that are read.
#[derive(Debug, Deserialize)]
struct Record {
    device: String,
    n: usize,
    eps: f64,
    eta: f64,
    precision: String,
    accumulation: String,
    math: String,
    quarter_block_steps: u64,
    quarter_particle_steps: u64,
    quarter_s: f64,
    unit_block_steps: u64,
    unit_particle_steps: u64,
    unit_s: f64,
    unit_energy_error: Option<f64>,
}

/// Reads a file; refuses one that is too large, such as a stream without an end.
fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    read.map_err(|source| Error::Read { path: path.to_owned(), source: source.into() })?;
    if bytes.len() as u64 > LARGEST {
        return Err(Error::TooLarge { path: path.to_owned() });
    }
    Ok(bytes)
}

/// Reads the measurements of a file; refuses other experiments.
pub fn read(path: &Path, experiment: &Experiment) -> Result<Vec<Row>, Error> {
    let refuse = |source| Error::Read { path: path.to_owned(), source };
    let bytes = bytes(path)?;
    let mut reader = csv::Reader::from_reader(&bytes[..]);
    // Rows end without an error where the header cannot be read.
    reader.headers().map_err(refuse)?;
    let mut rows = Vec::new();
    for record in reader.deserialize() {
        let record: Record = record.map_err(refuse)?;
        check(path, &record, experiment)?;
        rows.push(record.row());
    }
    if rows.is_empty() {
        return Err(Error::Empty { path: path.to_owned() });
    }
    Ok(rows)
}

fn check(path: &Path, record: &Record, experiment: &Experiment) -> Result<(), Error> {
    let options = experiment.options;
    let settings = [
        ("--eps", record.eps.to_string(), experiment.eps.to_string()),
        ("--eta", record.eta.to_string(), experiment.eta.to_string()),
        ("--precision", record.precision.clone(), options.precision.to_string()),
        ("--accumulation", record.accumulation.clone(), options.accumulation.to_string()),
        ("--math", record.math.clone(), options.math.to_string()),
    ];
    match settings.into_iter().find(|(_, found, expected)| found != expected) {
        None => Ok(()),
        Some((option, found, expected)) => {
            Err(Error::Other { path: path.to_owned(), n: record.n, option, found, expected })
        }
    }
}

impl Record {
    fn row(self) -> Row {
        let counts = |steps, particle_steps, seconds| Counts { steps, particle_steps, seconds };
        let done = Integrated {
            time: 1.0,
            whole: counts(self.unit_block_steps, self.unit_particle_steps, self.unit_s),
            quarter: counts(self.quarter_block_steps, self.quarter_particle_steps, self.quarter_s),
            error: self.unit_energy_error,
        };
        Row { device: self.device, n: self.n, done }
    }
}
