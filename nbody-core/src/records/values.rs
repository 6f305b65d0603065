//! Values of fields in memory of the host, as the caller has them.

use std::fmt;
use std::ops::Range;
use std::slice;

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::parallel;
use crate::records::field_value::{Component, FieldValue, accepts, type_name};
use crate::records::pack::chunk;
use crate::records::record::dim;
use crate::records::rows::{Rows, WriteRows};

/// Records of a column that are converted at a time, so that their rows stay in the cache.
const BATCH: usize = 1 << 8;

/// The type and the number of values of a field.
#[derive(Clone, Copy, Debug)]
struct Shape {
    kind: FieldKind,
    real: &'static str,
    /// The least and the greatest length of the components.
    lengths: [usize; 2],
}

impl Shape {
    fn of<T: FieldValue>(n: usize) -> Self {
        Self { kind: T::KIND, real: T::REAL, lengths: [n, n] }
    }

    /// Returns the shape of an array whose components have these lengths.
    fn of_components<T: Component>(lengths: &[usize]) -> Self {
        let kind = match T::KIND {
            FieldKind::U32 => FieldKind::Counts(lengths.len()),
            _ => FieldKind::Array(lengths.len()),
        };
        let ends = [lengths.iter().min(), lengths.iter().max()];
        Self { kind, real: T::REAL, lengths: ends.map(|end| end.copied().unwrap_or(0)) }
    }

    /// Refuses another type than the field has.
    fn check_type(&self, field: &'static Field) -> Result<(), Error> {
        if accepts(field.kind, self.kind) {
            return Ok(());
        }
        Err(Error::FieldType { field, asked: type_name(self.kind, self.real) })
    }

    /// Refuses another number of values than records.
    fn check_length(&self, field: &'static Field, n: usize) -> Result<(), Error> {
        self.lengths.into_iter().try_for_each(|found| Error::check_length(field.name, found, n))
    }
}

/// Values of a field to copy from: `(&masses).into()` of a slice or `Vec` of [`FieldValue`]s, `[&x, &y,
/// &z].into()` of a slice for each component, or [`Values::each`] of the caller's own structs.
pub struct Values<'a> {
    shape: Shape,
    write: Box<WriteRows<'a>>,
}

impl fmt::Debug for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape.fmt(f)
    }
}

impl<'a> Values<'a> {
    /// Takes a value from each item of a slice of the caller's own structs.
    pub fn each<A: Sync, T: FieldValue>(
        items: &'a [A],
        value: impl Fn(&A) -> T + Sync + 'a,
    ) -> Self {
        let write = move |range: Range<usize>, rows: &mut [u64]| {
            let rows = rows.chunks_exact_mut(T::KIND.components().max(1));
            for (item, row) in items[range].iter().zip(rows) {
                value(item).write(row);
            }
        };
        Self { shape: Shape::of::<T>(items.len()), write: Box::new(write) }
    }
}

impl<'a, T: FieldValue> From<&'a [T]> for Values<'a> {
    fn from(values: &'a [T]) -> Self {
        Self::each(values, |value| *value)
    }
}

impl<'a, T: FieldValue> From<&'a Vec<T>> for Values<'a> {
    fn from(values: &'a Vec<T>) -> Self {
        Self::from(&values[..])
    }
}

impl<'a, T: Component, const N: usize> From<[&'a [T]; N]> for Values<'a> {
    fn from(components: [&'a [T]; N]) -> Self {
        let write = move |range: Range<usize>, rows: &mut [u64]| {
            for (c, component) in components.iter().enumerate() {
                let words = rows.iter_mut().skip(c).step_by(N);
                for (value, word) in component[range.clone()].iter().zip(words) {
                    value.write(slice::from_mut(word));
                }
            }
        };
        let shape = Shape::of_components::<T>(&components.map(<[T]>::len));
        Self { shape, write: Box::new(write) }
    }
}

impl<'a, T: Component, const N: usize> From<[&'a Vec<T>; N]> for Values<'a> {
    fn from(components: [&'a Vec<T>; N]) -> Self {
        Self::from(components.map(Vec::as_slice))
    }
}

/// Memory of the caller that receives the values of a field, in the caller's precision: `(&mut
/// forces).into()` of a slice or `Vec` of [`FieldValue`]s, `[&mut x, &mut y, &mut z].into()` of a slice for
/// each component, or [`ValuesMut::each`] of the caller's own structs.
pub struct ValuesMut<'a> {
    shape: Shape,
    take: Box<dyn FnMut(&WriteRows) + 'a>,
}

impl fmt::Debug for ValuesMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shape.fmt(f)
    }
}

impl<'a> ValuesMut<'a> {
    /// Gives each item of a slice of the caller's own structs its value.
    pub fn each<A: Send, T: FieldValue>(
        items: &'a mut [A],
        put: impl Fn(&mut A, T) + Sync + 'a,
    ) -> Self {
        let (n, width) = (items.len(), T::KIND.components());
        let take = move |write: &WriteRows| {
            parallel::each_chunk(items, chunk(n, width), &|first, items| {
                let mut rows = vec![0; items.len().min(BATCH) * width];
                for (k, items) in items.chunks_mut(BATCH).enumerate() {
                    let begin = first + k * BATCH;
                    let rows = &mut rows[..items.len() * width];
                    write(begin..begin + items.len(), rows);
                    for (k, item) in items.iter_mut().enumerate() {
                        put(item, T::read(&rows[k * width..][..width]));
                    }
                }
            });
        };
        Self { shape: Shape::of::<T>(n), take: Box::new(take) }
    }
}

impl<'a, T: FieldValue> From<&'a mut [T]> for ValuesMut<'a> {
    fn from(values: &'a mut [T]) -> Self {
        Self::each(values, |to, value| *to = value)
    }
}

impl<'a, T: FieldValue> From<&'a mut Vec<T>> for ValuesMut<'a> {
    fn from(values: &'a mut Vec<T>) -> Self {
        Self::from(&mut values[..])
    }
}

impl<'a, T: Component, const N: usize> From<[&'a mut [T]; N]> for ValuesMut<'a> {
    fn from(mut components: [&'a mut [T]; N]) -> Self {
        let shape = Shape::of_components::<T>(&components.each_ref().map(|it| it.len()));
        let take = move |write: &WriteRows| {
            let mut rows = vec![0; shape.lengths[0].min(BATCH) * N];
            for begin in (0..shape.lengths[0]).step_by(BATCH) {
                let batch = begin..shape.lengths[0].min(begin + BATCH);
                let rows = &mut rows[..batch.len() * N];
                write(batch.clone(), rows);
                for (c, component) in components.iter_mut().enumerate() {
                    let words = rows[c..].iter().step_by(N);
                    for (value, word) in component[batch.clone()].iter_mut().zip(words) {
                        *value = T::read(slice::from_ref(word));
                    }
                }
            }
        };
        Self { shape, take: Box::new(take) }
    }
}

impl<'a, T: Component, const N: usize> From<[&'a mut Vec<T>; N]> for ValuesMut<'a> {
    fn from(components: [&'a mut Vec<T>; N]) -> Self {
        Self::from(components.map(Vec::as_mut_slice))
    }
}

/// Finds a field by its name.
fn named(fields: &'static [Field], name: &str) -> Result<&'static Field, Error> {
    let found = fields.iter().find(|field| field.name == name);
    found.ok_or_else(|| Error::NoField { name: name.to_owned(), found: fields })
}

/// Finds the field of this name; an error if it cannot be read as `T`.
pub fn find_field<T: FieldValue>(
    fields: &'static [Field],
    name: &str,
) -> Result<&'static Field, Error> {
    let field = named(fields, name)?;
    Shape::of::<T>(0).check_type(field).map(|()| field)
}

/// Returns `n` values of zeros, to be replaced.
pub fn no_values<T: FieldValue>(n: usize) -> Vec<T> {
    vec![T::read(&vec![0; T::KIND.components()]); n]
}

/// Returns the values of the field of this name as rows of this field, one for each of `n` records.
pub fn rows_of_field<'a>(
    fields: &'static [Field],
    name: &str,
    values: &'a Values<'_>,
    n: usize,
) -> Result<impl Rows + 'a, Error> {
    let field = named(fields, name)?;
    values.shape.check_type(field)?;
    values.shape.check_length(field, n)?;
    Ok(FieldRows { fields: slice::from_ref(field), n, values: vec![values] })
}

/// Returns records of these fields, whose values are given in any order.
pub fn rows_of_fields<'a>(
    fields: &'static [Field],
    given: &'a [(&str, Values<'_>)],
) -> Result<impl Rows + 'a, Error> {
    let mut found: Vec<Option<&Values>> = vec![None; fields.len()];
    for (name, values) in given {
        let field = named(fields, name)?;
        values.shape.check_type(field)?;
        for (_, place) in fields.iter().zip(&mut found).filter(|(other, _)| other.name == *name) {
            if place.replace(values).is_some() {
                return Err(Error::RepeatedField { field });
            }
        }
    }
    let of = |(values, field): (Option<&'a Values>, _)| values.ok_or(Error::NoValues { field });
    let values: Vec<_> = found.into_iter().zip(fields).map(of).collect::<Result<_, _>>()?;
    // The first field says the number of records.
    let n = values.first().map_or(0, |values| values.shape.lengths[1]);
    for (values, field) in values.iter().zip(fields) {
        values.shape.check_length(field, n)?;
    }
    Ok(FieldRows { fields, n, values })
}

/// Passes the values of a field, which `read` reads, to memory of the caller.
pub fn read_into(
    fields: &'static [Field],
    name: &str,
    n: usize,
    mut to: ValuesMut<'_>,
    read: impl FnOnce(&'static Field, &mut dyn FnMut(&WriteRows)) -> Result<(), Error>,
) -> Result<(), Error> {
    let field = named(fields, name)?;
    to.shape.check_type(field)?;
    to.shape.check_length(field, n)?;
    read(field, &mut *to.take)
}

/// Records whose fields have values each.
struct FieldRows<'a> {
    fields: &'static [Field],
    n: usize,
    values: Vec<&'a Values<'a>>,
}

impl Rows for FieldRows<'_> {
    fn count(&self) -> usize {
        self.n
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn write(&self, records: Range<usize>, rows: &mut [u64]) {
        if let [values] = self.values[..] {
            return (values.write)(records, rows);
        }
        let (width, mut first, mut words) = (dim(self.fields).max(1), 0, Vec::new());
        for (values, field) in self.values.iter().zip(self.fields) {
            let numbers = field.kind.components();
            words.resize(records.len() * numbers, 0);
            (values.write)(records.clone(), &mut words);
            let words = words.chunks_exact(numbers.max(1));
            for (row, words) in rows.chunks_exact_mut(width).zip(words) {
                row[first..first + numbers].copy_from_slice(words);
            }
            first += numbers;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::vector::{Point, Vector};

    const FIELDS: &[Field] = &[
        Field { name: "kind", kind: FieldKind::U32 },
        Field { name: "pos", kind: FieldKind::Point(2) },
        Field { name: "table", kind: FieldKind::Array(3) },
    ];

    #[test]
    fn fields_are_found_by_name_and_type() {
        assert_eq!(find_field::<[f64; 3]>(FIELDS, "table"), Ok(&FIELDS[2]));
        assert_eq!(find_field::<[f32; 2]>(FIELDS, "pos"), Ok(&FIELDS[1]));
        let message = |found: Result<_, Error>| found.unwrap_err().to_string();
        let list = "kind: u32, pos: Point<2>, table: [Real; 3]";
        let expected = format!("no field `Kind`, found {list}; name one of these");
        assert_eq!(message(find_field::<u32>(FIELDS, "Kind")), expected);
        for (found, expected) in [
            (find_field::<f64>(FIELDS, "kind"), "`kind: u32` as `f64`, expected `u32`"),
            (
                find_field::<Point<f32>>(FIELDS, "pos"),
                "`pos: Point<2>` as `Point<f32, 3>`, expected `Point<f64, 2>`",
            ),
            (
                find_field::<Vector>(FIELDS, "table"),
                "`table: [Real; 3]` as `Vector<f64, 3>`, expected `[f64; 3]`",
            ),
        ] {
            let expected = format!("field {expected}; use its type, or an array of its numbers");
            assert_eq!(message(found), expected);
        }
    }

    const TWO: &[Field] = &[Field { name: "v", kind: FieldKind::Vector(2) }];

    #[test]
    fn values_are_read_from_their_numbers() {
        let write: &WriteRows = &|range, rows| {
            for (k, row) in range.zip(rows.chunks_exact_mut(2)) {
                row.copy_from_slice(&[k as f64, -(k as f64)].map(f64::to_bits));
            }
        };
        // So many values that several threads convert them.
        let n = 40_000;
        let read = |to: ValuesMut| {
            read_into(TWO, "v", n, to, |_, take| {
                take(write);
                Ok(())
            })
        };
        let mut found = vec![Vector([0.0_f32; 2]); n];
        read((&mut found).into()).unwrap();
        assert!(found.iter().zip(0..).all(|(it, k)| it.0 == [k as f32, -(k as f32)]));
        let mut columns = [vec![0.0; n], vec![0.0; n]];
        read(columns.each_mut().into()).unwrap();
        assert!((0..n).all(|k| [columns[0][k], columns[1][k]] == [k as f64, -(k as f64)]));
        let [mut a, mut b] = [vec![0.0; n], vec![0.0; n - 1]];
        let message = read([&mut a, &mut b].into()).unwrap_err().to_string();
        assert_eq!(message, "v: found 39999, expected 40000; give one for each particle");
    }

    fn rows(given: &[(&str, Values<'_>)]) -> Result<Vec<u64>, String> {
        let rows = rows_of_fields(FIELDS, given).map_err(|error| error.to_string())?;
        let mut words = vec![0; rows.count() * 6];
        rows.write(0..rows.count(), &mut words);
        Ok(words)
    }

    #[test]
    fn records_are_made_of_their_fields() {
        let (kind, x, y) = (vec![7, 8], vec![1.0_f32, 3.0], vec![2.0_f32, 4.0]);
        let tables = [(0, [5.0, 6.0, 7.0]), (1, [8.0, 9.0, 10.0])];
        let kind = || ("kind", Values::from(&kind));
        let pos = || ("pos", Values::from([&x, &y]));
        let table = || ("table", Values::each(&tables, |(_, table)| *table));
        let row = |kind: u64, reals: [f64; 5]| {
            std::iter::once(kind).chain(reals.map(f64::to_bits)).collect::<Vec<_>>()
        };
        let expected =
            [row(7, [1.0, 2.0, 5.0, 6.0, 7.0]), row(8, [3.0, 4.0, 8.0, 9.0, 10.0])].concat();
        assert_eq!(rows(&[table(), kind(), pos()]), Ok(expected));
        for (given, expected) in [
            (
                vec![kind(), pos()],
                "no values of field `table: [Real; 3]`; give values of each field",
            ),
            (vec![kind(), pos(), kind()], "field `kind: u32` has values twice; give them once"),
            (
                vec![kind(), table(), ("pos", Values::from([&x[..], &y[..1]]))],
                "pos: found 1, expected 2; give one for each particle",
            ),
            (
                vec![kind(), pos(), ("table", Values::from([&x[..]; 2]))],
                "field `table: [Real; 3]` as `[f32; 2]`, expected `[f64; 3]`; use its type, or an array \
                 of its numbers",
            ),
        ] {
            assert_eq!(rows(&given).unwrap_err(), expected);
        }
    }
}
