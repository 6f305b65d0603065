//! Records as words: the layouts of buffers.

use std::marker::PhantomData;

use crate::{Reader, Record, Scalar, Writer, parallel, record};

/// Numbers that one thread converts faster than it wakes others.
const SERIAL: usize = 1 << 16;
/// Records that a thread converts at a time.
pub(crate) const CHUNK: usize = 1 << 12;

/// The words of a record in `S`: one for each number, and more for coordinates in mixed precision.
pub const fn words<P: Record, S: Scalar>() -> usize {
    record::words(P::FIELDS, S::COORDINATE_WORDS)
}

/// The particles row by row, [`words`] each, their reals rounded to the nearest `S`.
pub fn pack<P, S>(particles: &[P]) -> Vec<S::Word>
where
    P: Record,
    P::Lane: Scalar,
    S: Scalar,
{
    let mut words = vec![S::Word::default(); particles.len() * self::words::<P, S>()];
    pack_into::<P, S>(particles, &mut words);
    words
}

/// [`pack`] into the first of these words; particles that find no room are left out.
pub fn pack_into<P, S>(particles: &[P], words: &mut [S::Word])
where
    P: Record,
    P::Lane: Scalar,
    S: Scalar,
{
    let row = const { self::words::<P, S>() };
    if particles.len() * row < SERIAL {
        return rows::<P, S>(particles, words);
    }
    parallel::each_chunk(words, CHUNK * row, &|k, words| {
        let particles = particles.get(k * CHUNK..).unwrap_or_default();
        rows::<P, S>(&particles[..particles.len().min(CHUNK)], words);
    });
}

/// Writes the words of each particle, one behind another.
pub(crate) fn rows<P, S>(particles: &[P], words: &mut [S::Word])
where
    P: Record,
    P::Lane: Scalar,
    S: Scalar,
{
    let mut words = words.iter_mut();
    let mut cells = Cells::<S, _>::new(|word| {
        if let Some(cell) = words.next() {
            *cell = word;
        }
    });
    for particle in particles {
        particle.write(&mut cells);
    }
}

/// The records whose numbers lie as structure of arrays: component `c` of record `k` is
/// `words[c * n + k]`. What is missing reads as zero.
pub fn unpack_columns<P, S>(words: &[S::Word], n: usize) -> Vec<P>
where
    P: Record,
    P::Lane: Scalar,
    S: Scalar,
{
    let record = |k| {
        let mut column = words.iter().copied().skip(k).step_by(n);
        P::read(&mut Words::<S, _>::new(|| column.next().unwrap_or_default()))
    };
    parallel::map(n, if n * P::DIM < SERIAL { n } else { CHUNK }, &record)
}

/// The same records in another scalar, their reals rounded to nearest.
pub fn cast<P, Q>(particles: &[P]) -> Vec<Q>
where
    P: Record,
    P::Lane: Scalar,
    Q: Record<Host = P::Host>,
    Q::Lane: Scalar,
{
    let words = pack::<P, P::Lane>(particles);
    let mut words = words.into_iter();
    let mut rows = Words::<P::Lane, _>::new(|| words.next().unwrap_or_default());
    particles.iter().map(|_| Q::read(&mut rows)).collect()
}

/// The reals of the records, and their integers as reals, row by row.
pub(crate) fn flatten<P>(records: &[P]) -> Vec<f64>
where
    P: Record,
    P::Lane: Scalar,
{
    let mut numbers = Numbers { numbers: Vec::with_capacity(records.len() * P::DIM) };
    for record in records {
        record.write(&mut numbers);
    }
    numbers.numbers
}

/// Writes the numbers of records as words of `S`, and gives them to a function.
pub(crate) struct Cells<S, F> {
    push: F,
    scalar: PhantomData<S>,
}

impl<S: Scalar, F: FnMut(S::Word)> Cells<S, F> {
    pub fn new(push: F) -> Self {
        Self { push, scalar: PhantomData }
    }
}

impl<S: Scalar, R: Scalar, F: FnMut(S::Word)> Writer<R> for Cells<S, F> {
    fn real(&mut self, value: R) {
        (self.push)(S::from_f64(value.to_f64()).to_word());
    }
    fn index(&mut self, value: u32) {
        (self.push)(S::word_from_u32(value));
    }
    fn coordinate(&mut self, value: R::Coordinate) {
        let value = S::coordinate(R::coordinate_to_f64(value));
        S::coordinate_to_words(value, &mut self.push);
    }
}

/// Reads the numbers of records from words of `S`, which a function gives.
pub(crate) struct Words<S, F> {
    next: F,
    scalar: PhantomData<S>,
}

impl<S: Scalar, F: FnMut() -> S::Word> Words<S, F> {
    pub fn new(next: F) -> Self {
        Self { next, scalar: PhantomData }
    }
}

impl<S: Scalar, R: Scalar, F: FnMut() -> S::Word> Reader<R> for Words<S, F> {
    fn real(&mut self) -> R {
        R::from_f64(S::from_word((self.next)()).to_f64())
    }
    fn index(&mut self) -> u32 {
        S::word_to_u32((self.next)())
    }
    fn coordinate(&mut self) -> R::Coordinate {
        R::coordinate(S::coordinate_to_f64(S::coordinate_from_words(&mut self.next)))
    }
}

struct Numbers {
    numbers: Vec<f64>,
}

impl<R: Scalar> Writer<R> for Numbers {
    fn real(&mut self, value: R) {
        self.numbers.push(value.to_f64());
    }
    fn index(&mut self, value: u32) {
        self.numbers.push(value.into());
    }
    fn coordinate(&mut self, value: R::Coordinate) {
        self.numbers.push(R::coordinate_to_f64(value));
    }
}
