//! The values of one field.

use std::slice;

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::numeric::tensor::Tensor;
use crate::numeric::vector::{Point, Vector};
use crate::parallel;
use crate::records::binding::Binding;
use crate::records::pack::chunk;
use crate::records::rows::WriteRows;

/// The host type of a field: `f64` for a `Real`, [`Vector`], [`Tensor`], [`Point`], `[f64; N]` or
/// `u32`.
pub trait FieldValue: Copy + Send + Sync + sealed::Read + 'static {
    /// The type in the language of declarations.
    const KIND: FieldKind;
}

mod sealed {
    /// A type that is read from its numbers, as 64-bit words.
    pub trait Read {
        fn read(words: &[u64]) -> Self;
    }
}

fn reals<const N: usize>(words: &[u64]) -> [f64; N] {
    std::array::from_fn(|k| f64::from_bits(words[k]))
}

macro_rules! values {
    ($([$($generic:tt)*] $type:ty, $kind:expr, $read:expr;)*) => {
        $(impl<$($generic)*> FieldValue for $type {
            const KIND: FieldKind = $kind;
        }

        impl<$($generic)*> sealed::Read for $type {
            fn read(words: &[u64]) -> Self {
                let read: fn(&[u64]) -> Self = $read;
                read(words)
            }
        })*
    };
}

values! {
    [] f64, FieldKind::Real, |words| f64::from_bits(words[0]);
    [const N: usize] [u32; N], FieldKind::Counts(N), |words| {
        std::array::from_fn(|k| words[k] as u32)
    };
    [] u32, FieldKind::U32, |words| words[0] as Self;
    [const N: usize] [f64; N], FieldKind::Array(N), reals;
    [const D: usize] Vector<f64, D>, FieldKind::Vector(D), |words| Self(reals(words));
    [] Tensor<f64, 1>, FieldKind::Tensor(1), |words| Self(reals(words));
    [] Tensor<f64, 2>, FieldKind::Tensor(2), |words| Self(reals(words));
    [] Tensor<f64, 3>, FieldKind::Tensor(3), |words| Self(reals(words));
    [const D: usize] Point<f64, D>, FieldKind::Point(D), |words| Self(reals(words));
}

/// Finds the field of this name; an error if its type is not `T`.
pub fn find_field<T: FieldValue>(
    fields: &'static [Field],
    name: &str,
) -> Result<(&'static Field, Binding), Error> {
    let Some(field) = fields.iter().find(|field| field.name == name) else {
        return Err(Error::NoField { name: name.to_owned(), found: fields });
    };
    if field.kind != T::KIND {
        return Err(Error::FieldType { field, asked: T::KIND });
    }
    Ok((field, Binding::new("download", slice::from_ref(field), fields)?))
}

/// Returns `n` values, whose numbers `write` writes.
pub fn values<T: FieldValue>(n: usize, write: &WriteRows) -> Vec<T> {
    let dim = T::KIND.components();
    let mut values = vec![T::read(&vec![0; dim]); n];
    parallel::each_chunk(&mut values, chunk(n, dim), &|first, values| {
        let mut rows = vec![0; values.len() * dim];
        write(first..first + values.len(), &mut rows);
        for (value, row) in values.iter_mut().zip(rows.chunks_exact(dim.max(1))) {
            *value = T::read(row);
        }
    });
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Field] = &[
        Field { name: "kind", kind: FieldKind::U32 },
        Field { name: "pos", kind: FieldKind::Point(2) },
        Field { name: "table", kind: FieldKind::Array(3) },
    ];

    #[test]
    fn fields_are_found_by_name_and_type() {
        let (field, binding) = find_field::<[f64; 3]>(FIELDS, "table").unwrap();
        assert_eq!((field, binding.places().len()), (&FIELDS[2], 3));
        assert_eq!(binding.places()[0].component(), 3);
        let message = |found: Result<_, Error>| found.unwrap_err().to_string();
        let list = "kind: u32, pos: Point<2>, table: [Real; 3]";
        let expected = format!("no field `Kind`, found {list}; ask for one of these");
        assert_eq!(message(find_field::<u32>(FIELDS, "Kind")), expected);
        for (found, expected) in [
            (find_field::<f64>(FIELDS, "kind"), "`kind: u32` as `f64`, expected `u32`"),
            (
                find_field::<Point>(FIELDS, "pos"),
                "`pos: Point<2>` as `Point<f64, 3>`, expected `Point<f64, 2>`",
            ),
            (
                find_field::<Vector>(FIELDS, "table"),
                "`table: [Real; 3]` as `Vector<f64, 3>`, expected `[f64; 3]`",
            ),
        ] {
            let expected = format!("field {expected}; ask for it as its type");
            assert_eq!(message(found), expected);
        }
    }

    #[test]
    fn values_are_read_from_their_numbers() {
        let write: &WriteRows = &|range, rows| {
            for (k, row) in range.zip(rows.chunks_exact_mut(2)) {
                row.copy_from_slice(&[k as f64, -(k as f64)].map(f64::to_bits));
            }
        };
        // So many values that several threads convert them.
        let found = values::<Vector<f64, 2>>(40_000, write);
        let expected: Vec<_> = (0..40_000_u32).map(f64::from).map(|k| Vector([k, -k])).collect();
        assert!(found == expected);
        assert!(values::<Point<f64, 2>>(0, write).is_empty());
    }
}
