//! Devices, spaces and comparisons for tests of every way to evaluate.
#![allow(clippy::missing_panics_doc, reason = "failed checks")]

use nbody::law::{FieldKind, Reader, Record, Writer};
use nbody::prelude::*;

use super::contacts::UNIT;

/// Returns the CPU at each level of vector instructions.
pub fn levels() -> Vec<Device> {
    nbody::cpu::SimdLevel::available().map(|level| Device::cpu_with(level).unwrap()).collect()
}

/// Returns unbounded space or a box with lengths in multiples of [`UNIT`]. Half of a length is no
/// multiple of the unit, so that the nearest image of each pair is unambiguous.
pub fn domain(choice: usize, unit: f64) -> Domain {
    let [x, z] = [2049.0, 4097.0].map(|length| length * UNIT * unit);
    match choice {
        0 => Domain::Open,
        1 => Domain::periodic([x; 3]).unwrap(),
        _ => Domain::periodic([x, f64::INFINITY, z]).unwrap(),
    }
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
    let integers = F::FIELDS.iter().filter_map(|field| match field.kind {
        FieldKind::ArgMin => Some(true),
        FieldKind::Count | FieldKind::U32 => Some(false),
        _ => None,
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
