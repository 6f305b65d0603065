//! Devices, spaces and comparisons for tests of every way to evaluate.
#![allow(clippy::missing_panics_doc, reason = "failed checks")]

use std::fmt::Debug;

use nbody::law::{FieldKind, Reader, Record, Writer};
use nbody::prelude::*;

use super::contacts::UNIT;
use super::covering::Covering;

/// Returns the CPU at each level of vector instructions.
pub fn levels() -> Vec<Device> {
    nbody::cpu::SimdLevel::available().map(|level| Device::cpu_with(level).unwrap()).collect()
}

/// Number of choices of [`domain`]; the last one is a triclinic box.
pub const DOMAINS: usize = 4;

/// Returns unbounded space or a box with lengths in multiples of [`UNIT`]. Half of a length is no
/// multiple of the unit, so that the nearest image of each pair is unambiguous.
pub fn domain(choice: usize, unit: f64) -> Domain {
    let of = |length: f64| length * UNIT * unit;
    let [x, z] = [2049.0, 4097.0].map(of);
    match choice {
        0 => Domain::Open,
        1 => Domain::periodic([x; 3]).unwrap(),
        2 => Domain::periodic([x, f64::INFINITY, z]).unwrap(),
        _ => {
            let (b, c) = ([of(-1023.0), x, 0.0], [of(777.0), of(1001.0), of(2051.0)]);
            Domain::triclinic([[x, 0.0, 0.0], b, c]).unwrap()
        }
    }
}

/// Rounds a number to a precision.
pub fn real(x: f64, precision: Precision) -> f64 {
    if precision == Precision::Double { x } else { f64::from(x as f32) }
}

/// Returns the difference of positions, in a box without whole lengths or vectors.
pub fn difference(a: Point, b: Point, domain: Domain) -> Vector {
    let mut d = a - b;
    match domain {
        Domain::Periodic(lengths) => {
            for (d, length) in d.0.iter_mut().zip(lengths.to_array()) {
                if length.is_finite() {
                    *d -= length * (*d * (1.0 / length)).round_ties_even();
                }
            }
        }
        Domain::Triclinic(vectors) => {
            let [a, b, c] = vectors.to_array();
            let n = (d.z * (1.0 / c[2])).round_ties_even();
            d = Vector::new(d.x - n * c[0], d.y - n * c[1], d.z - n * c[2]);
            let n = (d.y * (1.0 / b[1])).round_ties_even();
            d = Vector::new(d.x - n * b[0], d.y - n * b[1], d.z);
            d.x -= (d.x * (1.0 / a[0])).round_ties_even() * a[0];
        }
        _ => {}
    }
    d
}

/// Returns the numbers of records.
pub fn numbers<F: Record<Lane = f64>>(records: &[F]) -> Vec<f64> {
    struct Numbers(Vec<f64>);
    impl Writer<f64> for Numbers {
        fn real(&mut self, x: f64) {
            self.0.push(x);
        }
        fn index(&mut self, x: u32) {
            self.0.push(x.into());
        }
        fn coordinate(&mut self, x: f64) {
            self.0.push(x);
        }
    }
    let mut numbers = Numbers(Vec::new());
    for record in records {
        record.write(&mut numbers);
    }
    numbers.0
}

/// Creates records from these numbers.
pub fn records<F: Record<Lane = f64>>(numbers: Vec<f64>) -> Vec<F> {
    struct Numbers(std::vec::IntoIter<f64>);
    impl Reader<f64> for Numbers {
        fn real(&mut self) -> f64 {
            self.0.next().expect("a number for each component")
        }
        fn index(&mut self) -> u32 {
            let index = self.real();
            #[expect(clippy::cast_sign_loss, reason = "an index")]
            let index = index as u32;
            index
        }
        fn coordinate(&mut self) -> f64 {
            self.real()
        }
    }
    let n = numbers.len() / F::DIM;
    let mut numbers = Numbers(numbers.into_iter());
    (0..n).map(|_| F::read(&mut numbers)).collect()
}

pub fn bits<F: Record<Lane = f64>>(results: &[F]) -> Vec<u64> {
    numbers(results).into_iter().map(f64::to_bits).collect()
}

/// Compares records bit by bit.
pub fn same<R: Record<Lane = f64>>(what: &str, found: &[R], expected: &[R]) -> Result<(), String> {
    let [a, b] = [found, expected].map(bits);
    if a == b {
        return Ok(());
    }
    let differ = a.iter().zip(&b).position(|(a, b)| a != b);
    Err(format!("{what}: number {differ:?}, {} a record, of {} and {}", R::DIM, a.len(), b.len()))
}

/// Returns the message of an error.
pub fn message(error: nbody::Error) -> String {
    error.to_string()
}

/// Returns the integers of results: counts, and the indices of extremes.
pub fn integers<F: Record<Lane = f64>>(results: &[F]) -> Vec<u32> {
    struct Integers(Vec<u32>);
    impl Writer<f64> for Integers {
        fn real(&mut self, _: f64) {}
        fn index(&mut self, x: u32) {
            self.0.push(x);
        }
        fn coordinate(&mut self, _: f64) {}
    }
    let mut integers = Integers(Vec::new());
    for result in results {
        result.write(&mut integers);
    }
    integers.0
}

/// Returns for each integer of a result whether it is the index of an extreme.
pub fn are_indices<F: Record>() -> Vec<bool> {
    let integers = F::FIELDS.iter().flat_map(|field| match field.kind {
        kind if kind.keeps_index() => vec![true; kind.components() / 2],
        FieldKind::Count | FieldKind::Counts(_) | FieldKind::U32 => {
            vec![false; field.kind.components()]
        }
        _ => Vec::new(),
    });
    integers.collect()
}

/// Failed cases. All are collected, since several faults may have one cause.
#[derive(Default)]
pub struct Failures(pub Vec<String>);

impl Failures {
    pub fn check(&mut self, name: impl Fn() -> String, case: impl FnOnce() -> Result<(), String>) {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(case));
        match result.unwrap_or_else(|_| Err("a panic".to_owned())) {
            Ok(()) => {}
            Err(what) => self.0.push(format!("{}\n{what}", name())),
        }
    }

    /// Panics if there are failures.
    pub fn conclude(self) {
        let n = self.0.len();
        assert!(n == 0, "{n} cases fail:\n{}", self.0.join("\n\n"));
    }
}

/// Checks the way of each row of a covering array on these devices. A check returns the number of
/// particles that changed, which is more than `least` in the mean.
pub fn check_rows<W: Debug>(
    covering: &Covering,
    devices: &[Device],
    least: usize,
    way: &dyn Fn(&[usize], usize) -> W,
    check: &dyn Fn(&Device, &W) -> Result<usize, String>,
) {
    let rows = covering.rows();
    let (mut cases, mut changed, mut failures) = (0, 0, Failures::default());
    for (turn, row) in rows.iter().enumerate() {
        let way = way(row, turn);
        for device in devices {
            let case = || {
                changed += check(device, &way)?;
                cases += 1;
                Ok(())
            };
            failures.check(|| format!("{device} {way:?}"), case);
        }
    }
    failures.conclude();
    assert_eq!(covering.faults(&rows), [""; 0]);
    println!("Seen {cases} cases in {} rows, {changed} particles", rows.len());
    assert_eq!(cases, rows.len() * devices.len());
    assert!(changed > least * cases, "{changed} particles in {cases} cases");
}
