//! Particles, parameters and results as rows of numbers.
//!
//! A [`Record`] writes and reads its numbers through a [`Writer`] and a [`Reader`], so that
//! packing, comparison, casts and random data need no code for each type. On a device a record is
//! exactly its numbers, each in a word of the precision.

use crate::field::Field;
use crate::field::FieldKind;
use crate::numeric::rows::Reader;
use crate::numeric::rows::Writer;
use std::ops::Range;

use crate::numeric::lane::Lane;
use crate::numeric::space::Space;

/// A struct of named numbers: a particle, the parameters of an interaction, or a result.
///
/// `#[nbody::interaction]` implements this for every struct of the module; nothing else needs to.
///
/// # Safety
///
/// Engines lay out memory by the fields, and CUDA programs read it by their own structs. So
/// [`FIELDS`](Self::FIELDS) must be the same for [`Host`](Self::Host) and every
/// [`With`](Self::With), and [`read`](Self::read) and [`write`](Self::write) must transfer
/// [`DIM`](Self::DIM) numbers: the numbers of the fields, in their order.
#[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the layout")]
pub unsafe trait Record: Clone + std::fmt::Debug + Default + Send + Sync + 'static {
    /// The type of its real fields.
    type Lane: Lane;
    /// The record with real fields of another type.
    type With<M: Lane>: Record<Lane = M, Host = Self::Host>;
    /// The record in `f64`, one for all types of real fields.
    type Host: Record<Lane = f64, Host = Self::Host>;

    /// The fields, in the order of declaration.
    const FIELDS: &'static [Field];
    /// The number of numbers in a record (IDIM, JDIM or FDIM of CUNBODY-1).
    const DIM: usize;

    /// Reads the numbers in the order of declaration.
    fn read<R: Reader<Self::Lane>>(from: &mut R) -> Self;
    /// Writes the numbers in the order of declaration.
    fn write<W: Writer<Self::Lane>>(&self, to: &mut W);
}

/// A result: a record that accumulates over pairs. Its default is the value without any pair: 0
/// for sums and counts, an infinity for extremes.
pub trait Output: Record {
    /// Returns `yes` where the mask is true, `no` elsewhere.
    fn select<L: Lane>(mask: L::Mask, yes: &Self::With<L>, no: &Self::With<L>) -> Self::With<L>;
    /// Adds the contribution of one pair to the sums, and their rounding errors to `lost`, by
    /// [`compensate`].
    fn compensate<L: Lane, S: Space<L>>(
        term: &Self::With<L>,
        total: &mut Self::With<L>,
        lost: &mut Self::With<L>,
    );
}

/// Adds a term to a sum, and the rounding error of the sum to `lost`. The error is exact,
/// whichever of term and sum is larger (Knuth 1969, The Art of Computer Programming 2, section
/// 4.2.2).
#[inline(always)]
pub fn compensate<L: Lane>(term: L, sum: &mut L, lost: &mut L) {
    let before = *sum;
    *sum += term;
    let added = *sum - before;
    *lost += (before - (*sum - added)) + (term - added);
}

/// Returns whether records of a type have the layout of the type's `Host`.
pub(crate) const fn has_layout_of_host<P: Record>() -> bool {
    have_one_layout(P::FIELDS, <P::Host as Record>::FIELDS) && P::DIM == dim(P::FIELDS)
}

/// Returns whether records of these fields have the same layout.
const fn have_one_layout(a: &[Field], b: &[Field]) -> bool {
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k].kind.has_layout_of(b[k].kind) {
        k += 1;
    }
    k == a.len() && k == b.len()
}

/// Returns the number of numbers in these fields.
pub const fn dim(fields: &[Field]) -> usize {
    words(fields, 1)
}

/// Returns the number of numbers that a variable of a record with these fields takes: splines have the
/// address of their own.
pub(crate) fn numbers_of_variable(fields: &[Field]) -> usize {
    let numbers = fields.iter().map(|field| match field.kind {
        FieldKind::Spline(_) | FieldKind::Splines(..) => 4,
        kind => kind.components(),
    });
    numbers.sum()
}

/// Returns the number of words in these fields, with `per_coordinate` for each coordinate of a
/// position.
pub(crate) const fn words(fields: &[Field], per_coordinate: usize) -> usize {
    let (mut sum, mut k) = (0, 0);
    while k < fields.len() {
        let each = if matches!(fields[k].kind, FieldKind::Point(_)) { per_coordinate } else { 1 };
        sum += each * fields[k].kind.components();
        k += 1;
    }
    sum
}

/// Returns the numbers of a record that are the coordinates of its position, if it has exactly
/// one.
pub fn position(fields: &[Field]) -> Option<Range<usize>> {
    let is_point = |field: &Field| matches!(field.kind, FieldKind::Point(_));
    let k = fields.iter().position(is_point)?;
    let is_only = !fields[k + 1..].iter().any(is_point);
    let first = dim(&fields[..k]);
    is_only.then(|| first..first + fields[k].kind.components())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_differ_where_kinds_or_lengths_do() {
        use FieldKind::ArgMax;
        use FieldKind::ArgMin;
        use FieldKind::Array;
        use FieldKind::Count;
        use FieldKind::Max;
        use FieldKind::Nearest;
        use FieldKind::Point;
        use FieldKind::Real;
        use FieldKind::U32;
        use FieldKind::Vector;
        let fields = |kinds: &[FieldKind]| -> Vec<Field> {
            kinds.iter().map(|&kind| Field { name: "", kind }).collect()
        };
        let alike = |a: &[FieldKind], b: &[FieldKind]| have_one_layout(&fields(a), &fields(b));
        assert!(alike(&[], &[]) && alike(&[Point(3), U32, Real], &[Point(3), Count, Max]));
        assert!(alike(&[Vector(2)], &[Array(2)]) && alike(&[ArgMin], &[ArgMax]));
        for (a, b) in [
            (&[Point(3), Real][..], &[Point(3)][..]),
            (&[Real], &[Point(3), Real]),
            (&[Real], &[U32]),
            (&[Array(2)], &[ArgMin]),
            (&[Nearest(2)], &[Array(4)]),
            (&[Nearest(2)], &[Nearest(3)]),
            (&[Array(3)], &[Point(3)]),
            (&[Array(3)], &[Array(4)]),
        ] {
            assert!(!alike(a, b) && !alike(b, a), "{a:?} {b:?}");
        }
    }

    #[test]
    fn the_position_is_found() {
        use FieldKind::Array;
        use FieldKind::Point;
        use FieldKind::U32;
        let of = |kinds: &[FieldKind]| {
            let field = |&kind: &FieldKind| Field { name: "", kind };
            position(&kinds.iter().map(field).collect::<Vec<_>>())
        };
        assert_eq!(of(&[U32, Array(3), Point(2), U32]), Some(4..6));
        assert_eq!(of(&[Point(3)]), Some(0..3));
        assert_eq!(of(&[U32]), None);
        assert_eq!(of(&[Point(2), U32, Point(2)]), None);
    }
}
