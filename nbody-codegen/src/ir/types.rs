//! The types of the language.
//!
//! To add a type of fields: `check/types.rs` parses it, [`Type`] lists it, `emit_rust/` and
//! `emit_cuda/` print it, `FieldKind` of nbody-core describes it to engines, and `prelude.cuh`
//! defines it. `tests/modules/everything.rs` and the common interactions of the tests use it.

use std::fmt;

/// A type of the language, with the numbers of components or entries.
#[allow(missing_docs, reason = "named as in the language")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Real,
    U32,
    Bool,
    Vector(usize),
    /// A symmetric tensor in space of this dimension.
    Tensor(usize),
    Point(usize),
    Array(usize),
    /// A table with rows and columns.
    Table(usize, usize),
    /// A spline with this number of knots.
    Spline(usize),
    /// This number of splines with this number of knots each.
    Splines(usize, usize),
    /// Rows and columns of splines with this number of knots each.
    SplineTable(usize, usize, usize),
    /// A result that is no sum.
    Reduced(Reduction),
    /// A result of this number of counts.
    Counts(usize),
}

/// The components of symmetric tensors in one to three dimensions, in order: name, row and column.
pub const TENSOR: [&[(&str, [usize; 2])]; 3] = [
    &[("xx", [0, 0])],
    &[("xx", [0, 0]), ("yy", [1, 1]), ("xy", [0, 1])],
    &[
        ("xx", [0, 0]),
        ("yy", [1, 1]),
        ("zz", [2, 2]),
        ("xy", [0, 1]),
        ("xz", [0, 2]),
        ("yz", [1, 2]),
    ],
];

/// A reduction over pairs that is no sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// An extreme value, and the index of its j-particle.
    Arg(Extremum),
    /// This number of smallest values, in ascending order, and the indices of their j-particles.
    Nearest(usize),
    /// The number of pairs.
    Count,
}

/// An extreme of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extremum {
    /// The smallest one.
    Least,
    /// The largest one.
    Greatest,
}

impl Extremum {
    /// Returns the name of the type that also keeps the index.
    pub fn name(self) -> &'static str {
        match self {
            Self::Least => "ArgMin",
            Self::Greatest => "ArgMax",
        }
    }

    /// Returns the sign of the infinity that is its value before the first pair.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Least => "",
            Self::Greatest => "-",
        }
    }
}

impl Reduction {
    /// Returns the method that accumulates a value; `None` for a count.
    pub fn method(self) -> Option<&'static str> {
        match self {
            Self::Min | Self::Arg(Extremum::Least) => Some("min"),
            Self::Max | Self::Arg(Extremum::Greatest) => Some("max"),
            Self::Nearest(_) => Some("insert"),
            Self::Count => None,
        }
    }

    /// Tests whether it keeps the index of a j-particle.
    pub fn keeps_index(self) -> bool {
        matches!(self, Self::Arg(_) | Self::Nearest(_))
    }
}

/// Returns the name of the values (0) or of the indices (1) of a result that keeps indices.
pub fn part_name(ty: Type, part: usize) -> &'static str {
    let names = match ty {
        Type::Reduced(Reduction::Nearest(_)) => ["values", "indices"],
        _ => ["value", "index"],
    };
    names[part]
}

impl Type {
    /// Returns the number of reals or integers in a value.
    pub fn components(self) -> usize {
        match self {
            Self::Reduced(Reduction::Arg(_)) => 2,
            Self::Reduced(Reduction::Nearest(n)) => 2 * n,
            Self::Real | Self::U32 | Self::Bool | Self::Reduced(_) => 1,
            Self::Tensor(n) => TENSOR[n - 1].len(),
            Self::Vector(n) | Self::Point(n) | Self::Array(n) | Self::Counts(n) => n,
            Self::Table(rows, columns) => rows * columns,
            // Rows of four: the scale, the pieces between knots, and the pieces before and after.
            Self::Spline(knots) => 4 * (knots + 2),
            Self::Splines(n, knots) => n * Self::Spline(knots).components(),
            Self::SplineTable(rows, columns, knots) => {
                rows * columns * Self::Spline(knots).components()
            }
        }
    }

    /// Returns the type of an entry that indices from the data choose.
    #[must_use]
    pub fn entry(self) -> Self {
        match self {
            Self::Splines(_, knots) | Self::SplineTable(_, _, knots) => Self::Spline(knots),
            _ => Self::Real,
        }
    }

    /// Tests whether it is a spline, or an array or a table of splines.
    pub fn is_of_splines(self) -> bool {
        matches!(self, Self::Spline(_) | Self::Splines(..) | Self::SplineTable(..))
    }

    /// Returns the type of a component that an index selects.
    #[must_use]
    pub fn component(self) -> Self {
        if matches!(self, Self::Counts(_)) { Self::U32 } else { Self::Real }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real => f.write_str("Real"),
            Self::U32 => f.write_str("u32"),
            Self::Bool => f.write_str("bool"),
            Self::Vector(3) => f.write_str("Vector"),
            Self::Tensor(3) => f.write_str("Tensor"),
            Self::Point(3) => f.write_str("Point"),
            Self::Vector(n) => write!(f, "Vector<{n}>"),
            Self::Tensor(n) => write!(f, "Tensor<{n}>"),
            Self::Point(n) => write!(f, "Point<{n}>"),
            Self::Array(n) => write!(f, "[Real; {n}]"),
            Self::Reduced(Reduction::Min) => f.write_str("Min<Real>"),
            Self::Reduced(Reduction::Max) => f.write_str("Max<Real>"),
            Self::Reduced(Reduction::Arg(extremum)) => write!(f, "{}<Real>", extremum.name()),
            Self::Reduced(Reduction::Nearest(n)) => write!(f, "Nearest<{n}>"),
            Self::Reduced(Reduction::Count) => f.write_str("Count"),
            Self::Counts(n) => write!(f, "[Count; {n}]"),
            Self::Table(rows, columns) => write!(f, "[[Real; {columns}]; {rows}]"),
            Self::Spline(knots) => write!(f, "Spline<{knots}>"),
            Self::Splines(n, knots) => write!(f, "[Spline<{knots}>; {n}]"),
            Self::SplineTable(rows, columns, knots) => {
                write!(f, "[[Spline<{knots}>; {columns}]; {rows}]")
            }
        }
    }
}
