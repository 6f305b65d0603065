//! Tuples as text give the bits of their compiled forms.

use nbody::law::{Declarations, FieldKind, ParticleProgram, Record};
use nbody::prelude::*;
use nbody::untyped::{OwnedRows, TupleList};
use nbody::{Store, Tuple};
use nbody_interactions::bonded;
use nbody_tests::contacts::Random;
use nbody_tests::inputs::{Digits, Inputs, particles};
use nbody_tests::tuples::{Anchor, Bend, Link, Twist};

use super::cases::{declared, download, upload, words};

/// No multiple of the particles of a block.
const N: usize = 301;
/// Enough for several threads.
const TUPLES: usize = 3001;

/// Returns records; integers are below 3.
fn rows<P: Record<Lane = f64>>(n: usize, seed: u64) -> Vec<u64> {
    let mut rows = words(&particles::<P>(n, Inputs::Uniform, Digits::All, seed));
    let is_integer = P::FIELDS.iter().flat_map(|field| {
        std::iter::repeat_n(field.kind == FieldKind::U32, field.kind.components())
    });
    let is_integer: Vec<_> = is_integer.collect();
    for (word, is_integer) in rows.iter_mut().zip(is_integer.iter().cycle()) {
        *word = if *is_integer { *word % 3 } else { *word };
    }
    rows
}

/// Compares a tuple with its declared form.
fn both<X: Tuple>(parameters: X, declared: &Declarations, domain: Domain, precision: Precision) {
    let device = Device::cpu();
    let p = upload(&device, <X::P as Record>::FIELDS, &rows::<X::P>(N, 7), precision);
    let count = X::PROGRAM.members;
    let mut random = Random(count as u64);
    let tuple = |_| {
        let first = random.below(N as u64) as usize;
        (0..count).map(move |m| ((first + m * m * 3 + m) % N) as u32)
    };
    let indices: Vec<u32> = (0..TUPLES).flat_map(tuple).collect();
    let evaluated = |program: &'static ParticleProgram| {
        let mut tuples =
            device.untyped().tuples(program, &words(std::slice::from_ref(&parameters))).unwrap();
        tuples.set_domain(domain).unwrap();
        let records = OwnedRows::new(program.record, rows::<X::T>(TUPLES, 5)).unwrap();
        tuples.set(TupleList::new(count, indices.clone(), N).unwrap(), &records).unwrap();
        let is_single = precision == Precision::Single;
        let of_results = if is_single { precision } else { Precision::Double };
        let mut out = tuples.results(N, of_results).unwrap();
        for store in [Store::Replace, Store::Add] {
            tuples.evaluate(&*p, &mut *out, store).unwrap();
        }
        download(&*out)
    };
    let program = X::PROGRAM;
    let declared = declared.program(program.name).unwrap();
    assert_eq!(declared.members, count);
    let (found, expected) = (evaluated(declared), evaluated(program));
    let differ = found
        .iter()
        .zip(&expected)
        .filter(|(a, b)| a != b && !(f64::from_bits(**a).is_nan() && f64::from_bits(**b).is_nan()));
    assert_eq!(differ.count(), 0, "{} {domain:?} {precision:?}", program.name);
    let numbers = expected.iter().filter(|word| **word != 0 && !f64::from_bits(**word).is_nan());
    assert!(numbers.count() > N, "{} gives numbers", program.name);
}

fn all(domain: Domain, precision: Precision) {
    let beads = &declared("tests/common/tuples.rs");
    both(Anchor { stiffness: 0.7, table: [0.3, 1.1, 0.9] }, beads, domain, precision);
    both(Link, beads, domain, precision);
    both(Bend { scale: 0.9 }, beads, domain, precision);
    both(Twist { rates: [[0.1, 0.3], [0.7, -1.9]] }, beads, domain, precision);
    let bonded = &declared("interactions/src/bonds.rs");
    both(bonded::HarmonicBond, bonded, domain, precision);
    both(bonded::MorseBond, bonded, domain, precision);
    both(bonded::FeneBond, bonded, domain, precision);
    both(bonded::HarmonicAngle, bonded, domain, precision);
    both(bonded::CosineAngle, bonded, domain, precision);
    both(bonded::PeriodicDihedral, bonded, domain, precision);
    both(bonded::RyckaertBellemans, bonded, domain, precision);
    both(bonded::HarmonicImproper, bonded, domain, precision);
}

#[test]
fn tuples_as_text_have_the_bits_of_compiled_tuples() {
    all(Domain::Open, Precision::Single);
    all(Domain::periodic([1.0, 0.5, 2.0]).unwrap(), Precision::Mixed);
}
