//! Particles, parameters and results as rows of numbers.

use crate::Lane;

/// What a field of a record holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// One real number.
    Real,
    /// A vector of this many components.
    Vector(usize),
    /// A position of this many components.
    Point(usize),
    /// An array of this many real numbers.
    Array(usize),
    /// An integer: a type, a flag, an id.
    U32,
    /// A result that is the least of what pairs give.
    Min,
    /// A result that is the greatest of what pairs give.
    Max,
    /// The least, and the index of its j-particle.
    ArgMin,
    /// A result that counts.
    Count,
}

impl FieldKind {
    /// Whether pairs add to it.
    pub const fn is_sum(self) -> bool {
        !matches!(self, Self::Min | Self::Max | Self::ArgMin | Self::Count)
    }

    /// Whether fields of these kinds lie in memory alike.
    const fn is_like(self, other: Self) -> bool {
        let is_same = match self {
            Self::U32 | Self::Count => matches!(other, Self::U32 | Self::Count),
            Self::Point(_) => matches!(other, Self::Point(_)),
            Self::ArgMin => matches!(other, Self::ArgMin),
            Self::Real | Self::Min | Self::Max | Self::Vector(_) | Self::Array(_) => {
                !matches!(other, Self::U32 | Self::Count | Self::Point(_) | Self::ArgMin)
            }
        };
        is_same && self.components() == other.components()
    }

    /// How many numbers the field is made of.
    pub const fn components(self) -> usize {
        match self {
            Self::Real | Self::U32 | Self::Min | Self::Max | Self::Count => 1,
            Self::ArgMin => 2,
            Self::Vector(n) | Self::Point(n) | Self::Array(n) => n,
        }
    }
}

/// One field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the declaration.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
}

/// A row of numbers with names: a particle, the parameters of an interaction, a result.
///
/// `#[nbody::interaction]` implements this for every struct of the module; nothing else needs
/// to.
///
/// # Safety
///
/// Engines lay out memory by the fields, for CUDA programs that know the records by their text:
/// [`FIELDS`](Self::FIELDS) are the same for [`Host`](Self::Host) and every [`With`](Self::With), and
/// [`read`](Self::read) and [`write`](Self::write) take and give [`DIM`](Self::DIM) numbers, those of the
/// fields in their order.
#[allow(unsafe_code, reason = "nothing here is unsafe but to vouch for the layout")]
pub unsafe trait Record: Copy + std::fmt::Debug + Default + Send + Sync + 'static {
    /// What its real fields are.
    type Lane: Lane;
    /// The same record over other lanes.
    type With<M: Lane>: Record<Lane = M, Host = Self::Host>;
    /// The same record in `f64`, which stands for the whole family.
    type Host: Record<Lane = f64, Host = Self::Host>;

    /// The fields, in the order of declaration.
    const FIELDS: &'static [Field];
    /// How many numbers a record is made of (IDIM, JDIM and FDIM of CUNBODY-1).
    const DIM: usize;

    /// Reads the numbers in the order of declaration.
    fn read<R: Reader<Self::Lane>>(from: &mut R) -> Self;
    /// Writes the numbers in the order of declaration.
    fn write<W: Writer<Self::Lane>>(&self, to: &mut W);
}

/// A result: a record that accumulates. Its default is what no pair at all gives: 0 for sums and
/// counts, an infinity for extremes.
pub trait Output: Record {
    /// `yes` where the mask holds, `no` elsewhere.
    fn select<L: Lane>(mask: L::Mask, yes: &Self::With<L>, no: &Self::With<L>) -> Self::With<L>;
    /// Adds what one pair gives, and to `lost` what rounding takes from the sums:
    /// [`compensate`] for each of them.
    fn compensate<L: Lane>(
        term: &Self::With<L>,
        total: &mut Self::With<L>,
        lost: &mut Self::With<L>,
    );
}

/// Adds a term to a sum, and to `lost` what rounding took from it: exactly, whichever of the two
/// is the larger (Knuth 1969, The Art of Computer Programming 2, section 4.2.2).
#[inline(always)]
pub fn compensate<L: Lane>(term: L, sum: &mut L, lost: &mut L) {
    let before = *sum;
    *sum += term;
    let added = *sum - before;
    *lost += (before - (*sum - added)) + (term - added);
}

/// Where a record reads its numbers from.
pub trait Reader<L: Lane> {
    /// The next number.
    fn real(&mut self) -> L;
    /// The next integer.
    fn index(&mut self) -> L::U32;
    /// The next coordinate of a position.
    fn coordinate(&mut self) -> L::Coordinate;
}

/// Where a record writes its numbers to.
pub trait Writer<L: Lane> {
    /// Takes the next number.
    fn real(&mut self, value: L);
    /// Takes the next integer.
    fn index(&mut self, value: L::U32);
    /// Takes the next coordinate of a position.
    fn coordinate(&mut self, value: L::Coordinate);
}

/// Whether records of a type lie in memory as those of their host do.
pub(crate) const fn is_laid_out_as_its_host<P: Record>() -> bool {
    are_alike(P::FIELDS, <P::Host as Record>::FIELDS) && P::DIM == dim(P::FIELDS)
}

/// Whether records of these fields lie in memory alike.
const fn are_alike(a: &[Field], b: &[Field]) -> bool {
    let mut k = 0;
    while k < a.len() && k < b.len() && a[k].kind.is_like(b[k].kind) {
        k += 1;
    }
    k == a.len() && k == b.len()
}

/// How many numbers these fields are made of.
pub const fn dim(fields: &[Field]) -> usize {
    words(fields, 1)
}

/// How many words these fields take, with so many for each coordinate of a position.
pub(crate) const fn words(fields: &[Field], of_coordinate: usize) -> usize {
    let (mut sum, mut k) = (0, 0);
    while k < fields.len() {
        let each = if matches!(fields[k].kind, FieldKind::Point(_)) { of_coordinate } else { 1 };
        sum += each * fields[k].kind.components();
        k += 1;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_differ_where_kinds_or_lengths_do() {
        use FieldKind::{ArgMin, Array, Count, Max, Point, Real, U32, Vector};
        let fields = |kinds: &[FieldKind]| -> Vec<Field> {
            kinds.iter().map(|&kind| Field { name: "", kind }).collect()
        };
        let alike = |a: &[FieldKind], b: &[FieldKind]| are_alike(&fields(a), &fields(b));
        assert!(alike(&[], &[]) && alike(&[Point(3), U32, Real], &[Point(3), Count, Max]));
        assert!(alike(&[Vector(2)], &[Array(2)]));
        for (a, b) in [
            (&[Point(3), Real][..], &[Point(3)][..]),
            (&[Real], &[Point(3), Real]),
            (&[Real], &[U32]),
            (&[Array(2)], &[ArgMin]),
            (&[Array(3)], &[Point(3)]),
            (&[Array(3)], &[Array(4)]),
        ] {
            assert!(!alike(a, b) && !alike(b, a), "{a:?} {b:?}");
        }
    }
}
