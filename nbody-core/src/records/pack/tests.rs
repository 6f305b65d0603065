//! Tests of conversions of records.

use super::*;
use crate::numeric::mixed::Mixed;
use crate::records::numbers::axes;
use crate::records::rows::OwnedRows;

const FIELDS: &[Field] = &[
    Field { name: "kind", kind: FieldKind::U32 },
    Field { name: "pos", kind: FieldKind::Point(2) },
    Field { name: "mass", kind: FieldKind::Real },
];

fn row(kind: u32, reals: [f64; 3]) -> Vec<u64> {
    std::iter::once(kind.into()).chain(reals.map(f64::to_bits)).collect()
}

#[test]
fn rows_have_the_words_of_their_precision() {
    let rows = [row(7, [1.0, 1.0 + 1e-9, 0.1]), row(8, [2.0, 3.0, 4.0])].concat();
    let [one, tenth, small] = [1.0_f32, 0.1, 1e-9].map(f32::to_bits);
    let single = convert::<f32>(FIELDS, &rows);
    assert_eq!(single[..4], [7, one, one, tenth]);
    assert_eq!(single[4..], [8, 2.0_f32.to_bits(), 3.0_f32.to_bits(), 4.0_f32.to_bits()]);
    let mixed = convert::<Mixed>(FIELDS, &rows);
    assert_eq!(mixed.len(), 2 * words::<Mixed>(FIELDS));
    assert_eq!([&mixed[..4], &mixed[5..7]].concat(), [7, one, 0, one, tenth, 8]);
    assert!(mixed[4].abs_diff(small) < 1 << 6, "the lo part of 1 + 1e-9 has fewer digits");
    assert_eq!(convert::<f64>(FIELDS, &rows), rows);
}

#[test]
fn coordinates_have_axes() {
    let axes: Vec<_> = axes(FIELDS).collect();
    assert_eq!(axes, [None, Some(0), Some(1), None]);
}

#[test]
fn columns_become_rows() {
    let columns = [7, 8, 9].into_iter().chain((0..9).map(|k| f64::from(k).to_bits()));
    let columns: Vec<u64> = columns.collect();
    let mut rows = vec![0; 8];
    rows_of_columns::<f64>(&columns, 3, FIELDS, 1..3, &mut rows);
    assert_eq!(rows, [row(8, [1.0, 4.0, 7.0]), row(9, [2.0, 5.0, 8.0])].concat());
    rows_of_columns::<f64>(&columns, 3, FIELDS, 3..3, &mut []);
}

#[test]
fn records_become_rows() {
    let rows = [row(7, [1.0, 1.0 + 1e-9, 0.5]), row(8, [2.0, 3.0, 4.0])].concat();
    let read = |range: Range<usize>| {
        let mut found = vec![0; 4 * range.len()];
        let words = convert::<Mixed>(FIELDS, &rows);
        rows_of_records::<Mixed>(&words, FIELDS, range.clone(), &mut found);
        let mut twice = vec![0; 4 * range.len()];
        rows_of_records::<f64>(&rows, FIELDS, range, &mut twice);
        (found, twice)
    };
    let (mixed, double) = read(0..2);
    assert_eq!(double, rows);
    let second = f64::from_bits(mixed[2]);
    assert!(second != 1.0 && (second - (1.0 + 1e-9)).abs() < 1e-15, "both parts of a coordinate");
    assert_eq!([&mixed[..2], &mixed[3..]].concat(), [&rows[..2], &rows[3..]].concat());
    assert_eq!(read(1..2), (rows[4..].to_vec(), rows[4..].to_vec()));
}

/// Two records of `FIELDS`.
struct Two;

impl Rows for Two {
    fn count(&self) -> usize {
        2
    }
    fn fields(&self) -> &'static [Field] {
        FIELDS
    }
    fn write(&self, _: Range<usize>, rows: &mut [u64]) {
        rows.chunks_exact_mut(4).for_each(|to| to.copy_from_slice(&row(7, [1.0, 2.0, 3.0])));
    }
}

#[test]
fn records_fill_the_first_words() {
    let mut words = [9; 11];
    pack_into::<f64>(&Two, &mut words).unwrap();
    let row = row(7, [1.0, 2.0, 3.0]);
    assert_eq!(words.to_vec(), [row.clone(), row, vec![9; 3]].concat());
}

#[test]
#[should_panic(expected = "7 words for 2 records of 4")]
fn records_are_not_cut_off() {
    let _ = pack_into::<f64>(&Two, &mut [0; 7]);
}

#[test]
fn rows_are_whole() {
    let found = |fields, n| OwnedRows::new(fields, vec![0; n]).map(|rows| rows.count());
    assert_eq!([found(FIELDS, 0), found(FIELDS, 8), found(&[], 0)], [Ok(0), Ok(2), Ok(1)]);
    assert_eq!(found(FIELDS, 7), Err(Error::PartOfRow { found: 7, record: 4 }));
    assert_eq!(found(&[], 1), Err(Error::PartOfRow { found: 1, record: 0 }));
}

#[test]
fn no_pair_gives_zeros_and_extremes() {
    let kinds = [
        FieldKind::ArgMax,
        FieldKind::Max,
        FieldKind::ArgMin,
        FieldKind::Nearest(1),
        FieldKind::Vector(2),
    ];
    let fields = kinds.map(|kind| Field { name: "", kind });
    let [infinity, negative] = [f64::INFINITY, f64::NEG_INFINITY].map(f64::to_bits);
    let expected = [
        negative,
        u32::MAX.into(),
        negative,
        infinity,
        u32::MAX.into(),
        infinity,
        u32::MAX.into(),
        0,
        0,
    ];
    assert_eq!(nothing(&fields), expected);
}
