//! A molecule has the same bits in Rust, C, C++ and Fortran: Lennard-Jones forces by lists, with bonds,
//! angles and dihedrals added, and bonds alone.

use std::path::Path;

use nbody::prelude::*;
use nbody::{Results, Store};
use nbody_interactions::bonded::{
    Angle, BondForce, Harmonic, HarmonicAngle, HarmonicBond, Periodic, PeriodicDihedral,
};
use nbody_interactions::lennard_jones::{Atom, Force, ShiftedLennardJones, TYPES};

use crate::bits::bytes;
use crate::programs::source;
use crate::tools::{ROOT, WARNINGS, compile, compiler, fortran, fortran_sources, run};

/// Number of beads of the programs.
const N: usize = 60;

/// Returns the positions of a chain that winds through the box several times.
fn positions() -> Vec<f64> {
    let at = |i: usize| {
        let fraction = |k: usize| (k % 64) as f64 / 64.0;
        let y = 2.0 * (i / 16) as f64 + fraction(37 * i * i);
        [0.75 * (i % 16) as f64, y, fraction(11 * i * i + 5 * i)]
    };
    (0..N).flat_map(at).collect()
}

/// Returns the tuples of neighbours along the chain, and their constants.
fn chain<T, const M: usize>(record: impl Fn(usize, f64) -> T) -> (Vec<[u32; M]>, Vec<T>) {
    let tuple = |i: usize| (std::array::from_fn(|m| (i + m) as u32), record(i, i as f64));
    (0..=N - M).map(tuple).unzip()
}

fn numbers(force: Vector, pot: f64, virial: f64) -> [f64; 5] {
    [force.x, force.y, force.z, pot, virial]
}

/// Evaluates the molecule and its bonds alone.
fn evaluated(device: &Device, precision: Precision, pos: &[f64]) -> Result<Vec<f64>, nbody::Error> {
    let atoms: Vec<Atom> =
        pos.chunks(3).map(|x| Atom { pos: Point([x[0], x[1], x[2]]), kind: 0 }).collect();
    let bonds = chain(|_, i| Harmonic { k: 50.0 + i, length: 1.0 + i / 64.0 });
    let angles = chain(|_, i| Angle { k: 4.0 + i / 8.0, angle: 1.75 + i / 128.0 });
    let dihedrals =
        chain(|k, i| Periodic { k: 2.0 + i / 4.0, phase: i / 32.0, n: 1 + k as u32 % 3 });

    let table = |x: f64| [[x; TYPES as usize]; TYPES as usize];
    let law = ShiftedLennardJones { sigma2: table(0.75), epsilon: table(0.5), cutoff: 2.5 };
    let domain = Domain::periodic([12.0, 13.0, 14.0])?;
    let options = Options::default().precision(precision).math(Math::Exact).domain(domain);
    let lists = Neighbours::with_options(device, Skin::Length(0.25), options)?;
    let mut pairs = ShortRange::with_options(device, law, options)?.with_lists(lists);
    let second = angles.0.iter().map(|&[a, _, c]: &[u32; 3]| [a, c]);
    let near: Vec<[u32; 2]> = bonds.0.iter().copied().chain(second).collect();
    pairs.exclude(&near);
    let particles = pairs.upload(&atoms)?;
    let mut forces: Results<Force> = pairs.results(N)?;
    pairs.evaluate_self_into(&particles, &particles, &mut forces)?;

    let mut of_bonds = Tuples::new(device, HarmonicBond)?;
    of_bonds.set(&bonds.0, &bonds.1, N)?;
    of_bonds.set_domain(domain)?;
    of_bonds.evaluate_by_name(&particles, &mut forces, Store::Add)?;
    let mut of_angles = Tuples::new(device, HarmonicAngle)?;
    of_angles.set(&angles.0, &angles.1, N)?;
    of_angles.set_domain(domain)?;
    of_angles.evaluate_by_name(&particles, &mut forces, Store::Add)?;
    let mut of_dihedrals = Tuples::new(device, PeriodicDihedral)?;
    of_dihedrals.set(&dihedrals.0, &dihedrals.1, N)?;
    of_dihedrals.set_domain(domain)?;
    of_dihedrals.evaluate_by_name(&particles, &mut forces, Store::Add)?;
    let all: Vec<Force> = forces.download::<f64>()?;
    let mut found: Vec<f64> =
        all.iter().flat_map(|it| numbers(it.force, it.pot, it.virial)).collect();

    let mut alone = of_bonds.results(N, precision)?;
    for (domain, store) in [(Domain::Open, Store::Replace), (domain, Store::Add)] {
        of_bonds.set_domain(domain)?;
        of_bonds.evaluate_by_name(&particles, &mut alone, store)?;
        let all: Vec<BondForce> = alone.download::<f64>()?;
        found.extend(all.iter().flat_map(|it| numbers(it.force, it.pot, it.virial)));
    }
    Ok(found)
}

/// Runs a program on each device, and compares its bits.
fn same(language: &str, folder: &Path, program: &Path, cases: &[(&str, usize, Vec<f64>)]) {
    let text = format!("{ROOT}/../interactions/src/bonds.rs");
    for (device, precisions, expected) in cases {
        let arguments = [device, &*precisions.to_string(), "input", "output", &text];
        let count = if language == "C++" { 5 } else { 4 };
        run(std::process::Command::new(program).current_dir(folder).args(&arguments[..count]));
        let found = std::fs::read(folder.join("output")).unwrap();
        assert!(found == bytes(expected), "{language} on {device} has other bits than Rust");
        std::fs::remove_file(folder.join("output")).unwrap();
    }
}

#[test]
fn molecules_have_equal_bits_in_every_language() {
    let (folder, pos) = (tempfile::tempdir().unwrap(), positions());
    let folder = folder.path();
    std::fs::write(folder.join("input"), bytes(&pos)).unwrap();
    let all = [Precision::Single, Precision::Mixed, Precision::Double];
    let expected = |device: &Device, precisions: &[Precision]| -> Vec<f64> {
        precisions.iter().flat_map(|it| evaluated(device, *it, &pos).unwrap()).collect()
    };
    let cases = [
        ("cpu", all.len(), expected(&Device::cpu(), &all)),
        ("emulator", 1, expected(&Device::emulator().unwrap(), &all[..1])),
    ];
    let of_molecule = &cases[0].2[..5 * N];
    assert!(of_molecule.iter().all(|number| number.is_finite() && *number != 0.0));

    let [cc, cxx] =
        [("CC", "cc"), ("CXX", "c++")].map(|(name, usual)| compiler(name, usual).unwrap());
    let options = [&["-std=c99"], &WARNINGS[..]].concat();
    same("C", folder, &compile(&cc, &options, &[source("molecule.c")], folder), &cases);
    let options = [&["-std=c++11"], &WARNINGS[..]].concat();
    same("C++", folder, &compile(&cxx, &options, &[source("molecule.cpp")], folder), &cases);
    if let Some((fortran, options)) = fortran() {
        let sources = fortran_sources(source("molecule.f90"));
        same("Fortran", folder, &compile(&fortran, &options, &sources, folder), &cases);
    }
}
