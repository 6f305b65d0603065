//! Fields of records, and their types.

use std::fmt;

/// Most values of a [`FieldKind::Nearest`].
pub(crate) const MOST_NEAREST: usize = 16;

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// One real number.
    Real,
    /// A vector with this number of components.
    Vector(usize),
    /// A symmetric tensor in space of this dimension: 1, 3 or 6 components, in the order xx, yy, zz, xy,
    /// xz, yz (in two dimensions xx, yy, xy).
    Tensor(usize),
    /// A position with this number of coordinates.
    Point(usize),
    /// An array of real numbers of this length.
    Array(usize),
    /// A spline with this number of knots, among parameters.
    Spline(usize),
    /// This number of splines with this number of knots each, among parameters.
    Splines(usize, usize),
    /// An integer: a type, a flag, an id.
    U32,
    /// A result that is the minimum over pairs.
    Min,
    /// A result that is the maximum over pairs.
    Max,
    /// The minimum over pairs, and the index of its j-particle.
    ArgMin,
    /// The maximum over pairs, and the index of its j-particle.
    ArgMax,
    /// This number of least values over pairs, in ascending order, and then the indices of their
    /// j-particles.
    Nearest(usize),
    /// A result that counts pairs.
    Count,
    /// A result of this number of counts.
    Counts(usize),
}

impl FieldKind {
    /// Returns whether the field is a sum of real numbers over pairs.
    pub const fn is_sum(self) -> bool {
        !matches!(self, Self::Min | Self::Max | Self::Count | Self::Counts(_))
            && !self.keeps_index()
    }

    /// Returns whether the field has the indices of j-particles.
    pub const fn keeps_index(self) -> bool {
        matches!(self, Self::ArgMin | Self::ArgMax | Self::Nearest(_))
    }

    /// Returns whether a component is the index of a j-particle.
    pub const fn is_index(self, component: usize) -> bool {
        self.keeps_index() && component >= self.components() / 2
    }

    /// Merges extremes and their indices, as words of rows, into others of this field.
    pub(crate) fn merge(self, terms: &[u64], sums: &mut [u64]) {
        let n = terms.len() / 2;
        let entry = |words: &[u64], k: usize| (f64::from_bits(words[k]), words[n + k]);
        for k in 0..n {
            let term = entry(terms, k);
            // The values are in order: if one is not taken, the next ones are not.
            if !self.comes_first(term, entry(sums, n - 1)) {
                return;
            }
            let mut place = n - 1;
            while place > 0 && self.comes_first(term, entry(sums, place - 1)) {
                (sums[place], sums[n + place]) = (sums[place - 1], sums[n + place - 1]);
                place -= 1;
            }
            (sums[place], sums[n + place]) = (terms[k], terms[n + k]);
        }
    }

    /// Returns whether a value with its index comes before another one: if it is less, or greater for
    /// an [`ArgMax`](Self::ArgMax), or equal and of a lower index. NaN does not.
    fn comes_first(self, of: (f64, u64), other: (f64, u64)) -> bool {
        let is_before = if self == Self::ArgMax { of.0 > other.0 } else { of.0 < other.0 };
        is_before || of.0 == other.0 && of.1 < other.1
    }

    /// Returns whether the field counts pairs.
    pub const fn is_count(self) -> bool {
        matches!(self, Self::Count | Self::Counts(_))
    }

    /// Returns whether fields of these kinds have the same layout.
    pub(crate) const fn has_layout_of(self, other: Self) -> bool {
        let is_same = match self {
            Self::U32 | Self::Count | Self::Counts(_) => {
                matches!(other, Self::U32 | Self::Count | Self::Counts(_))
            }
            Self::Point(_) => matches!(other, Self::Point(_)),
            Self::ArgMin | Self::ArgMax | Self::Nearest(_) => other.keeps_index(),
            Self::Spline(_) => matches!(other, Self::Spline(_)),
            Self::Splines(n, knots) => {
                matches!(other, Self::Splines(m, others) if m == n && others == knots)
            }
            Self::Real
            | Self::Min
            | Self::Max
            | Self::Vector(_)
            | Self::Tensor(_)
            | Self::Array(_) => !matches!(
                other,
                Self::U32
                    | Self::Count
                    | Self::Counts(_)
                    | Self::Point(_)
                    | Self::ArgMin
                    | Self::ArgMax
                    | Self::Nearest(_)
                    | Self::Spline(_)
                    | Self::Splines(..)
            ),
        };
        is_same && self.components() == other.components()
    }

    /// Returns the Rust type of its values on the host.
    pub(crate) fn host_type(self) -> String {
        match self {
            Self::Real | Self::Min | Self::Max => "f64".to_owned(),
            Self::U32 | Self::Count => "u32".to_owned(),
            Self::ArgMin => "ArgMin".to_owned(),
            Self::ArgMax => "ArgMax".to_owned(),
            Self::Vector(n) => format!("Vector<f64, {n}>"),
            Self::Tensor(n) => format!("Tensor<f64, {n}>"),
            Self::Point(n) => format!("Point<f64, {n}>"),
            Self::Array(n) => format!("[f64; {n}]"),
            Self::Spline(n) => format!("Spline<{n}>"),
            Self::Splines(n, knots) => format!("[Spline<{knots}>; {n}]"),
            Self::Counts(n) => format!("[u32; {n}]"),
            Self::Nearest(n) => format!("Nearest<{n}>"),
        }
    }

    /// Returns the name of a component: of positions, vectors and tensors.
    pub(crate) fn component_name(self, component: usize) -> Option<&'static str> {
        let names: &[&str] = match self {
            Self::Vector(_) | Self::Point(_) => &["x", "y", "z"],
            Self::Tensor(2) => &["xx", "yy", "xy"],
            Self::Tensor(_) => &["xx", "yy", "zz", "xy", "xz", "yz"],
            _ => &[],
        };
        names.get(component).copied()
    }

    /// Returns the number of numbers in the field.
    pub const fn components(self) -> usize {
        match self {
            Self::Real | Self::U32 | Self::Min | Self::Max | Self::Count => 1,
            Self::ArgMin | Self::ArgMax => 2,
            Self::Nearest(n) => 2 * n,
            Self::Tensor(n) => n * (n + 1) / 2,
            Self::Vector(n) | Self::Point(n) | Self::Array(n) | Self::Counts(n) => n,
            Self::Spline(n) => 4 * cubics_of_spline(n),
            Self::Splines(n, knots) => 4 * n * cubics_of_spline(knots),
        }
    }
}

/// Returns the number of cubics of a spline with this number of knots, of four numbers each: the scale,
/// the pieces between the knots, before the first one and after the last one.
pub(crate) const fn cubics_of_spline(knots: usize) -> usize {
    knots + 2
}

impl fmt::Display for FieldKind {
    /// Prints the type in the language of declarations.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real => f.write_str("Real"),
            Self::Vector(3) => f.write_str("Vector"),
            Self::Vector(n) => write!(f, "Vector<{n}>"),
            Self::Tensor(3) => f.write_str("Tensor"),
            Self::Tensor(n) => write!(f, "Tensor<{n}>"),
            Self::Point(3) => f.write_str("Point"),
            Self::Point(n) => write!(f, "Point<{n}>"),
            Self::Array(n) => write!(f, "[Real; {n}]"),
            Self::Spline(n) => write!(f, "Spline<{n}>"),
            Self::Splines(n, knots) => write!(f, "[Spline<{knots}>; {n}]"),
            Self::U32 => f.write_str("u32"),
            Self::Min => f.write_str("Min<Real>"),
            Self::Max => f.write_str("Max<Real>"),
            Self::ArgMin => f.write_str("ArgMin<Real>"),
            Self::ArgMax => f.write_str("ArgMax<Real>"),
            Self::Nearest(n) => write!(f, "Nearest<{n}>"),
            Self::Count => f.write_str("Count"),
            Self::Counts(n) => write!(f, "[Count; {n}]"),
        }
    }
}

/// The most knots of all splines of an array.
pub(crate) const MOST_KNOTS: usize = 262_144;

/// One field of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name in the declaration.
    pub name: &'static str,
    /// The type.
    pub kind: FieldKind,
}

impl fmt::Display for Field {
    /// Prints the field as in a declaration: `pos: Point`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.kind)
    }
}
