//! Tests of columns.

use super::*;
use crate::field::FieldKind;

const FIELDS: &[Field] = &[
    Field { name: "kind", kind: FieldKind::U32 },
    Field { name: "pos", kind: FieldKind::Point(2) },
    Field { name: "mass", kind: FieldKind::Real },
];

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
