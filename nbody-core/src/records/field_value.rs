//! The values of one field.

use crate::field::FieldKind;
use crate::numeric::extremum::{ArgMax, ArgMin};
use crate::numeric::nearest::Nearest;
use crate::numeric::tensor::Tensor;
use crate::numeric::vector::{Point, Vector};

/// A host type of values of a field: `f64` for a `Real`, [`Vector`], [`Tensor`], [`Point`], an array, or
/// `u32`; of results also [`ArgMin`], [`ArgMax`] and [`Nearest`]. Reals may be `f32`, which are widened,
/// and rounded when they are read. An array of the numbers of a vector, tensor or point will do.
pub trait FieldValue: Copy + Send + Sync + sealed::Numbers + 'static {
    /// The type in the language of declarations.
    const KIND: FieldKind;
}

/// The type of one component of a field: `f64`, `f32` or `u32`.
pub trait Component: FieldValue {}

impl Component for f64 {}
impl Component for f32 {}
impl Component for u32 {}

pub(crate) mod sealed {
    /// A type that is converted from and to its numbers, as 64-bit words.
    pub trait Numbers {
        /// The name of the type of its reals.
        const REAL: &'static str;

        fn read(words: &[u64]) -> Self;
        fn write(self, words: &mut [u64]);
    }
}

/// Returns whether a field may be read and written as values of this type.
pub(crate) fn accepts(field: FieldKind, values: FieldKind) -> bool {
    use FieldKind::{Array, Count, Max, Min, Point, Real, Tensor, U32, Vector};
    let is_one_number = matches!((values, field), (Real, Min | Max) | (U32, Count));
    let are_numbers = matches!((values, field), (Array(_), Vector(_) | Point(_) | Tensor(_)));
    let has_length = values.components() == field.components();
    values == field || is_one_number || are_numbers && has_length
}

/// Returns the name of a type of values, whose reals have this name.
pub(crate) fn type_name(values: FieldKind, real: &str) -> String {
    values.host_type().replace("f64", real)
}

fn reals<const N: usize>(words: &[u64]) -> [f64; N] {
    std::array::from_fn(|k| f64::from_bits(words[k]))
}

fn short<const N: usize>(words: &[u64]) -> [f32; N] {
    std::array::from_fn(|k| f64::from_bits(words[k]) as f32)
}

fn integers<const N: usize>(words: &[u64]) -> [u32; N] {
    std::array::from_fn(|k| words[k] as u32)
}

/// A number as a word of a row.
trait Word: Copy {
    fn word(self) -> u64;
}

impl Word for f64 {
    fn word(self) -> u64 {
        self.to_bits()
    }
}

impl Word for f32 {
    fn word(self) -> u64 {
        f64::from(self).to_bits()
    }
}

impl Word for u32 {
    fn word(self) -> u64 {
        self.into()
    }
}

fn put(numbers: &[impl Word], words: &mut [u64]) {
    for (word, number) in words.iter_mut().zip(numbers) {
        *word = number.word();
    }
}

macro_rules! values {
    ($([$($generic:tt)*] $type:ty, $kind:expr, $real:literal, $read:expr, $write:expr;)*) => {
        $(impl<$($generic)*> FieldValue for $type {
            const KIND: FieldKind = $kind;
        }

        impl<$($generic)*> sealed::Numbers for $type {
            const REAL: &'static str = $real;

            fn read(words: &[u64]) -> Self {
                let read: fn(&[u64]) -> Self = $read;
                read(words)
            }

            fn write(self, words: &mut [u64]) {
                let write: fn(&Self, &mut [u64]) = $write;
                write(&self, words);
            }
        })*
    };
}

values! {
    [] f64, FieldKind::Real, "f64", |words| f64::from_bits(words[0]), |it, to| put(&[*it], to);
    [] f32, FieldKind::Real, "f32", |words| f64::from_bits(words[0]) as Self, |it, to| put(&[*it], to);
    [] u32, FieldKind::U32, "", |words| words[0] as Self, |it, to| put(&[*it], to);
    [const N: usize] [u32; N], FieldKind::Counts(N), "", integers, |it, to| put(it, to);
    [const N: usize] [f64; N], FieldKind::Array(N), "f64", reals, |it, to| put(it, to);
    [const N: usize] [f32; N], FieldKind::Array(N), "f32", short, |it, to| put(it, to);
    [const D: usize] Vector<f64, D>, FieldKind::Vector(D), "f64",
        |words| Self(reals(words)), |it, to| put(&it.0, to);
    [const D: usize] Vector<f32, D>, FieldKind::Vector(D), "f32",
        |words| Self(short(words)), |it, to| put(&it.0, to);
    [const D: usize] Point<f64, D>, FieldKind::Point(D), "f64",
        |words| Self(reals(words)), |it, to| put(&it.0, to);
    [const D: usize] Point<f32, D>, FieldKind::Point(D), "f32",
        |words| Self(short(words)), |it, to| put(&it.0, to);
    [] Tensor<f64, 1>, FieldKind::Tensor(1), "f64", |words| Self(reals(words)), |it, to| put(&it.0, to);
    [] Tensor<f64, 2>, FieldKind::Tensor(2), "f64", |words| Self(reals(words)), |it, to| put(&it.0, to);
    [] Tensor<f64, 3>, FieldKind::Tensor(3), "f64", |words| Self(reals(words)), |it, to| put(&it.0, to);
    [] Tensor<f32, 1>, FieldKind::Tensor(1), "f32", |words| Self(short(words)), |it, to| put(&it.0, to);
    [] Tensor<f32, 2>, FieldKind::Tensor(2), "f32", |words| Self(short(words)), |it, to| put(&it.0, to);
    [] Tensor<f32, 3>, FieldKind::Tensor(3), "f32", |words| Self(short(words)), |it, to| put(&it.0, to);
    [] ArgMin, FieldKind::ArgMin, "f64",
        |words| Self { value: f64::from_bits(words[0]), index: words[1] as u32 },
        |it, to| (to[0], to[1]) = (it.value.word(), it.index.word());
    [] ArgMax, FieldKind::ArgMax, "f64",
        |words| Self { value: f64::from_bits(words[0]), index: words[1] as u32 },
        |it, to| (to[0], to[1]) = (it.value.word(), it.index.word());
    [const K: usize] Nearest<K>, FieldKind::Nearest(K), "f64",
        |words| Self { values: reals(words), indices: integers(&words[K..]) },
        |it, to| {
            put(&it.values, to);
            put(&it.indices, &mut to[K..]);
        };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_arrays_of_their_numbers_are_accepted() {
        use FieldKind::{
            ArgMax, ArgMin, Array, Count, Counts, Max, Min, Nearest, Point, Real, Tensor, U32,
            Vector,
        };
        let fields = [
            Real,
            Min,
            Max,
            U32,
            Count,
            Counts(3),
            Array(3),
            Array(6),
            Vector(3),
            Vector(2),
            Point(3),
            Tensor(3),
            Tensor(2),
            ArgMin,
            ArgMax,
            Nearest(3),
        ];
        let of =
            |values| fields.into_iter().filter(|&field| accepts(field, values)).collect::<Vec<_>>();
        assert_eq!(of(Real), [Real, Min, Max]);
        assert_eq!(of(U32), [U32, Count]);
        assert_eq!(of(Counts(3)), [Counts(3)]);
        assert_eq!(of(Array(3)), [Array(3), Vector(3), Point(3), Tensor(2)]);
        assert_eq!(of(Array(6)), [Array(6), Tensor(3)]);
        assert_eq!([of(Array(1)), of(Array(4))], [[]; 2]);
        for kind in [Vector(3), Point(3), Tensor(3), ArgMin, ArgMax, Nearest(3)] {
            assert_eq!(of(kind), [kind]);
        }
    }

    fn keeps<T: FieldValue + PartialEq + std::fmt::Debug>(value: T) {
        let mut words = vec![0; T::KIND.components()];
        value.write(&mut words);
        assert_eq!(T::read(&words), value);
    }

    #[test]
    fn values_are_those_of_their_numbers() {
        keeps(-0.1_f64);
        keeps(0.1_f32);
        keeps(u32::MAX);
        keeps([1, 2, u32::MAX]);
        keeps([0.1, 0.2]);
        keeps([0.1_f32, 0.2]);
        keeps(Vector([0.1, 0.2]));
        keeps(Point::<f32, 3>([0.1, 0.2, 0.3]));
        keeps(Tensor::<f64, 2>([0.1, 0.2, 0.3]));
        keeps(ArgMin { value: 0.1, index: 7 });
        keeps(ArgMax { value: 0.1, index: u32::MAX });
        keeps(Nearest::<2> { values: [0.1, 0.2], indices: [3, 4] });
        assert_eq!(<f32 as sealed::Numbers>::read(&[0.1_f64.to_bits()]), 0.1);
        assert_eq!(<[f32; 1] as sealed::Numbers>::read(&[1e300_f64.to_bits()]), [f32::INFINITY]);
    }
}
