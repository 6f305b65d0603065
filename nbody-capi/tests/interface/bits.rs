//! Equal bits: one input gives Rust, C and Fortran the same results, in exact mathematics and a given
//! summation order. Rust computes on the CPU, the others on a GPU if there is one.

use nbody::prelude::*;
use nbody_interactions::gravity::{Body, Field, Gravity};

use crate::programs::source;
use crate::tools::{WARNINGS, compile_and_run, compiler, fortran, fortran_sources};

/// Number of bodies of `bits.c` and `bits.f90`.
const N: usize = 500;

/// Returns numbers in [-1, 1) from a fixed seed: the positions, then the masses.
fn numbers() -> Vec<f64> {
    let mut state: u64 = 40;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / 2_f64.powi(52) - 1.0
    };
    (0..4 * N).map(|_| next()).collect()
}

pub fn bytes(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
}

/// Returns the results in single, mixed and double precision: acceleration and potential of each body.
fn from_rust(numbers: &[f64]) -> Vec<f64> {
    let (pos, mass) = numbers.split_at(3 * N);
    let bodies: Vec<Body> = std::iter::zip(pos.chunks(3), mass)
        .map(|(pos, mass)| Body { pos: Point::new(pos[0], pos[1], pos[2]), mass: *mass })
        .collect();
    let mut results = Vec::new();
    for precision in [Precision::Single, Precision::Mixed, Precision::Double] {
        let order = SummationOrder { bag: 64, splits: 3 };
        let options = Options::default().precision(precision).math(Math::Exact).order(Some(order));
        let law = Gravity { eps2: 0.01 };
        let mut engine = AllPairs::with_options(&Device::cpu(), law, options).unwrap();
        let fields: Vec<Field> = engine.evaluate_self(&bodies).unwrap();
        results.extend(fields.iter().flat_map(|it| [it.acc.x, it.acc.y, it.acc.z, it.pot]));
    }
    results
}

#[test]
fn rust_c_and_fortran_have_equal_bits() {
    let numbers = numbers();
    let expected = from_rust(&numbers);
    assert!(expected.iter().all(|number| number.is_finite() && *number != 0.0));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("input"), bytes(&numbers)).unwrap();
    let same = |language: &str| {
        let found = std::fs::read(folder.path().join("output")).unwrap();
        assert!(found == bytes(&expected), "{language} has other bits than Rust");
        std::fs::remove_file(folder.path().join("output")).unwrap();
    };

    let cc = compiler("CC", "cc").unwrap();
    let options = [&["-std=c99"], &WARNINGS[..]].concat();
    let arguments = ["input", "output"];
    compile_and_run(&cc, &options, &[source("bits.c")], &arguments, folder.path());
    same("C");
    if let Some((fortran, options)) = fortran() {
        let sources = fortran_sources(source("bits.f90"));
        compile_and_run(&fortran, &options, &sources, &arguments, folder.path());
        same("Fortran");
    }
}
