//! Arrays of tabulated functions, which an index from the data chooses from.

use std::fmt;
use std::sync::Arc;

use crate::field::{MOST_KNOTS, cubics_of_spline};
use crate::numeric::lane::Lane;
use crate::numeric::rows::{Reader, Writer};
use crate::numeric::spline::{Cubic, Cubics, Spline};

/// Splines of `N` knots each, in `ROWS` rows and `COLUMNS` columns: the functions of types of particles
/// or of pairs of types. Each has a range of its own. All knots together are at most 262144.
///
/// It is made from an array of splines or from an array of rows; in the language it is a parameter
/// `[Spline<N>; ROWS]` or `[[Spline<N>; COLUMNS]; ROWS]`.
///
/// ```
/// use nbody_core::{Error, Spline, Splines};
///
/// let of = |a: f64| Spline::<16>::from_fn(0.0..=1.0, |x| (a * x).exp());
/// let [one, other] = [of(1.0)?, of(2.0)?];
/// let of_pairs: Splines<16, 2, 2> = [[one.clone(), other.clone()], [other.clone(), one]].into();
/// assert_eq!(of_pairs.get(1, 0), Some(other));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct Splines<const N: usize, const ROWS: usize, const COLUMNS: usize = 1, L: Lane = f64>(
    pub(crate) Cubics<L::Element>,
);

/// A spline for each element of a lane.
pub struct Chosen<'a, L: Lane> {
    /// Cubics of all splines.
    cubics: &'a [Cubic<L::Element>],
    /// The number of cubics of each spline.
    each: usize,
    index: L::U32,
}

impl<L: Lane> Chosen<'_, L> {
    /// Returns the value at x.
    #[inline(always)]
    pub fn at(&self, x: L) -> L {
        L::spline_of::<0>(self.cubics, self.each, self.index, x)
    }

    /// Returns the first derivative at x.
    #[inline(always)]
    pub fn slope(&self, x: L) -> L {
        L::spline_of::<1>(self.cubics, self.each, self.index, x)
    }

    /// Returns the second derivative at x.
    #[inline(always)]
    pub fn curvature(&self, x: L) -> L {
        L::spline_of::<2>(self.cubics, self.each, self.index, x)
    }

    /// Returns the third derivative at x, which is constant between knots.
    #[inline(always)]
    pub fn third_derivative(&self, x: L) -> L {
        L::spline_of::<3>(self.cubics, self.each, self.index, x)
    }
}

impl<const N: usize, const ROWS: usize, const COLUMNS: usize, L: Lane>
    Splines<N, ROWS, COLUMNS, L>
{
    /// The number of splines, which the compiler checks.
    const NUMBER: usize = {
        assert!(N >= 2 && N <= 4096, "a spline has 2 to 4096 knots");
        assert!(ROWS >= 1 && COLUMNS >= 1, "an array has at least one spline");
        assert!(N * ROWS * COLUMNS <= MOST_KNOTS, "an array of splines has at most 262144 knots");
        ROWS * COLUMNS
    };
    /// The number of cubics of each spline.
    const EACH: usize = cubics_of_spline(N);

    /// Returns the spline of an index, whose values are NaN beyond the last one.
    #[inline(always)]
    pub fn element(&self, index: L::U32) -> Chosen<'_, L> {
        Chosen { cubics: self.0.all(), each: Self::EACH, index }
    }

    /// Returns the spline in this row and column, whose values are NaN if there is none.
    #[inline(always)]
    pub fn entry(&self, row: L::U32, column: L::U32) -> Chosen<'_, L> {
        let splat = |n: usize| L::splat_u32(u32::try_from(n).unwrap_or(u32::MAX));
        let inside = L::lt_u32(row, splat(ROWS)) & L::lt_u32(column, splat(COLUMNS));
        let index = L::add_u32(L::mul_u32(row, splat(COLUMNS)), column);
        self.element(L::select_u32(inside, index, splat(usize::MAX)))
    }

    /// Reads the numbers, spline by spline.
    #[inline(always)]
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        Self(from.cubics(Self::NUMBER * Self::EACH))
    }

    /// Writes the numbers, spline by spline.
    #[inline(always)]
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        for number in self.0.all().as_flattened() {
            to.real(L::of_element(*number));
        }
    }
}

impl<const N: usize, const ROWS: usize, const COLUMNS: usize> Splines<N, ROWS, COLUMNS> {
    /// Returns a spline, if it exists.
    pub fn get(&self, row: usize, column: usize) -> Option<Spline<N>> {
        let is_inside = row < ROWS && column < COLUMNS;
        let first = is_inside.then_some((row * COLUMNS + column) * Self::EACH)?;
        Some(Spline(Cubics::Owned(self.0.all()[first..first + Self::EACH].into())))
    }

    fn of<'a>(splines: impl Iterator<Item = &'a Spline<N>>) -> Self {
        let mut cubics = Vec::with_capacity(Self::NUMBER * Self::EACH);
        splines.for_each(|spline| cubics.extend_from_slice(spline.0.all()));
        Self(Cubics::Owned(cubics.into()))
    }
}

impl<const N: usize, const ROWS: usize> From<[Spline<N>; ROWS]> for Splines<N, ROWS> {
    fn from(splines: [Spline<N>; ROWS]) -> Self {
        Self::of(splines.iter())
    }
}

impl<const N: usize, const ROWS: usize, const COLUMNS: usize> From<[[Spline<N>; COLUMNS]; ROWS]>
    for Splines<N, ROWS, COLUMNS>
{
    fn from(rows: [[Spline<N>; COLUMNS]; ROWS]) -> Self {
        Self::of(rows.as_flattened().iter())
    }
}

/// Zero everywhere.
impl<const N: usize, const ROWS: usize, const COLUMNS: usize, L: Lane> Default
    for Splines<N, ROWS, COLUMNS, L>
{
    fn default() -> Self {
        let zero = [L::Element::default(); 4];
        Self(Cubics::Owned(Arc::from(vec![zero; Self::NUMBER * Self::EACH])))
    }
}

impl<const N: usize, const ROWS: usize, const COLUMNS: usize, L: Lane> fmt::Debug
    for Splines<N, ROWS, COLUMNS, L>
{
    /// Prints the sizes, not all numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Splines<{N}, {ROWS}, {COLUMNS}>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_index_has_its_spline() {
        let of = |k: usize| {
            let begin = k as f64;
            Spline::<9>::from_fn(begin..=begin + 2.0, |x| (0..=k).fold(1.0, |y, _| y * x)).unwrap()
        };
        let all: Splines<9, 2, 3> = [[of(0), of(1), of(2)], [of(3), of(4), of(5)]].into();
        let list: Splines<9, 6> = [0, 1, 2, 3, 4, 5].map(of).into();
        let same = |found: f64, expected: f64| assert_eq!(found.to_bits(), expected.to_bits());
        for (k, x) in (0..6_u32).flat_map(|k| [-0.5, 0.3, 1.7, 9.0].map(|x| (k, f64::from(k) + x)))
        {
            let expected = of(k as usize);
            assert_eq!(all.get(k as usize / 3, k as usize % 3).as_ref(), Some(&expected));
            for found in [all.entry(k / 3, k % 3), list.element(k)] {
                same(found.at(x), expected.at(x));
                same(found.slope(x), expected.slope(x));
                same(found.curvature(x), expected.curvature(x));
                same(found.third_derivative(x), expected.third_derivative(x));
            }
        }
        for beyond in [all.entry(0, 3), all.entry(2, 0), all.entry(u32::MAX, 1), list.element(6)] {
            let [x, y] = [beyond.at(0.5), beyond.slope(0.5)];
            let [z, w] = [beyond.curvature(0.5), beyond.third_derivative(0.5)];
            assert!(x.is_nan() && y.is_nan() && z.is_nan() && w.is_nan());
        }
        assert!(all.get(2, 0).is_none() && all.get(0, 3).is_none());
        assert_eq!(Splines::<9, 2, 3>::default().entry(1, 1).at(4.0), 0.0);
    }
}
