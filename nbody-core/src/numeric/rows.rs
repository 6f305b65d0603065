//! Sources and destinations of numbers, one after another.

use crate::numeric::lane::Lane;
use crate::numeric::spline::Cubics;

/// A source of the numbers of records.
pub trait Reader<L: Lane> {
    /// Reads the next number.
    fn real(&mut self) -> L;
    /// Reads the next integer.
    fn index(&mut self) -> L::U32;
    /// Reads the next coordinate of a position.
    fn coordinate(&mut self) -> L::Coordinate;
    /// Reads the next cubics of four numbers, which are the same for all elements.
    #[inline(always)]
    fn cubics(&mut self, n: usize) -> Cubics<L::Element> {
        Cubics::Owned((0..n).map(|_| [(); 4].map(|()| self.real().to_element())).collect())
    }
}

/// A destination of the numbers of records.
pub trait Writer<L: Lane> {
    /// Writes the next number.
    fn real(&mut self, value: L);
    /// Writes the next integer.
    fn index(&mut self, value: L::U32);
    /// Writes the next coordinate of a position.
    fn coordinate(&mut self, value: L::Coordinate);
}
