//! Columns in memory of the device that the caller owns: in the emulator, memory of the process.
#![allow(unsafe_code, reason = "the memory of columns is memory of these tests")]
#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::cast_ptr_alignment,
    reason = "addresses are aligned, and small enough"
)]

use nbody::law::{Field, FieldKind, Record as _};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::untyped::{self, CallerWork, DeviceColumn, NumberType};
use nbody_tests::extremes::{Extremes, Source, Target};
use nbody_tests::particle_programs::Star;

/// Sizes around the threads of a block and the words of a row.
const SIZES: [usize; 7] = [0, 1, 63, 64, 65, 256, 1025];

/// Numbers of a column, in memory that is filled with another number before.
struct Numbers {
    /// Owns the memory of the column.
    _words: Vec<u64>,
    column: DeviceColumn,
}

impl Numbers {
    /// Creates a column of `n` numbers of this type, `step` numbers apart.
    fn new(number: usize, kind: NumberType, n: usize, step: i64) -> Self {
        let words = vec![0x5555_5555_5555_5555; (n * step.unsigned_abs() as usize).max(1)];
        let stride = step * kind.size() as i64;
        let last = n.saturating_sub(1) as i64;
        let first = if step < 0 { last * -stride } else { 0 };
        let address = words.as_ptr() as u64 + first as u64;
        Self { _words: words, column: DeviceColumn { number, kind, address, stride } }
    }

    /// Returns the address of a number.
    fn at(&self, k: usize) -> *mut u8 {
        (self.column.address as i64 + k as i64 * self.column.stride) as *mut u8
    }

    /// Writes a 64-bit word of a row as a number.
    fn put(&mut self, k: usize, word: u64) {
        let at = self.at(k);
        // SAFETY: the memory is within the words, and aligned to the number.
        unsafe {
            match self.column.kind {
                NumberType::F32 => at.cast::<f32>().write(f64::from_bits(word) as f32),
                NumberType::I32 | NumberType::U32 => at.cast::<u32>().write(word as u32),
                _ => at.cast::<u64>().write(word),
            }
        }
    }

    /// Reads a number as a 64-bit word of a row.
    fn get(&self, k: usize) -> u64 {
        let at = self.at(k);
        // SAFETY: as in `put`.
        unsafe {
            match self.column.kind {
                NumberType::F32 => f64::from(at.cast::<f32>().read()).to_bits(),
                NumberType::I32 => i64::from(at.cast::<i32>().read()).cast_unsigned(),
                NumberType::U32 => at.cast::<u32>().read().into(),
                _ => at.cast::<u64>().read(),
            }
        }
    }
}

/// Returns all rows of a buffer.
fn rows(buffer: &dyn untyped::Buffer, width: usize) -> Vec<u64> {
    let mut words = vec![0; buffer.len() * width];
    buffer.read(0..buffer.len(), &mut |write| write(0..buffer.len(), &mut words)).unwrap();
    words
}

fn columns(numbers: &[Numbers]) -> Vec<DeviceColumn> {
    numbers.iter().map(|numbers| numbers.column).collect()
}

/// The types of the numbers of a `Star`, and their strides in numbers.
const WAYS: [([NumberType; 5], i64); 4] = {
    use NumberType::{F32, F64, I32, I64, U32, U64};
    [
        ([U32, F64, F64, F64, F64], 1),
        ([I32, F32, F32, F64, F32], 3),
        ([U64, F32, F64, F32, F64], -1),
        ([I64, F64, F32, F32, F32], -2),
    ]
};

#[test]
fn copies_are_as_from_the_host() {
    let device = nbody_tests::emulator();
    let untyped = device.untyped();
    let width = <Star>::DIM;
    for &precision in Precision::ALL {
        for n in SIZES {
            for (kinds, step) in WAYS {
                let mut numbers: Vec<_> =
                    (0..width).map(|c| Numbers::new(c, kinds[c], n, step)).collect();
                let stars = uniform::<Star>(n, 1);
                let mut words = vec![0; n * width];
                untyped::Rows::write(&&stars[..], 0..n, &mut words);
                for (at, word) in words.iter_mut().enumerate() {
                    if at % width > 0 {
                        // More digits than single precision has.
                        *word = (f64::from_bits(*word) * (1.0 + 1e-9)).to_bits();
                    }
                    let column = &mut numbers[at % width];
                    column.put(at / width, *word);
                    *word = column.get(at / width);
                }
                let given = untyped::OwnedRows::new(<Star>::FIELDS, words).unwrap();
                let expected = untyped.upload(&given, precision).unwrap();
                let mut found = untyped.upload(&&uniform::<Star>(0, 1)[..], precision).unwrap();
                found.resize(n).unwrap();
                let work = [CallerWork::Anywhere, CallerWork::Ordered][n % 2];
                // SAFETY: the columns hold `n` numbers.
                unsafe { untyped.write_columns(&mut *found, &columns(&numbers), work) }.unwrap();
                let what = format!("{n} in {precision}, {kinds:?}");
                assert_eq!(rows(&*found, width), rows(&*expected, width), "{what}");

                let begin = n / 3;
                let back: Vec<_> =
                    (0..width).map(|c| Numbers::new(c, kinds[c], n - begin, step)).collect();
                // SAFETY: the columns have room for these numbers.
                unsafe { untyped.read_columns(&*found, begin..n, &columns(&back), work) }.unwrap();
                let words = rows(&*found, width);
                for (at, word) in words[begin * width..].iter().enumerate() {
                    let (k, c) = (at / width, at % width);
                    let expected = match kinds[c] {
                        NumberType::F32 => f64::from(f64::from_bits(*word) as f32).to_bits(),
                        _ => *word,
                    };
                    assert_eq!(back[c].get(k), expected, "{what}: number {c} of {k}");
                }
            }
        }
    }
}

/// The index of a minimum over no pairs, and counts.
#[test]
fn results_are_columns_too() {
    let device = nbody_tests::emulator();
    for &precision in Precision::ALL {
        let options = Options::default().precision(precision);
        let law = Extremes { reach2: 0.5, flag: 1 };
        let mut engine = AllPairs::with_options(&device, law, options).unwrap();
        let targets = engine.upload(&uniform::<Target>(70, 1)).unwrap();
        for n in [0, 40] {
            let sources = engine.upload(&uniform::<Source>(n, 2)).unwrap();
            let mut results = engine.results(70).unwrap();
            engine.evaluate_into(&targets, &sources, &mut results).unwrap();
            let fields = results.untyped().fields();
            let width: usize = fields.iter().map(|field| field.kind.components()).sum();
            let expected = rows(results.untyped(), width);
            let is_integer = integers(fields);
            for integer in [NumberType::I32, NumberType::U32, NumberType::I64, NumberType::U64] {
                let kind = |c: usize| if is_integer[c].0 { integer } else { NumberType::F64 };
                let found: Vec<_> = (0..width).map(|c| Numbers::new(c, kind(c), 60, 2)).collect();
                let (untyped, columns) = (device.untyped(), columns(&found));
                // SAFETY: the columns have room for 60 numbers.
                unsafe {
                    untyped.read_columns(results.untyped(), 7..67, &columns, CallerWork::Anywhere)
                }
                .unwrap();
                for (at, &word) in expected[7 * width..67 * width].iter().enumerate() {
                    let (k, c) = (at / width, at % width);
                    let is_none = is_integer[c].1 && word == u32::MAX.into();
                    let has_sign = matches!(integer, NumberType::I32 | NumberType::I64);
                    let expected = if is_none && has_sign { u64::MAX } else { word };
                    assert_eq!(found[c].get(k), expected, "{precision}, number {c} of {k}");
                }
            }
        }
    }
}

/// Returns for each number whether it is an integer, and whether it is the index of an extreme.
fn integers(fields: &[Field]) -> Vec<(bool, bool)> {
    let each = |kind: FieldKind| {
        (0..kind.components()).map(move |k| match kind {
            FieldKind::U32 | FieldKind::Count | FieldKind::Counts(_) => (true, false),
            kind => [kind.is_index(k); 2].into(),
        })
    };
    fields.iter().flat_map(|field| each(field.kind)).collect()
}

#[test]
fn wrong_columns_change_nothing() {
    let device = nbody_tests::emulator();
    let untyped = device.untyped();
    let stars = uniform::<Star>(9, 1);
    let mut buffer = untyped.upload(&&stars[..], Precision::Single).unwrap();
    let before = rows(&*buffer, <Star>::DIM);
    let mut refuse = |numbers: &[Numbers], part: &str| {
        // SAFETY: the columns hold nine numbers, or are refused.
        let error =
            unsafe { untyped.write_columns(&mut *buffer, &columns(numbers), CallerWork::Anywhere) }
                .unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
        assert_eq!(rows(&*buffer, <Star>::DIM), before);
    };
    let new = |number, kind| Numbers::new(number, kind, 9, 1);
    for (kind, word) in
        [(NumberType::I32, u64::MAX), (NumberType::I64, 1 << 32), (NumberType::U64, u64::MAX)]
    {
        let mut wide = new(0, kind);
        (0..9).for_each(|k| wide.put(k, 1));
        wide.put(5, word);
        wide.put(7, word);
        let good = new(1, NumberType::F64);
        refuse(
            &[good, wide],
            "column of `flag: u32` in memory of a device: found an integer in record 5",
        );
    }
    refuse(&[new(0, NumberType::F32)], "expected an integer type");
    refuse(&[new(1, NumberType::U32)], "found uint32_t");
    refuse(&[new(5, NumberType::F64)], "number 5 of a record of 5");
    refuse(&[new(2, NumberType::F64), new(2, NumberType::F64)], "two columns");
    let mut null = new(1, NumberType::F64);
    null.column.address = 0;
    refuse(&[null], "in other memory");
    // SAFETY: the range is refused.
    let error =
        unsafe { untyped.read_columns(&*buffer, 3..10, &[], CallerWork::Anywhere) }.unwrap_err();
    assert!(error.to_string().contains("3..10"), "{error}");
    let mut of_host = Device::cpu().untyped().upload(&&stars[..], Precision::Single).unwrap();
    // SAFETY: the buffers are refused.
    let errors = unsafe {
        [
            untyped.write_columns(&mut *of_host, &[], CallerWork::Anywhere).unwrap_err(),
            Device::cpu()
                .untyped()
                .write_columns(&mut *of_host, &[], CallerWork::Anywhere)
                .unwrap_err(),
        ]
    };
    assert!(errors[0].to_string().contains("of cpu given to emulator"), "{}", errors[0]);
    assert!(errors[1].to_string().contains("memory of the host"), "{}", errors[1]);
}
