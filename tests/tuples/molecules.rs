//! Tuples beside neighbour lists, on the same particles and results.

use nbody::Store;
use nbody::prelude::*;
use nbody_interactions::bonded::{Harmonic, HarmonicBond};
use nbody_interactions::lennard_jones::{Atom, LennardJones, TYPES};

const SIDE: usize = 6;
const BOX: f64 = 6.0;

/// Returns atoms on a jittered lattice, and a chain through all of them.
fn chain() -> (Vec<Atom>, Vec<[u32; 2]>) {
    let jitter = |k: usize| ((k * 7919) % 101) as f64 / 1010.0;
    let atom = |k: usize| {
        let at = [k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE];
        let pos = Point([0, 1, 2].map(|axis| at[axis] as f64 + jitter(3 * k + axis)));
        Atom { pos, kind: 0 }
    };
    let n = SIDE.pow(3);
    ((0..n).map(atom).collect(), (0..n as u32).map(|k| [k, (k + 1) % n as u32]).collect())
}

#[test]
fn bonds_are_added_to_the_forces_of_lists() {
    let table = |x: f64| [[x; TYPES as usize]; TYPES as usize];
    let law = LennardJones { sigma2: table(0.64), epsilon: table(1.0), cutoff: 1.5 };
    let domain = Domain::periodic([BOX; 3]).unwrap();
    let (atoms, pairs) = chain();
    let records: Vec<_> = pairs.iter().map(|_| Harmonic { k: 3.0, length: 0.9 }).collect();
    for device in nbody_tests::all_devices() {
        let options = Options::default().precision(Precision::Double);
        let mut lists = ShortRange::with_options(&device, law, options).unwrap();
        lists.set_domain(domain).unwrap();
        let particles = lists.upload(&atoms).unwrap();
        let mut out = lists.results(atoms.len()).unwrap();
        lists.evaluate_self_into(&particles, &particles, &mut out).unwrap();
        let before = out.download::<f64>().unwrap();
        let mut bonds = Tuples::new(&device, HarmonicBond).unwrap();
        bonds.set_domain(domain).unwrap();
        bonds.set(&pairs, &records, atoms.len()).unwrap();
        bonds.evaluate_by_name(&particles, &mut out, Store::Add).unwrap();
        let after = out.download::<f64>().unwrap();

        let mut expected = before;
        for ([a, b], bond) in pairs.iter().zip(&records) {
            let [a, b] = [*a as usize, *b as usize];
            let mut d = atoms[a].pos - atoms[b].pos;
            for x in &mut d.0 {
                *x -= BOX * (*x / BOX).round();
            }
            let x = d.norm() - bond.length;
            let force = -bond.k * x / d.norm() * d;
            expected[a].force += force;
            expected[b].force -= force;
            for k in [a, b] {
                expected[k].pot += 0.25 * bond.k * x * x;
                expected[k].virial += 0.5 * force.dot(d);
            }
        }
        let mut changed = 0;
        for (found, expected) in after.iter().zip(&expected) {
            let numbers = |f: &nbody_interactions::lennard_jones::Force| {
                [f.force.x, f.force.y, f.force.z, f.pot, f.virial]
            };
            for (a, b) in numbers(found).into_iter().zip(numbers(expected)) {
                assert!((a - b).abs() <= 1e-12 * (1.0 + b.abs()), "{device}: {a} and {b}");
                changed += 1;
            }
        }
        assert_eq!(changed, 5 * atoms.len());
    }
}
