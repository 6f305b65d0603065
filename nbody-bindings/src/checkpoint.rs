//! Files from which runs are resumed.
//!
//! A file has a mark, the version of the format, the contents, and the hash of all bytes before. Its
//! numbers are little-endian 64-bit words, reals by their bits, so that a run goes on with the same bits.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use nbody::Domain;
use nbody::law::Record;
use nbody::lists::ListState;
use nbody::untyped::EngineState;
use nbody_core::pack;
use nbody_integrate::{
    BlockCheckpoint, HermiteCheckpoint, HermiteOptions, LeapfrogCheckpoint, Motion, StepLimits,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::failure::Failure;

const MARK: &[u8; 8] = b"nbodyrun";
const VERSION: u64 = 1;

/// A run between two steps.
pub struct Checkpoint {
    /// The law and the fields of its moving particles.
    pub law: String,
    /// The numbers of steps, and of steps of single particles.
    pub steps: [u64; 2],
    /// The fields of the particles besides their motions, row by row.
    pub others: Vec<u64>,
    pub state: State,
}

/// The state of an integrator, and what its checkpoint leaves out.
pub enum State {
    Leapfrog { step: f64, wraps: bool, checkpoint: LeapfrogCheckpoint },
    Hermite { options: HermiteOptions, checkpoint: HermiteCheckpoint },
    BlockHermite { options: HermiteOptions, checkpoint: BlockCheckpoint },
}

impl State {
    /// Returns the motions of the particles.
    pub fn motions(&self) -> Result<Vec<Motion>, Failure> {
        Ok(match self {
            Self::Leapfrog { checkpoint, .. } => checkpoint.motions.clone(),
            Self::Hermite { checkpoint, .. } => Motion::of(&checkpoint.stars)?,
            Self::BlockHermite { checkpoint, .. } => Motion::of(&checkpoint.stars)?,
        })
    }
}

impl Checkpoint {
    /// Writes the file completely or not at all: it replaces an existing file when all is written.
    pub fn save(&self, path: &str) -> Result<(), Failure> {
        let mut out = Writer(Vec::new());
        out.0.extend(MARK);
        out.number(VERSION);
        out.number(self.law.len() as u64);
        out.0.extend(self.law.as_bytes());
        out.numbers(self.steps);
        out.words(&self.others);
        out.state(&self.state);
        let hash = xxh3_64(&out.0);
        out.number(hash);
        replace(Path::new(path), &out.0)
            .map_err(|error| Failure::argument(format!("cannot write {path}: {error}")))
    }

    /// Reads a file that [`save`](Self::save) wrote.
    pub fn load(path: &str) -> Result<Self, Failure> {
        let bytes = fs::read(path)
            .map_err(|error| Failure::argument(format!("cannot read {path}: {error}")))?;
        let Some(contents) = bytes.strip_prefix(MARK) else {
            return Err(Failure::argument(format!(
                "{path} is no checkpoint of a run; give a file to which a run was saved"
            )));
        };
        let damaged = || damaged(path);
        let mut contents = Reader(contents);
        let version = contents.number().ok_or_else(damaged)?;
        if version != VERSION {
            return Err(Failure::unsupported(format!(
                "{path} is a checkpoint of version {version}, expected {VERSION}; resume it by the \
                 version of nbody that saved it"
            )));
        }
        let hash = contents.0.split_last_chunk().filter(|(before, hash)| {
            let hashed = MARK.len() + size_of::<u64>() + before.len();
            xxh3_64(&bytes[..hashed]) == u64::from_le_bytes(**hash)
        });
        let (before, _) = hash.ok_or_else(damaged)?;
        contents = Reader(before);
        let checkpoint = contents.checkpoint().filter(|_| contents.0.is_empty());
        checkpoint.ok_or_else(damaged)
    }
}

/// Returns the failure of a file whose contents contradict themselves.
pub fn damaged(path: &str) -> Failure {
    let message = format!("{path} is damaged or cut short; resume from an earlier checkpoint");
    Failure::argument(message)
}

/// Replaces a file by these bytes, which are first written to PATH.part.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays, and its target is replaced.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("it is no file; give the path of a file"));
    }
    let mut part = OsString::from(&path);
    part.push(".part");
    let part = PathBuf::from(part);
    let written = File::create(&part).and_then(|mut file| {
        file.write_all(bytes)?;
        // The file before survives even if the machine stops.
        file.sync_all()?;
        fs::rename(&part, &path)
    });
    written.inspect_err(|_| {
        // The first failure is reported.
        let _ = fs::remove_file(&part);
    })
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    fn numbers(&mut self, numbers: impl IntoIterator<Item = u64>) {
        numbers.into_iter().for_each(|number| self.number(number));
    }

    fn reals(&mut self, reals: impl IntoIterator<Item = f64>) {
        self.numbers(reals.into_iter().map(f64::to_bits));
    }

    /// Writes a number of words and the words.
    fn words(&mut self, words: &[u64]) {
        self.number(words.len() as u64);
        self.numbers(words.iter().copied());
    }

    fn real_words(&mut self, reals: &[f64]) {
        self.number(reals.len() as u64);
        self.reals(reals.iter().copied());
    }

    fn records<P: Record<Lane = f64>>(&mut self, records: &[P]) {
        self.words(&pack::rows(&records));
    }

    fn options(&mut self, options: HermiteOptions) {
        self.reals([options.eta, options.eta_start, options.largest]);
        self.number(options.iterations.into());
    }

    fn limits(&mut self, StepLimits { speed, longest }: StepLimits) {
        self.reals([speed, longest]);
    }

    fn state(&mut self, state: &State) {
        match state {
            State::Leapfrog { step, wraps, checkpoint } => {
                let LeapfrogCheckpoint { begin, steps, motions, engine } = checkpoint;
                self.number(1);
                self.reals([*step, *begin]);
                self.numbers([u64::from(*wraps), *steps]);
                self.records(motions);
                self.engine(engine);
            }
            State::Hermite { options, checkpoint } => {
                let HermiteCheckpoint { begin, ticks, level, limits, stars } = checkpoint;
                self.number(2);
                self.options(*options);
                self.reals([*begin]);
                self.numbers([*ticks, u64::from(*level)]);
                self.limits(*limits);
                self.records(stars);
            }
            State::BlockHermite { options, checkpoint } => {
                let BlockCheckpoint { begin, ticks, limits, stars } = checkpoint;
                self.number(3);
                self.options(*options);
                self.reals([*begin]);
                self.number(*ticks);
                self.limits(*limits);
                self.records(stars);
            }
        }
    }

    fn engine(&mut self, engine: &EngineState) {
        match engine {
            EngineState::Nothing => self.number(0),
            EngineState::Lists(lists) => {
                self.number(1);
                self.lists(lists);
            }
            EngineState::Results(lengths) => {
                self.number(2);
                self.real_words(lengths);
            }
            unknown => panic!("no format for the engine state {unknown:?}"),
        }
    }

    fn lists(&mut self, lists: &ListState) {
        let ListState { positions, origin, scale, domain, parameters, numbers, room } = lists;
        for positions in positions {
            self.real_words(positions.as_flattened());
        }
        self.reals(*origin);
        self.reals([*scale]);
        match domain {
            Domain::Open => self.number(0),
            Domain::Periodic(lengths) => {
                self.number(1);
                self.reals(lengths.to_array());
            }
            Domain::Triclinic(vectors) => {
                self.number(2);
                vectors.to_array().into_iter().for_each(|vector| self.reals(vector));
            }
            unknown => panic!("no format for the domain {unknown:?}"),
        }
        for vectors in [parameters, &numbers[0], &numbers[1]] {
            self.number(vectors.len() as u64);
            for vector in vectors {
                self.real_words(vector);
            }
        }
        self.numbers(*room);
    }
}

/// Reads what a [`Writer`] wrote; `None` if it is not there.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    fn flag(&mut self) -> Option<bool> {
        [false, true].get(usize::try_from(self.number()?).ok()?).copied()
    }

    fn real(&mut self) -> Option<f64> {
        self.number().map(f64::from_bits)
    }

    fn three(&mut self) -> Option<[f64; 3]> {
        Some([self.real()?, self.real()?, self.real()?])
    }

    /// Reads this number of bytes.
    fn bytes(&mut self, count: u64) -> Option<&[u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(count).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    fn words(&mut self) -> Option<Vec<u64>> {
        let count = self.number()?.checked_mul(8)?;
        let (words, _) = self.bytes(count)?.as_chunks();
        Some(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }

    fn reals(&mut self) -> Option<Vec<f64>> {
        Some(self.words()?.into_iter().map(f64::from_bits).collect())
    }

    fn vectors(&mut self) -> Option<Vec<Vec<f64>>> {
        (0..self.number()?).map(|_| self.reals()).collect()
    }

    fn records<P: Record<Lane = f64>>(&mut self) -> Option<Vec<P>> {
        let words = self.words()?;
        let rows = words.chunks_exact(P::DIM);
        rows.remainder().is_empty().then(|| rows.map(pack::record).collect())
    }

    fn options(&mut self) -> Option<HermiteOptions> {
        let [eta, eta_start, largest] = self.three()?;
        let iterations = self.number()?.try_into().ok()?;
        let options = HermiteOptions::default().eta(eta).eta_start(eta_start);
        Some(options.largest(largest).iterations(iterations))
    }

    fn limits(&mut self) -> Option<StepLimits> {
        Some(StepLimits { speed: self.real()?, longest: self.real()? })
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        let length = self.number()?;
        let law = String::from_utf8(self.bytes(length)?.to_vec()).ok()?;
        let steps = [self.number()?, self.number()?];
        Some(Checkpoint { law, steps, others: self.words()?, state: self.state()? })
    }

    fn state(&mut self) -> Option<State> {
        Some(match self.number()? {
            1 => {
                let [step, begin] = [self.real()?, self.real()?];
                let (wraps, steps) = (self.flag()?, self.number()?);
                let (motions, engine) = (self.records()?, self.engine()?);
                let checkpoint = LeapfrogCheckpoint { begin, steps, motions, engine };
                State::Leapfrog { step, wraps, checkpoint }
            }
            2 => {
                let options = self.options()?;
                let (begin, ticks) = (self.real()?, self.number()?);
                let level = self.number()?.try_into().ok()?;
                let (limits, stars) = (self.limits()?, self.records()?);
                let checkpoint = HermiteCheckpoint { begin, ticks, level, limits, stars };
                State::Hermite { options, checkpoint }
            }
            3 => {
                let options = self.options()?;
                let (begin, ticks) = (self.real()?, self.number()?);
                let (limits, stars) = (self.limits()?, self.records()?);
                let checkpoint = BlockCheckpoint { begin, ticks, limits, stars };
                State::BlockHermite { options, checkpoint }
            }
            _ => return None,
        })
    }

    fn engine(&mut self) -> Option<EngineState> {
        Some(match self.number()? {
            0 => EngineState::Nothing,
            1 => EngineState::Lists(self.lists()?),
            2 => EngineState::Results(self.reals()?),
            _ => return None,
        })
    }

    fn lists(&mut self) -> Option<ListState> {
        let mut positions = || {
            let reals = self.reals()?;
            let (positions, rest) = reals.as_chunks();
            rest.is_empty().then(|| positions.to_vec())
        };
        let positions = [positions()?, positions()?];
        let (origin, scale) = (self.three()?, self.real()?);
        let domain = match self.number()? {
            0 => Domain::Open,
            1 => Domain::periodic(self.three()?).ok()?,
            2 => Domain::triclinic([self.three()?, self.three()?, self.three()?]).ok()?,
            _ => return None,
        };
        let (parameters, numbers) = (self.vectors()?, [self.vectors()?, self.vectors()?]);
        let room = [self.number()?, self.number()?];
        Some(ListState { positions, origin, scale, domain, parameters, numbers, room })
    }
}
