//! Tabulated functions: piecewise polynomials on knots at equal distances.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::error::Error;
use crate::field::cubics_of_spline;
use crate::numeric::lane::Lane;
use crate::numeric::rows::{Reader, Writer};

/// A function that is given by its values at `N` knots, 2 to 4096, at equal distances: a straight
/// line or a cubic polynomial between neighbouring knots. Before the first knot and after the last
/// one it continues as its tangent there.
///
/// A parameter of a declaration may be a spline; its body calls [`at`](Self::at),
/// [`slope`](Self::slope) and [`curvature`](Self::curvature). Any number may be the argument: a
/// distance, the square of one, a density. Coefficients are rounded to the precision of the
/// engine.
#[derive(Clone, PartialEq)]
pub struct Spline<const N: usize, L: Lane = f64>(pub(crate) Cubics<L::Element>);

/// The four coefficients of a polynomial, by ascending powers of the distance from the piece's
/// beginning, in units of the distance of knots. The first cubic has the scale instead: the beginning
/// of the piece before the first knot, and the reciprocal distance of knots.
pub type Cubic<E> = [E; 4];

/// The cubics of a spline: of the scale, of the piece before the first knot, of each piece between
/// knots, and of the piece after the last one.
#[derive(Clone)]
pub enum Cubics<E: 'static> {
    /// Cubics that the spline owns.
    Owned(Arc<[Cubic<E>]>),
    /// Cubics of an evaluation, which outlives the spline.
    Lent(&'static [Cubic<E>]),
}

impl<E> Cubics<E> {
    /// Returns cubics of an evaluation for a spline within it.
    ///
    /// # Safety
    ///
    /// There must be `n` cubics, which outlive the spline and its copies.
    #[allow(unsafe_code)]
    #[inline(always)]
    pub(crate) unsafe fn lent(cubics: *const Cubic<E>, n: usize) -> Self {
        // SAFETY: the caller promises that they exist, as long as they are used.
        Self::Lent(unsafe { std::slice::from_raw_parts(cubics, n) })
    }

    pub(crate) fn all(&self) -> &[Cubic<E>] {
        match self {
            Self::Owned(cubics) => cubics,
            Self::Lent(cubics) => cubics,
        }
    }
}

impl<E: PartialEq> PartialEq for Cubics<E> {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl<const N: usize, L: Lane> Spline<N, L> {
    /// Returns the value at x.
    #[inline(always)]
    pub fn at(&self, x: L) -> L {
        L::spline::<0>(self.0.all(), x)
    }

    /// Returns the first derivative at x.
    #[inline(always)]
    pub fn slope(&self, x: L) -> L {
        L::spline::<1>(self.0.all(), x)
    }

    /// Returns the second derivative at x.
    #[inline(always)]
    pub fn curvature(&self, x: L) -> L {
        L::spline::<2>(self.0.all(), x)
    }

    /// Returns the third derivative at x, which is constant between knots.
    #[inline(always)]
    pub fn third_derivative(&self, x: L) -> L {
        L::spline::<3>(self.0.all(), x)
    }

    /// Reads the numbers, cubic by cubic.
    #[inline(always)]
    pub fn read<R: Reader<L>>(from: &mut R) -> Self {
        Self(from.cubics(cubics_of_spline(N)))
    }

    /// Writes the numbers, cubic by cubic.
    #[inline(always)]
    pub fn write<W: Writer<L>>(&self, to: &mut W) {
        for number in self.0.all().as_flattened() {
            to.real(L::of_element(*number));
        }
    }
}

impl<const N: usize> Spline<N> {
    /// The number of knots, which the compiler checks.
    const KNOTS: usize = {
        assert!(N >= 2 && N <= 4096, "a spline has 2 to 4096 knots");
        N
    };

    /// Returns the function that connects these values, at knots from the first to the last point
    /// of the range, by straight lines. Refuses another number of values than `N`, and numbers that
    /// are not finite.
    pub fn linear(range: RangeInclusive<f64>, values: &[f64]) -> Result<Self, Error> {
        Self::of(values, linear(range, values))
    }

    /// Returns the cubic spline through these values, at knots from the first to the last point of
    /// the range. Its second derivative is continuous, and its third one, too, at the second knot
    /// and at the last but one (de Boor 1978, A Practical Guide to Splines, chapter IV: not a
    /// knot). Refuses what [`linear`](Self::linear) refuses.
    pub fn cubic(range: RangeInclusive<f64>, values: &[f64]) -> Result<Self, Error> {
        Self::of(values, cubic(range, values))
    }

    /// Returns the cubic spline with these values and slopes at its knots, from the first to the
    /// last point of the range. Its first derivative is continuous. Refuses another number of values
    /// or slopes than `N`, and numbers that are not finite.
    pub fn hermite(
        range: RangeInclusive<f64>,
        values: &[f64],
        slopes: &[f64],
    ) -> Result<Self, Error> {
        Self::of(values, hermite(range, values, slopes))
    }

    /// Returns the [`cubic`](Self::cubic) spline through the values of a function. Refuses values
    /// that are not finite.
    pub fn from_fn(
        range: RangeInclusive<f64>,
        function: impl Fn(f64) -> f64,
    ) -> Result<Self, Error> {
        let (first, last) = (*range.start(), *range.end());
        let width = (last - first) / (Self::KNOTS - 1) as f64;
        let knot = |k: usize| if k == N - 1 { last } else { first + k as f64 * width };
        let values: Vec<_> = (0..N).map(|k| function(knot(k))).collect();
        Self::cubic(range, &values)
    }

    fn of(values: &[f64], cubics: Result<Vec<Cubic<f64>>, Error>) -> Result<Self, Error> {
        check_length(values, Self::KNOTS)?;
        Ok(Self(Cubics::Owned(cubics?.into())))
    }

    /// Returns the first and the last knot.
    pub fn range(&self) -> RangeInclusive<f64> {
        let [begin, inverse, ..] = self.0.all()[0];
        begin + inverse.recip()..=begin + N as f64 / inverse
    }
}

/// Returns the cubics of [`Spline::linear`], with a knot for each value, at least two.
pub fn linear(range: RangeInclusive<f64>, values: &[f64]) -> Result<Vec<Cubic<f64>>, Error> {
    let steps: Vec<_> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let pieces = values.iter().zip(&steps).map(|(value, step)| [*value, *step, 0.0, 0.0]).collect();
    of_pieces(range, values, pieces, [steps.first().copied(), steps.last().copied()])
}

/// Returns the cubics of [`Spline::cubic`], with a knot for each value, at least two.
pub fn cubic(range: RangeInclusive<f64>, values: &[f64]) -> Result<Vec<Cubic<f64>>, Error> {
    of_rises(range, values, &rises(values))
}

/// Returns the cubics of [`Spline::hermite`], with a knot for each value, at least two.
pub fn hermite(
    range: RangeInclusive<f64>,
    values: &[f64],
    slopes: &[f64],
) -> Result<Vec<Cubic<f64>>, Error> {
    check_length(slopes, values.len())?;
    let width = (range.end() - range.start()) / values.len().saturating_sub(1) as f64;
    let rises: Vec<_> = slopes.iter().map(|slope| slope * width).collect();
    of_rises(range, values, &rises)
}

/// Returns the cubic spline with these values, and slopes in units of the distance of knots.
fn of_rises(
    range: RangeInclusive<f64>,
    values: &[f64],
    rises: &[f64],
) -> Result<Vec<Cubic<f64>>, Error> {
    let pieces = values.windows(2).zip(rises.windows(2)).map(|(values, rises)| {
        let ([y, z], [m, n]) = ([values[0], values[1]], [rises[0], rises[1]]);
        [y, m, 3.0 * (z - y) - 2.0 * m - n, 2.0 * (y - z) + m + n]
    });
    of_pieces(range, values, pieces.collect(), [rises.first().copied(), rises.last().copied()])
}

/// Returns the spline of these pieces, with slopes at both ends in units of the distance of knots.
fn of_pieces(
    range: RangeInclusive<f64>,
    values: &[f64],
    pieces: Vec<Cubic<f64>>,
    rises: [Option<f64>; 2],
) -> Result<Vec<Cubic<f64>>, Error> {
    let ([first, .., last], [Some(rise), Some(last_rise)]) = (values, rises) else {
        return Err(Error::SplineLength { found: values.len(), expected: 2 });
    };
    if let Some(knot) = values.iter().position(|value| !value.is_finite()) {
        return Err(Error::SplineValue { knot, found: values[knot] });
    }
    let [begin, end] = [*range.start(), *range.end()];
    let width = (end - begin) / pieces.len() as f64;
    let scale = [begin - width, width.recip(), 0.0, 0.0];
    if !(width > 0.0 && scale.into_iter().all(f64::is_finite)) {
        return Err(Error::SplineRange { first: begin, last: end });
    }
    let before = [first - rise, rise, 0.0, 0.0];
    let after = [*last, last_rise, 0.0, 0.0];
    let all: Vec<_> = [scale, before].into_iter().chain(pieces).chain([after]).collect();
    match all.iter().position(|cubic| !cubic.iter().all(|number| number.is_finite())) {
        Some(at) => Err(Error::SplineValue { knot: at.saturating_sub(2), found: f64::INFINITY }),
        None => Ok(all),
    }
}

/// Refuses another number of values.
fn check_length(values: &[f64], knots: usize) -> Result<(), Error> {
    let found = values.len();
    if found == knots { Ok(()) } else { Err(Error::SplineLength { found, expected: knots }) }
}

/// Returns the slopes of the cubic spline through these values, in units of the distance of knots.
fn rises(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let step = |k: usize| values[k + 1] - values[k];
    match n {
        0 | 1 => return Vec::new(),
        2 => return vec![step(0); 2],
        3 => {
            // One parabola.
            let bend = 0.5 * (step(1) - step(0));
            return vec![step(0) - bend, step(0) + bend, step(1) + bend];
        }
        _ => {}
    }
    // The conditions are rises[k - 1] + 4 rises[k] + rises[k + 1] = right[k], and at the ends
    // rises[0] + 2 rises[1] = right[0]. Each row eliminates the rise before it.
    let (mut above, mut right) = (vec![2.0; n], vec![0.0; n]);
    right[0] = 0.5 * (5.0 * step(0) + step(1));
    for k in 1..n - 1 {
        let pivot = 4.0 - above[k - 1];
        above[k] = 1.0 / pivot;
        right[k] = (3.0 * (step(k - 1) + step(k)) - right[k - 1]) / pivot;
    }
    let end = 0.5 * (5.0 * step(n - 2) + step(n - 3));
    right[n - 1] = (end - 2.0 * right[n - 2]) / (1.0 - 2.0 * above[n - 2]);
    for k in (0..n - 1).rev() {
        right[k] -= above[k] * right[k + 1];
    }
    right
}

/// Zero everywhere.
impl<const N: usize, L: Lane> Default for Spline<N, L> {
    fn default() -> Self {
        Self(Cubics::Owned(Arc::from(vec![[L::Element::default(); 4]; cubics_of_spline(N)])))
    }
}

impl<const N: usize, L: Lane> fmt::Debug for Spline<N, L> {
    /// Prints the scale, not all numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [begin, inverse, ..] = &self.0.all()[0];
        write!(f, "Spline<{N}> {{ origin: {begin:?}, knots per unit: {inverse:?} }}")
    }
}

/// Returns the beginning of the first piece and the reciprocal distance of knots, of a scale.
#[inline(always)]
pub(crate) fn scale_of<L: Lane>(scale: &Cubic<L::Element>) -> [L; 2] {
    [scale[0], scale[1]].map(L::of_element)
}

/// Returns the piece that contains x, by its number, and the distance from its beginning; both in
/// units of the distance of knots. NaN is in the first piece, at the distance NaN.
#[inline(always)]
pub(crate) fn piece<L: Lane>([begin, inverse]: [L; 2], last: usize, x: L) -> [L; 2] {
    let t = (x - begin) * inverse;
    let k = t.max(L::splat(0.0)).min(L::splat(last as f64)).floor();
    [k, t - k]
}

/// Returns the derivative of this order of the polynomial of a piece.
#[inline(always)]
pub(crate) fn polynomial<L: Lane, const ORDER: u32>(inverse: L, [a, b, c, d]: [L; 4], u: L) -> L {
    match ORDER {
        0 => a.plus_product(u, b.plus_product(u, c.plus_product(u, d))),
        1 => b.plus_product(u, (c + c).plus_product(u, d * L::splat(3.0))) * inverse,
        2 => (c + c).plus_product(u, d * L::splat(6.0)) * (inverse * inverse),
        // NaN stays NaN.
        _ => (d * L::splat(6.0)).plus_product(u, L::splat(0.0)) * (inverse * inverse * inverse),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares a spline and its derivatives with a function, at points between the knots.
    fn worst<const N: usize>(spline: &Spline<N>, function: impl Fn(f64) -> [f64; 3]) -> [f64; 3] {
        let (first, last) = (*spline.range().start(), *spline.range().end());
        let mut worst = [0.0_f64; 3];
        for k in 0..10 * N {
            let x = first + (last - first) * k as f64 / (10 * N) as f64;
            let found = [spline.at(x), spline.slope(x), spline.curvature(x)];
            for ((worst, found), expected) in worst.iter_mut().zip(found).zip(function(x)) {
                *worst = worst.max((found - expected).abs());
                assert!(!found.is_nan());
            }
        }
        worst
    }

    #[test]
    fn cubics_are_exact_and_others_converge() {
        let cubic = |x: f64| {
            [1.0 + x * (2.0 - x * (3.0 - 0.5 * x)), 2.0 - x * (6.0 - 1.5 * x), -6.0 + 3.0 * x]
        };
        let sine = |x: f64| [x.sin(), x.cos(), -x.sin()];
        let close = |found: [f64; 3], bounds: [f64; 3]| {
            assert!(found.iter().zip(bounds).all(|(found, bound)| *found < bound), "{found:?}");
        };
        close(
            worst(&Spline::<4>::from_fn(-1.0..=3.0, |x| cubic(x)[0]).unwrap(), cubic),
            [1e-13; 3],
        );
        close(
            worst(&Spline::<9>::from_fn(-1.0..=3.0, |x| cubic(x)[0]).unwrap(), cubic),
            [1e-12; 3],
        );
        let of_sine = Spline::<65>::from_fn(0.0..=6.4, |x| sine(x)[0]).unwrap();
        close(worst(&of_sine, sine), [2e-6, 1e-4, 5e-3]);
        let parabola = |x: f64| [x * x, 2.0 * x, 2.0];
        close(worst(&Spline::<3>::from_fn(0.0..=1.0, |x| x * x).unwrap(), parabola), [1e-14; 3]);
        let line = |x: f64| [3.0 * x - 1.0, 3.0, 0.0];
        for spline in [
            Spline::<2>::cubic(0.0..=2.0, &[-1.0, 5.0]),
            Spline::<2>::linear(0.0..=2.0, &[-1.0, 5.0]),
            Spline::<2>::hermite(0.0..=2.0, &[-1.0, 5.0], &[3.0; 2]),
        ] {
            close(worst(&spline.unwrap(), line), [1e-14; 3]);
        }
        let slopes: Vec<_> = (0..=16).map(|k| f64::from(k) * 0.4).map(f64::cos).collect();
        let values: Vec<_> = (0..=16).map(|k| f64::from(k) * 0.4).map(f64::sin).collect();
        let hermite = Spline::<17>::hermite(0.0..=6.4, &values, &slopes).unwrap();
        close(worst(&hermite, sine), [1e-4, 1e-3, 2e-2]);
    }

    #[test]
    fn tangents_continue_the_ends() {
        let spline = Spline::<5>::from_fn(1.0..=3.0, |x| x * x).unwrap();
        for x in [-10.0, 0.0, 1.0, 3.0, 4.0, 100.0] {
            let end: f64 = if x < 2.0 { 1.0 } else { 3.0 };
            let expected = end * end + 2.0 * end * (x - end);
            assert!((spline.at(x) - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{x}");
            assert!((spline.slope(x) - 2.0 * end).abs() < 1e-12);
        }
        assert_eq!(spline.curvature(0.5), 0.0);
        assert!(spline.at(f64::NAN).is_nan() && spline.slope(f64::NAN).is_nan());
        assert_eq!(spline.range(), 1.0..=3.0);
    }

    #[test]
    fn errors_tell_the_place() {
        let text = |found: Result<Spline<3>, Error>| found.unwrap_err().to_string();
        let cubic = |range, values: &[f64]| text(Spline::cubic(range, values));
        assert_eq!(
            cubic(0.0..=1.0, &[0.0; 4]),
            "4 numbers for 3 knots of a spline; give one for each knot"
        );
        assert_eq!(
            cubic(0.0..=1.0, &[0.0, f64::NAN, 0.0]),
            "knot 1 of a spline has the value NaN; give finite numbers whose differences are finite"
        );
        for range in [1.0..=1.0, 1.0..=0.0, 0.0..=f64::INFINITY, f64::NAN..=1.0, 0.0..=1e-310] {
            let found = cubic(range, &[0.0; 3]);
            assert!(found.starts_with("a spline from ") && found.contains("finite"), "{found}");
        }
        assert!(
            cubic(0.0..=1.0, &[1e308, -1e308, 1e308]).contains("of a spline has the value inf")
        );
    }
}
