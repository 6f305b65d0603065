//! Tests of columns.

use super::*;
use crate::field::FieldKind;
use crate::memory::buffers::Particles;
use crate::numeric::precision::Precision;
use crate::records::pack::pack_into;
use crate::records::parameters::check_parameters;
use crate::records::rows::OwnedRows;

const FIELDS: &[Field] = &[
    Field { name: "kind", kind: FieldKind::U32 },
    Field { name: "pos", kind: FieldKind::Point(2) },
    Field { name: "mass", kind: FieldKind::Real },
];

const REALS: &[Field] = &[Field { name: "table", kind: FieldKind::Array(4) }];

/// Returns a block of these fields, whose numbers have more digits than an `f32`.
fn block() -> [Line<u64>; 4] {
    let numbers = |scale: f64| std::array::from_fn(|k| (scale / (k as f64 + 3.0)).to_bits());
    [
        Line(std::array::from_fn(|k| k as u64)),
        Line(numbers(1e4)),
        Line(numbers(-1.0)),
        Line(numbers(7.0)),
    ]
}

fn narrowed_and_widened<S: Scalar>(changed: [bool; 4]) -> [Line<u64>; 4] {
    let (binding, one) = (Binding::whole(FIELDS), S::from_f64(1.0).to_word());
    let mut words = vec![Line([one; LINE]); pack::words::<S>(FIELDS)];
    narrow::<S>(&binding, &changed, &[0.0; 4], &block(), &mut words);
    let mut wide = [Line([0; LINE]); 4];
    widen::<S>(&binding, &words, &mut wide);
    wide
}

#[test]
fn numbers_are_rounded_to_the_precision_of_their_block() {
    let real = |line: &Line<u64>, k: usize| f64::from_bits(line.0[k]);
    let exact = block();
    let [single, double] =
        [narrowed_and_widened::<f32>([true; 4]), narrowed_and_widened::<f64>([true; 4])];
    let mixed = narrowed_and_widened::<Mixed>([true; 4]);
    for k in 0..LINE {
        for c in 0..4 {
            assert_eq!(double[c].0[k], exact[c].0[k]);
        }
        for found in [&single, &mixed] {
            assert_eq!(found[0].0[k], k as u64);
            assert_eq!(real(&found[3], k), f64::from(real(&exact[3], k) as f32));
        }
        for c in [1, 2] {
            let x = real(&exact[c], k);
            assert_eq!(real(&single[c], k), f64::from(x as f32));
            assert_eq!(real(&mixed[c], k), f64::from(crate::numeric::mixed::DoubleSingle::from(x)));
            assert!((real(&mixed[c], k) / x - 1.0).abs() < 1e-14, "both parts");
        }
    }
}

#[test]
fn numbers_that_are_not_changed_stay() {
    let all = narrowed_and_widened::<Mixed>([true; 4]);
    let found = narrowed_and_widened::<Mixed>([false, true, false, true]);
    assert_eq!([found[1].0, found[3].0], [all[1].0, all[3].0]);
    let one = u64::from(1.0_f32.to_bits());
    assert_eq!(found[0].0, [one; LINE]);
    assert_eq!(found[2].0, [2.0_f64.to_bits(); LINE], "both parts are 1");
}

#[test]
fn the_padding_is_zero_again() {
    let mut columns = Columns::filled(LINE + 3, &[7, 8]).unwrap();
    columns.pad();
    let lines: Vec<_> = columns.lines().iter().map(|line| line.0).collect();
    let padded = |x: u64| std::array::from_fn(|k| if k < 3 { x } else { 0 });
    assert_eq!(lines, [[7; LINE], [8; LINE], padded(7), padded(8)]);
    let mut whole = Columns::filled(LINE, &[7]).unwrap();
    whole.pad();
    assert_eq!(whole.lines()[0].0, [7; LINE]);
    Columns::filled(0, &[7]).unwrap().pad();
}

/// Returns the row of a record.
/// Earlier records leave nothing behind, and the memory is used again.
#[test]
fn memory_of_other_records_serves_for_copies() {
    let words = |n: usize| (0..n * 4).map(|k| (1.0 + k as f64).to_bits()).collect();
    let records = |n| Columns::pack::<f64>(&OwnedRows::new(REALS, words(n)).unwrap()).unwrap();
    for count in [0, 1, 15, 16, 17, 40] {
        let indices: Vec<u32> = (0..count).map(|k| k * 7 % 50).collect();
        let (all, mut spare) = (records(50), records(60));
        spare.words = 2;
        let (address, expected) = (spare.lines.as_ptr(), all.gather(&indices, None).unwrap());
        let found = all.gather(&indices, Some(spare)).unwrap();
        assert_eq!((found.n, found.words, found.lines.as_ptr()), (count as usize, 4, address));
        let lines =
            |columns: &Columns<u64>| columns.lines.iter().map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(lines(&found), lines(&expected), "{count}");
        // Others follow, and the rest of the last block stays zero.
        let mut both = found;
        both.extend_from(&records(3)).unwrap();
        assert_eq!(both.len(), count as usize + 3);
        let padding = both.len().next_multiple_of(LINE) - both.len();
        assert!(
            both.lines[both.lines.len() - 4..]
                .iter()
                .all(|line| { line.0[LINE - padding..].iter().all(|word| *word == 0) })
        );
    }
}

fn row(kind: u32, reals: [f64; 3]) -> Vec<u64> {
    std::iter::once(kind.into()).chain(reals.map(f64::to_bits)).collect()
}

#[test]
fn integers_of_more_than_32_bits_are_refused() {
    const WIDE: u64 = u32::MAX as u64 + 1;
    let field = FIELDS[0];
    let rows = |n: usize, wide: &[usize]| {
        let mut rows = row(u32::MAX, [1.0, 2.0, 3.0]).repeat(n);
        for &k in wide {
            rows[4 * k] = WIDE + k as u64;
        }
        OwnedRows::new(FIELDS, rows).unwrap()
    };
    // More than one thread converts.
    for (n, wide) in [(3, &[][..]), (3, &[1, 2]), (50_000, &[49_000, 20_000, 30_000])] {
        let expected = wide.iter().min().map_or(Ok(()), |&index| {
            let found = WIDE + index as u64;
            Err(Error::WideInteger { what: "particles", index, field, found })
        });
        let rows = rows(n, wide);
        assert_eq!(pack_into::<f32>(&rows, &mut vec![0; 4 * n]), expected);
        assert_eq!(Columns::pack::<f32>(&rows).map(|_| ()), expected);
        assert_eq!(Columns::pack::<f64>(&rows).map(|_| ()), expected);
    }
    let mut parameters = row(0, [f64::INFINITY; 3]);
    assert_eq!(check_parameters(FIELDS, &parameters), Ok(()));
    parameters[0] = WIDE;
    let error = check_parameters(FIELDS, &parameters).unwrap_err();
    assert_eq!(
        error.to_string(),
        "parameters[0]: kind: u32 of 4294967296, expected at most 4294967295; give integers of 32 bits"
    );
}

/// Records whose number and fields differ at each call.
#[derive(Default)]
struct Restless(std::sync::atomic::AtomicUsize);

impl Restless {
    fn next(&self) -> usize {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
    }
}

impl Rows for Restless {
    fn count(&self) -> usize {
        2 + self.next()
    }
    fn fields(&self) -> &'static [Field] {
        &FIELDS[..4 - self.next().clamp(1, 3)]
    }
    fn write(&self, _: Range<usize>, rows: &mut [u64]) {
        rows.fill(7);
    }
}

#[test]
fn fields_and_numbers_of_records_are_read_once() {
    let rows = Restless::default();
    let once = Once::of(&rows);
    assert_eq!((once.count(), once.fields(), once.fields()), (2, FIELDS, FIELDS));
    let rows = Restless::default();
    let mut words = vec![0; 8];
    pack_into::<f64>(&rows, &mut words).unwrap();
    assert_eq!(words, [7; 8]);
    let particles = Particles::pack(&Restless::default(), Precision::Single).unwrap();
    assert_eq!((particles.len(), particles.fields), (2, FIELDS));
}
