//! Lanes that are loaded from memory.

use crate::field::FieldKind;
use crate::numeric::lane::Lane;
use crate::numeric::mixed::{DoubleSingle, Mixed};
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::scalar::Scalar;
use crate::numeric::spline::{Cubic, Cubics};

/// Number of particles in a block, a multiple of the elements of every lane.
pub const LINE: usize = 16;

/// One number for each particle of a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Line<W>(pub [W; LINE]);

/// The number of lines that `n` cubics of four numbers fill, among parameters.
pub(crate) const fn lines_of_cubics(n: usize) -> usize {
    (4 * n).div_ceil(LINE)
}

/// Takes the next `n` cubics of four numbers from lines of parameters. They are dense, so that a table
/// takes no more memory than its numbers.
///
/// The functions that read parameters in lanes keep them only while the lines exist.
#[inline(always)]
fn take_cubics<L: Lanes>(lines: &mut &[Line<Word<L>>], n: usize) -> Cubics<L::Element> {
    const { assert!(size_of::<L::Element>() == size_of::<Word<L>>()) };
    let (cubics, rest) = lines.split_at(lines_of_cubics(n));
    *lines = rest;
    // SAFETY: the lines have at least `4 * n` words without padding, and each is a valid element.
    // Loops read parameters when they begin, from lines of their setting, and drop them at their
    // end.
    #[allow(unsafe_code)]
    unsafe {
        Cubics::lent(cubics.as_ptr().cast::<Cubic<L::Element>>(), n)
    }
}

/// The invariant of readers and writers.
const A_LINE: &str = "a record has a line for each number";

/// The bits of a number in memory.
pub(crate) type Word<L> = <<L as Lanes>::Scalar as Scalar>::Word;

/// A lane that is loaded from lines and stored to them.
pub(crate) trait Lanes: Lane<Element: bytemuck::Pod> {
    /// The type of an element.
    type Scalar: Scalar;
    /// Number of elements; divides [`LINE`].
    const WIDTH: usize;
    /// Number of registers for such lanes.
    const REGISTERS: usize;

    /// Runs a function, which must be inlined, with the instructions of the lane.
    fn vectorize<R>(f: impl FnOnce() -> R) -> R;

    /// Loads the lane that contains the number at index `at` of a line of consecutive lanes.
    fn load(line: &Line<Word<Self>>, at: usize) -> Self;
    /// Loads integers as [`load`](Self::load) loads numbers.
    fn load_u32(line: &Line<Word<Self>>, at: usize) -> Self::U32;
    /// Returns the number with these bits in every element.
    fn broadcast(word: Word<Self>) -> Self;
    /// Writes the numbers to the first words of a line.
    fn store(self, line: &mut Line<Word<Self>>);
    /// Writes the integers to the first words of a line.
    fn store_u32(integers: Self::U32, line: &mut Line<Word<Self>>);
    /// Returns the integers `first`, `first + 1`, ...
    fn count_from(first: u32) -> Self::U32;
    /// Returns the sum, the minimum or the maximum of all elements, by the kind of a result.
    fn reduce(self, kind: FieldKind) -> Word<Self>;
    /// Reads the numbers of a coordinate.
    fn coordinate_from(next: impl FnMut() -> Self) -> Self::Coordinate;
}

/// Reads the records of consecutive particles of a block, one in each element of the lane.
pub(crate) struct Load<'a, L: Lanes> {
    pub lines: &'a [Line<Word<L>>],
    /// Index in the block of the first of these particles.
    pub at: usize,
}

impl<L: Lanes> Reader<L> for Load<'_, L> {
    #[inline(always)]
    fn real(&mut self) -> L {
        let [line, rest @ ..] = self.lines else { unreachable!("{A_LINE}") };
        self.lines = rest;
        L::load(line, self.at)
    }
    #[inline(always)]
    fn index(&mut self) -> L::U32 {
        let [line, rest @ ..] = self.lines else { unreachable!("{A_LINE}") };
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
    #[inline(always)]
    fn cubics(&mut self, n: usize) -> Cubics<L::Element> {
        take_cubics::<L>(&mut self.lines, n)
    }
}

/// Reads the record of one particle of a block into every element of the lane.
pub(crate) struct Broadcast<'a, L: Lanes> {
    pub lines: &'a [Line<Word<L>>],
    /// Index of the particle in the block.
    pub at: usize,
}

impl<L: Lanes> Broadcast<'_, L> {
    #[inline(always)]
    fn next(&mut self) -> Word<L> {
        let [line, rest @ ..] = self.lines else { unreachable!("{A_LINE}") };
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
    #[inline(always)]
    fn cubics(&mut self, n: usize) -> Cubics<L::Element> {
        take_cubics::<L>(&mut self.lines, n)
    }
}

/// Writes results, one in each element of the lane, to the first words of lines.
pub(crate) struct Store<'a, L: Lanes> {
    pub lines: std::slice::IterMut<'a, Line<Word<L>>>,
}

impl<'a, L: Lanes> Store<'a, L> {
    #[inline(always)]
    fn next(&mut self) -> &'a mut Line<Word<L>> {
        self.lines.next().expect(A_LINE)
    }
}

impl<L: Lanes> Writer<L> for Store<'_, L> {
    #[inline(always)]
    fn real(&mut self, value: L) {
        value.store(self.next());
    }
    #[inline(always)]
    fn index(&mut self, value: L::U32) {
        L::store_u32(value, self.next());
    }
    #[inline(always)]
    fn coordinate(&mut self, _: L::Coordinate) {
        unreachable!("results have no positions");
    }
}

/// Reduces the elements of results, and writes them as the result of one particle of a block.
pub(crate) struct Reduce<'a, L: Lanes> {
    pub lines: std::slice::IterMut<'a, Line<Word<L>>>,
    pub kinds: &'a [FieldKind],
    /// Index of the particle in the block.
    pub at: usize,
}

impl<'a, L: Lanes> Reduce<'a, L> {
    #[inline(always)]
    fn next(&mut self) -> (&'a mut Word<L>, FieldKind) {
        let (kind, kinds) = self.kinds.split_first().expect("a kind for each number of a result");
        self.kinds = kinds;
        let line = self.lines.next().expect(A_LINE);
        (&mut line.0[self.at], *kind)
    }
}

impl<L: Lanes> Writer<L> for Reduce<'_, L> {
    #[inline(always)]
    fn real(&mut self, value: L) {
        let (word, kind) = self.next();
        *word = value.reduce(kind);
    }
    /// Adds counts. Laws whose results keep the index of a particle have no symmetric form.
    #[inline(always)]
    fn index(&mut self, value: L::U32) {
        let (word, _) = self.next();
        let mut counts = Line([Word::<L>::default(); LINE]);
        L::store_u32(value, &mut counts);
        let counts = counts.0.map(L::Scalar::word_to_u32);
        *word = L::Scalar::word_from_u32(counts.into_iter().fold(0, u32::wrapping_add));
    }
    #[inline(always)]
    fn coordinate(&mut self, _: L::Coordinate) {
        unreachable!("results have no positions");
    }
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
