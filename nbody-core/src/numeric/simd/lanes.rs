//! Lanes that are filled from memory.

use crate::{DoubleSingle, FieldKind, Lane, Mixed, Reader, Scalar, Writer};

/// Particles in a block: a multiple of the elements of every lane.
pub(crate) const LINE: usize = 16;

/// One number of each particle of a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Line<W>(pub [W; LINE]);

/// The bits of a number in memory.
pub(crate) type Word<L> = <<L as Lanes>::Scalar as Scalar>::Word;

/// A lane of one or several elements, which memory holds in lines.
pub(crate) trait Lanes: Lane {
    /// One of its elements.
    type Scalar: Scalar;
    /// How many elements it has; divides [`LINE`].
    const WIDTH: usize;
    /// How many of them the registers hold.
    const REGISTERS: usize;

    /// Runs a function, all of which is inlined, with the instructions of the lane.
    fn vectorize<R>(f: impl FnOnce() -> R) -> R;

    /// The numbers of a line that fill the lane in which the one at `at` is.
    fn load(line: &Line<Word<Self>>, at: usize) -> Self;
    /// The same of integers.
    fn load_u32(line: &Line<Word<Self>>, at: usize) -> Self::U32;
    /// The number of this word, in every element.
    fn broadcast(word: Word<Self>) -> Self;
    /// Writes the numbers to the first words of a line.
    fn store(self, line: &mut Line<Word<Self>>);
    /// Writes the integers to the first words of a line.
    fn store_u32(integers: Self::U32, line: &mut Line<Word<Self>>);
    /// `first`, `first + 1`, ...
    fn count_from(first: u32) -> Self::U32;
    /// The sum of all elements, or the smallest or largest of them: what the kind of a result says.
    fn reduce(self, kind: FieldKind) -> Word<Self>;
    /// A coordinate, of as many numbers as it takes.
    fn coordinate_from(next: impl FnMut() -> Self) -> Self::Coordinate;
}

/// Reads the records of some particles of a block, one in each element of the lane.
pub(crate) struct Load<'a, L: Lanes> {
    pub lines: &'a [Line<Word<L>>],
    /// The first of these particles, in the block.
    pub at: usize,
}

impl<L: Lanes> Reader<L> for Load<'_, L> {
    #[inline(always)]
    fn real(&mut self) -> L {
        let [line, rest @ ..] = self.lines else { return L::default() };
        self.lines = rest;
        L::load(line, self.at)
    }
    #[inline(always)]
    fn index(&mut self) -> L::U32 {
        let [line, rest @ ..] = self.lines else { return L::U32::default() };
        self.lines = rest;
        L::load_u32(line, self.at)
    }
    #[inline(always)]
    fn coordinate(&mut self) -> L::Coordinate {
        L::coordinate_from(
            #[inline(always)]
            || self.real(),
        )
    }
}

/// Reads the record of one particle of a block into every element of the lane.
pub(crate) struct Broadcast<'a, L: Lanes> {
    pub lines: &'a [Line<Word<L>>],
    /// Which particle of the block.
    pub at: usize,
}

impl<L: Lanes> Broadcast<'_, L> {
    #[inline(always)]
    fn next(&mut self) -> Word<L> {
        let [line, rest @ ..] = self.lines else { return Word::<L>::default() };
        self.lines = rest;
        line.0[self.at]
    }
}

impl<L: Lanes> Reader<L> for Broadcast<'_, L> {
    #[inline(always)]
    fn real(&mut self) -> L {
        L::broadcast(self.next())
    }
    #[inline(always)]
    fn index(&mut self) -> L::U32 {
        L::splat_u32(L::Scalar::word_to_u32(self.next()))
    }
    #[inline(always)]
    fn coordinate(&mut self) -> L::Coordinate {
        L::coordinate_from(
            #[inline(always)]
            || self.real(),
        )
    }
}

/// Writes records, one in each element of the lane, to the beginnings of lines.
pub(crate) struct Store<'a, L: Lanes> {
    pub lines: std::slice::IterMut<'a, Line<Word<L>>>,
}

impl<L: Lanes> Writer<L> for Store<'_, L> {
    #[inline(always)]
    fn real(&mut self, value: L) {
        if let Some(line) = self.lines.next() {
            value.store(line);
        }
    }
    #[inline(always)]
    fn index(&mut self, value: L::U32) {
        if let Some(line) = self.lines.next() {
            L::store_u32(value, line);
        }
    }
    /// Results have no positions.
    #[inline(always)]
    fn coordinate(&mut self, _: L::Coordinate) {}
}

/// Writes what the elements of records are together, as one particle of a block.
pub(crate) struct Reduce<'a, L: Lanes> {
    pub lines: std::slice::IterMut<'a, Line<Word<L>>>,
    pub kinds: &'a [FieldKind],
    /// Which particle of the block.
    pub at: usize,
}

impl<L: Lanes> Reduce<'_, L> {
    #[inline(always)]
    fn next(&mut self) -> Option<(&mut Word<L>, FieldKind)> {
        let (kind, kinds) = self.kinds.split_first()?;
        self.kinds = kinds;
        Some((self.lines.next()?.0.get_mut(self.at)?, *kind))
    }
}

impl<L: Lanes> Writer<L> for Reduce<'_, L> {
    #[inline(always)]
    fn real(&mut self, value: L) {
        if let Some((word, kind)) = self.next() {
            *word = value.reduce(kind);
        }
    }
    /// Counts: what keeps the index of a particle has no form for both directions.
    #[inline(always)]
    fn index(&mut self, value: L::U32) {
        if let Some((word, _)) = self.next() {
            let mut counts = Line([Word::<L>::default(); LINE]);
            L::store_u32(value, &mut counts);
            let counts = counts.0.map(L::Scalar::word_to_u32);
            *word = L::Scalar::word_from_u32(counts.into_iter().fold(0, u32::wrapping_add));
        }
    }
    /// Results have no positions.
    #[inline(always)]
    fn coordinate(&mut self, _: L::Coordinate) {}
}

macro_rules! one_element {
    ($scalar:ident, $coordinate:expr) => {
        impl Lanes for $scalar {
            type Scalar = Self;
            const WIDTH: usize = 1;
            const REGISTERS: usize = 16;

            #[inline(always)]
            fn vectorize<R>(f: impl FnOnce() -> R) -> R {
                f()
            }
            #[inline(always)]
            fn load(line: &Line<Word<Self>>, at: usize) -> Self {
                Self::from_word(line.0[at])
            }
            #[inline(always)]
            fn load_u32(line: &Line<Word<Self>>, at: usize) -> u32 {
                Self::word_to_u32(line.0[at])
            }
            #[inline(always)]
            fn broadcast(word: Word<Self>) -> Self {
                Self::from_word(word)
            }
            #[inline(always)]
            fn store(self, line: &mut Line<Word<Self>>) {
                line.0[0] = self.to_word();
            }
            #[inline(always)]
            fn store_u32(integer: u32, line: &mut Line<Word<Self>>) {
                line.0[0] = Self::word_from_u32(integer);
            }
            #[inline(always)]
            fn count_from(first: u32) -> u32 {
                first
            }
            #[inline(always)]
            fn reduce(self, _: FieldKind) -> Word<Self> {
                self.to_word()
            }
            #[inline(always)]
            fn coordinate_from(next: impl FnMut() -> Self) -> Self::Coordinate {
                $coordinate(next)
            }
        }
    };
}
one_element!(f32, single);
one_element!(f64, single);
one_element!(Mixed, double_single);

#[inline(always)]
fn single<L>(mut next: impl FnMut() -> L) -> L {
    next()
}

#[inline(always)]
fn double_single(mut next: impl FnMut() -> Mixed) -> DoubleSingle {
    let hi = next().0;
    DoubleSingle { hi, lo: next().0 }
}
