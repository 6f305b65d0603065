//! Programs of interval arithmetic. A function of records is a table of steps, each of which
//! computes a value from earlier ones; the last value is the result.

use std::ops::Range;

use crate::numeric::interval::bounds;
use crate::numeric::interval::values::{Integers, Interval, Truth};

/// The record that a number is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The parameters.
    Parameters,
    /// The i-particle.
    I,
    /// The j-particle.
    J,
}

/// A step of a program. It names earlier values by their places.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// A constant.
    Real(f64),
    /// An integer constant.
    Integer(u32),
    /// A constant condition.
    Truth(bool),
    /// Any number, or NaN.
    Unknown,
    /// A real number of a record, by its index there.
    Number(Role, usize),
    /// An integer of a record, by its index there.
    Index(Role, usize),
    /// A function of earlier values; places beyond its number of operands are ignored.
    Apply(Function, [u16; 3]),
    /// A power of a number.
    Power(u16, u32),
    /// The entry of a list of values at an index (an integer value); NaN beyond the end.
    Entry(&'static [u16], u16),
    /// An entry of a table among the parameters; NaN beyond the end.
    Lookup {
        /// The index of the first number.
        first: usize,
        /// Rows and columns.
        size: [usize; 2],
        /// The places of the row index and of the column index (integer values).
        at: [u16; 2],
    },
}

impl PartialEq for Step {
    /// Compares constants by their bits: 0 is not -0, and a NaN equals itself.
    fn eq(&self, other: &Self) -> bool {
        match (*self, *other) {
            (Self::Real(a), Self::Real(b)) => a.to_bits() == b.to_bits(),
            (Self::Integer(a), Self::Integer(b)) => a == b,
            (Self::Truth(a), Self::Truth(b)) => a == b,
            (Self::Unknown, Self::Unknown) => true,
            (Self::Number(a, k), Self::Number(b, l)) | (Self::Index(a, k), Self::Index(b, l)) => {
                (a, k) == (b, l)
            }
            (Self::Apply(a, of), Self::Apply(b, others)) => (a, of) == (b, others),
            (Self::Power(a, n), Self::Power(b, m)) => (a, n) == (b, m),
            (Self::Entry(a, k), Self::Entry(b, l)) => (a, k) == (b, l),
            (
                Self::Lookup { first, size, at },
                Self::Lookup { first: of_other, size: other_size, at: other_at },
            ) => (first, size, at) == (of_other, other_size, other_at),
            _ => false,
        }
    }
}

impl Eq for Step {}

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Bounds of a number.
    Interval,
    /// Bounds of an integer.
    Integers,
    /// Whether a condition may hold, and whether it may fail.
    Truth,
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
    Interval(Interval),
    Integers(Integers),
    Truth(Truth),
}

macro_rules! kinds {
    ($($kind:ident)*) => {
        $(impl From<Value> for $kind {
            fn from(value: Value) -> Self {
                match value {
                    Value::$kind(value) => value,
                    other => panic!("a step takes {}, not {other:?}", stringify!($kind)),
                }
            }
        })*
    };
}
kinds!(Interval Integers Truth);

macro_rules! functions {
    ($($name:ident = $function:ident($($input:ident),*) -> $output:ident;)*) => {
        /// A function of values: `bounds` in Rust, and the function of the same
        /// [name](Function::name) in C.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "documented as functions")]
        pub enum Function { $($name),* }

        impl Function {
            /// All functions.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => stringify!($function)),* }
            }

            /// Returns the types of the operands.
            pub const fn inputs(self) -> &'static [Kind] {
                match self { $(Self::$name => &[$(Kind::$input),*]),* }
            }

            /// Returns the type of the result.
            pub const fn output(self) -> Kind {
                match self { $(Self::$name => Kind::$output),* }
            }

            fn apply(self, operands: [u16; 3], values: &[Value]) -> Value {
                let mut operands = operands.into_iter();
                let mut next = || values[operands.next().map_or(usize::MAX, usize::from)];
                match self {
                    $(Self::$name => Value::$output(bounds::$function($($input::from(next())),*))),*
                }
            }
        }
    };
}
functions! {
    Negative = negative(Interval) -> Interval;
    Sum = sum(Interval, Interval) -> Interval;
    RoundedSum = rounded_sum(Interval, Interval) -> Interval;
    Product = product(Interval, Interval) -> Interval;
    Quotient = quotient(Interval, Interval) -> Interval;
    Abs = abs(Interval) -> Interval;
    Min = min(Interval, Interval) -> Interval;
    Max = max(Interval, Interval) -> Interval;
    Sqrt = sqrt(Interval) -> Interval;
    Cbrt = cbrt(Interval) -> Interval;
    Exp = exp(Interval) -> Interval;
    Ln = ln(Interval) -> Interval;
    Powf = powf(Interval, Interval) -> Interval;
    Wave = wave(Interval) -> Interval;
    Asin = asin(Interval) -> Interval;
    Acos = acos(Interval) -> Interval;
    Atan = atan(Interval) -> Interval;
    Atan2 = atan2(Interval, Interval) -> Interval;
    Sinh = sinh(Interval) -> Interval;
    Cosh = cosh(Interval) -> Interval;
    Tanh = tanh(Interval) -> Interval;
    Erf = erf(Interval) -> Interval;
    Erfc = erfc(Interval) -> Interval;
    Floor = floor(Interval) -> Interval;
    Ceil = ceil(Interval) -> Interval;
    Round = round(Interval) -> Interval;
    Trunc = trunc(Interval) -> Interval;
    Copysign = copysign(Interval, Interval) -> Interval;
    Select = select(Truth, Interval, Interval) -> Interval;
    Less = less(Interval, Interval) -> Truth;
    AtMost = at_most(Interval, Interval) -> Truth;
    Equal = equal(Interval, Interval) -> Truth;
    Opposite = opposite(Truth) -> Truth;
    Both = both(Truth, Truth) -> Truth;
    Either = either(Truth, Truth) -> Truth;
    Differ = differ(Truth, Truth) -> Truth;
    LessInteger = less_integer(Integers, Integers) -> Truth;
    AtMostInteger = at_most_integer(Integers, Integers) -> Truth;
    EqualIntegers = equal_integers(Integers, Integers) -> Truth;
    SelectInteger = select_integer(Truth, Integers, Integers) -> Integers;
    SumOfIntegers = sum_of_integers(Integers, Integers) -> Integers;
    DifferenceOfIntegers = difference_of_integers(Integers, Integers) -> Integers;
    ProductOfIntegers = product_of_integers(Integers, Integers) -> Integers;
    AndIntegers = and_integers(Integers, Integers) -> Integers;
    OrIntegers = or_integers(Integers, Integers) -> Integers;
    XorIntegers = xor_integers(Integers, Integers) -> Integers;
    QuotientOfIntegers = quotient_of_integers(Integers, Integers) -> Integers;
    RemainderOfIntegers = remainder_of_integers(Integers, Integers) -> Integers;
    ShiftedLeft = shifted_left(Integers, Integers) -> Integers;
    ShiftedRight = shifted_right(Integers, Integers) -> Integers;
    LeastInteger = least_integer(Integers, Integers) -> Integers;
    GreatestInteger = greatest_integer(Integers, Integers) -> Integers;
    RotatedInteger = rotated_integer(Integers, Integers) -> Integers;
    OnesOfInteger = ones_of_integer(Integers) -> Integers;
    HighOfProduct = high_of_product(Integers, Integers) -> Integers;
    Converted = converted(Integers) -> Interval;
    Truncated = truncated(Interval) -> Integers;
}

/// Bounds of the numbers in each record: the parameters, i and j.
pub type Records<'a> = [&'a [Interval]; 3];

/// Returns bounds of the result of a program.
///
/// # Panics
///
/// If a record has fewer bounds than numbers.
pub fn evaluate(steps: &[Step], records: &Records) -> Interval {
    let mut values = Vec::with_capacity(steps.len());
    for step in steps {
        values.push(value(step, &values, records, within));
    }
    values.last().copied().expect("a program has a result").into()
}

/// Returns the value of a step. `existing` returns the entries that an index may select, given the
/// number of entries.
pub(crate) fn value(
    step: &Step,
    values: &[Value],
    records: &Records,
    chosen: fn(Integers, usize) -> Range<usize>,
) -> Value {
    let number = |place: u16| Interval::from(values[usize::from(place)]);
    let chosen = |index: u16, count| chosen(values[usize::from(index)].into(), count);
    let of = |role: Role, number: usize| records[role as usize][number];
    Value::Interval(match *step {
        Step::Integer(n) => return Value::Integers(bounds::integer(n)),
        Step::Truth(holds) => return Value::Truth(bounds::known(holds)),
        Step::Index(role, number) => {
            return Value::Integers(bounds::integers_within(of(role, number)));
        }
        Step::Apply(function, operands) => return function.apply(operands, values),
        Step::Real(x) => bounds::constant(x),
        Step::Unknown => Interval::WHOLE,
        Step::Number(role, number) => bounds::stored(of(role, number)),
        Step::Power(base, n) => bounds::power(number(base), n),
        Step::Entry(among, index) => hull(chosen(index, among.len()).map(|k| number(among[k]))),
        Step::Lookup { first, size: [rows, columns], at: [row, column] } => {
            let columns_chosen = chosen(column, columns);
            let of_row =
                |row| columns_chosen.clone().map(move |column| first + row * columns + column);
            let places = chosen(row, rows).flat_map(of_row);
            hull(places.map(|place| bounds::stored(records[0][place])))
        }
    })
}

/// Returns these indices; none if one may be beyond the end, where entries are NaN.
fn within(indices: Integers, count: usize) -> Range<usize> {
    let (lo, hi) = (indices.lo as usize, indices.hi as usize);
    if lo <= hi && hi < count { lo..hi + 1 } else { 0..0 }
}

/// Returns the hull of these intervals, or the whole line if there are none.
fn hull(numbers: impl Iterator<Item = Interval>) -> Interval {
    numbers.reduce(Interval::hull).unwrap_or(Interval::WHOLE)
}
