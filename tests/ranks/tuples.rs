//! Tuples over ranks have the bits of the device alone, with particles that lists have distributed.

use nbody::prelude::*;
use nbody::{Neighbours, ShortRange, Store};
use nbody_interactions::bonded::{Harmonic, HarmonicBond, Periodic, PeriodicDihedral};
use nbody_interactions::lennard_jones::{Atom, Force, LennardJones};
use nbody_mpi::threads;
use nbody_tests::ways::bits;

use super::over;

const SIDE: usize = 8;
const LENGTH: f64 = 8.0;

/// Returns atoms on a lattice that is not exact, along a chain.
fn atoms() -> Vec<Atom> {
    let jitter = |k: usize| ((k * 7919) % 101) as f64 / 1010.0;
    let atom = |k: usize| {
        let at = [k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE];
        Atom { pos: Point([0, 1, 2].map(|axis| at[axis] as f64 + jitter(3 * k + axis))), kind: 0 }
    };
    (0..SIDE.pow(3)).map(atom).collect()
}

fn along<const N: usize>(n: usize) -> Vec<[u32; N]> {
    (0..n).map(|k| std::array::from_fn(|m| ((k + m) % n) as u32)).collect()
}

/// Sums bonds and dihedrals, twice, with atoms that move in between and results that lists distribute.
fn run(device: &Device) -> Vec<u64> {
    let domain = Domain::periodic([LENGTH; 3]).unwrap();
    let options = Options::default().domain(domain).math(Math::Exact);
    let table = |x: f64| [[x; 4]; 4];
    let law = LennardJones { sigma2: table(0.5), epsilon: table(1.0), cutoff: 1.5 };
    let mut lists = Neighbours::with_options(device, Skin::Length(0.3), options).unwrap();
    let mut law = ShortRange::with_options(device, law, options).unwrap();
    let atoms = atoms();
    let n = atoms.len();
    let mut bonds = Tuples::new(device, HarmonicBond).unwrap();
    bonds.set(&along(n), &vec![Harmonic { k: 3.0, length: 0.9 }; n], n).unwrap();
    let mut dihedrals = Tuples::new(device, PeriodicDihedral).unwrap();
    dihedrals.set(&along(n), &vec![Periodic { k: 1.5, phase: 0.0, n: 3 }; n], n).unwrap();
    bonds.set_domain(domain).unwrap();
    dihedrals.set_domain(domain).unwrap();
    let mut particles = device.upload(&atoms, options.precision).unwrap();
    let mut forces = law.results(n).unwrap();
    let mut found = Vec::new();
    for _ in 0..2 {
        lists.update(&particles, &[&law]).unwrap();
        law.evaluate_over(&lists, &particles, &mut forces).unwrap();
        // Sums over lists follow an order of their own; only their places matter here.
        bonds.evaluate_by_name(&particles, &mut forces, Store::Replace).unwrap();
        dihedrals.evaluate_by_name(&particles, &mut forces, Store::Add).unwrap();
        let forces: Vec<Force> = forces.download::<f64>().unwrap();
        found.extend(bits(&forces));
        let moved: Vec<_> = atoms
            .iter()
            .map(|atom| Atom { pos: atom.pos + Vector([0.02, -0.01, 0.03]), ..*atom })
            .collect();
        particles.replace(&moved).unwrap();
    }
    let mut own = bonds.results(n, Precision::Single).unwrap();
    bonds.evaluate_by_name(&particles, &mut own, Store::Replace).unwrap();
    found.extend(bits(&own.download::<f64>().unwrap()));
    found
}

#[test]
fn tuples_over_ranks_have_the_bits_of_one_device() {
    for device in [Device::cpu(), nbody_tests::emulator()] {
        let expected = run(&device);
        for size in [2, 3] {
            let all = threads(size, |communicator| run(&over(communicator, &device)));
            for found in all {
                assert_eq!(found.len(), expected.len());
                let differ = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differ, None, "{size} ranks of {device}");
            }
        }
    }
}
