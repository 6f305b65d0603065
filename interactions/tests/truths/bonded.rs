//! Bonds, angles and dihedrals against plain formulas, differences of energies and conservation.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

use nbody::law::Record;
use nbody::prelude::*;
use nbody::{Store, Tuple};
use nbody_interactions::bonded::{
    Angle, Atom, CosineAngle, Fene, FeneBond, Harmonic, HarmonicAngle, HarmonicBond,
    HarmonicImproper, Morse, MorseBond, Periodic, PeriodicDihedral, Polynomial, RyckaertBellemans,
};

/// Returns the numbers of the result of each atom of one tuple: force, energy and, of bonds, virial.
fn results<X, const N: usize>(tuple: X, record: X::T, atoms: &[Point]) -> Vec<Vec<f64>>
where
    X: Tuple<P = Atom, Members = [u32; N]>,
{
    let device = Device::cpu();
    let atoms: Vec<_> = atoms.iter().map(|pos| Atom { pos: *pos }).collect();
    let particles = device.upload(&atoms, Precision::Double).unwrap();
    let mut engine = Tuples::new(&device, tuple).unwrap();
    let members = X::PROGRAM.members;
    assert_eq!(members, atoms.len());
    engine.set(&[std::array::from_fn(|k| k as u32)], &[record], members).unwrap();
    let mut out = engine.results(members, Precision::Double).unwrap();
    engine.evaluate_into(&particles, &mut out, Store::Replace).unwrap();
    let width = <X::F as Record>::DIM;
    let mut rows = vec![0; members * width];
    out.untyped().read(0..members, &mut |write| write(0..members, &mut rows)).unwrap();
    rows.chunks(width).map(|row| row.iter().map(|word| f64::from_bits(*word)).collect()).collect()
}

fn energy<X, const N: usize>(tuple: X, record: X::T, atoms: &[Point]) -> f64
where
    X: Tuple<P = Atom, Members = [u32; N]>,
{
    results(tuple, record, atoms).iter().map(|result| result[3]).sum()
}

/// Returns atoms whose numbers have all digits, about a bond length apart.
fn poses(count: usize) -> impl Iterator<Item = Vec<Point>> {
    let number = |k: usize| (((k * 7919 + 13) % 1009) as f64 / 1009.0 - 0.5) * 0.9;
    (0..40).map(move |pose| {
        let atom = |m: usize| {
            let first = pose * 29 + m * 5;
            let along = [m as f64 * 0.8, (m % 2) as f64 * 0.6, (m / 2) as f64 * 0.5];
            Point([0, 1, 2].map(|axis| along[axis] + number(first + axis)))
        };
        (0..count).map(atom).collect()
    })
}

/// Compares energies with a formula and forces with differences of sixth order, and checks that
/// forces and torques cancel and that energies are shared out equally.
fn check<X, const N: usize>(tuple: X, record: X::T, formula: &dyn Fn(&[Point]) -> f64)
where
    X: Tuple<P = Atom, Members = [u32; N]>,
{
    let name = X::PROGRAM.name;
    for atoms in poses(X::PROGRAM.members) {
        let found = results(tuple.clone(), record.clone(), &atoms);
        let expected = formula(&atoms);
        let total: f64 = found.iter().map(|result| result[3]).sum();
        let near = |a: f64, b: f64, tolerance: f64| {
            assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{name}: {a} and {b}");
        };
        near(total, expected, 1e-12);
        let (mut sum, mut torque) = (Vector([0.0; 3]), Vector([0.0; 3]));
        for (m, result) in found.iter().enumerate() {
            near(result[3], expected / found.len() as f64, 1e-12);
            let force = Vector([result[0], result[1], result[2]]);
            sum += force;
            torque += (atoms[m] - Point([0.0; 3])).cross(force);
            for axis in 0..3 {
                let moved = |by: f64| {
                    let mut atoms = atoms.clone();
                    atoms[m].0[axis] += by;
                    energy(tuple.clone(), record.clone(), &atoms)
                };
                let h = 1e-3;
                let difference = |k: f64| moved(k * h) - moved(-k * h);
                let slope =
                    (45.0 * difference(1.0) - 9.0 * difference(2.0) + difference(3.0)) / (60.0 * h);
                near(force.0[axis], -slope, 1e-7);
            }
        }
        near(sum.norm(), 0.0, 1e-12);
        near(torque.norm(), 0.0, 1e-12);
        if let [a, b] = &found[..] {
            let d = atoms[0] - atoms[1];
            let virial = Vector([a[0], a[1], a[2]]).dot(d);
            near(a[4] + b[4], virial, 1e-12);
        }
    }
}

fn distance(atoms: &[Point]) -> f64 {
    (atoms[0] - atoms[1]).norm()
}

fn angle(atoms: &[Point]) -> f64 {
    let (p, q) = (atoms[0] - atoms[1], atoms[2] - atoms[1]);
    (p.dot(q) / (p.norm() * q.norm())).acos()
}

/// Returns the dihedral by the angle between the normals, with the sign of the triple product.
fn dihedral(atoms: &[Point]) -> f64 {
    let (p, q, r) = (atoms[1] - atoms[0], atoms[2] - atoms[1], atoms[3] - atoms[2]);
    let (m, n) = (p.cross(q), q.cross(r));
    let size = (m.dot(n) / (m.norm() * n.norm())).clamp(-1.0, 1.0).acos();
    if p.dot(n) < 0.0 { -size } else { size }
}

#[test]
fn bonds_have_the_energies_of_their_formulas() {
    check(HarmonicBond, Harmonic { k: 3.5, length: 0.9 }, &|atoms| {
        1.75 * (distance(atoms) - 0.9).powi(2)
    });
    check(MorseBond, Morse { depth: 2.0, steepness: 1.5, length: 0.8 }, &|atoms| {
        2.0 * (1.0 - (-1.5 * (distance(atoms) - 0.8)).exp()).powi(2)
    });
    check(FeneBond, Fene { k: 3.0, extent: 2.5 }, &|atoms| {
        -0.5 * 3.0 * 6.25 * (1.0 - distance(atoms).powi(2) / 6.25).ln()
    });
}

#[test]
fn angles_have_the_energies_of_their_formulas() {
    check(HarmonicAngle, Angle { k: 2.5, angle: 1.9 }, &|atoms| {
        1.25 * (angle(atoms) - 1.9).powi(2)
    });
    check(CosineAngle, Angle { k: 2.5, angle: 1.9 }, &|atoms| {
        1.25 * (angle(atoms).cos() - 1.9_f64.cos()).powi(2)
    });
}

#[test]
fn dihedrals_have_the_energies_of_their_formulas() {
    check(PeriodicDihedral, Periodic { k: 1.5, phase: 0.4, n: 3 }, &|atoms| {
        1.5 * (1.0 + (3.0 * dihedral(atoms) - 0.4).cos())
    });
    let c = [9.28, 12.16, -13.12, -3.06, 26.24, -31.5];
    check(RyckaertBellemans, Polynomial { c }, &|atoms| {
        let cos = (dihedral(atoms) - PI).cos();
        c.iter().rev().fold(0.0, |sum, c| sum * cos + c)
    });
    check(HarmonicImproper, Angle { k: 2.0, angle: 0.3 }, &|atoms| {
        let mut more = dihedral(atoms) - 0.3;
        if more > PI {
            more -= 2.0 * PI;
        } else if more < -PI {
            more += 2.0 * PI;
        }
        more * more
    });
}

/// Returns four atoms with this dihedral: the last is turned clockwise by it, seen along the bond.
fn turned(phi: f64) -> [Point; 4] {
    let (sin, cos) = phi.sin_cos();
    [Point([1.0, 0.0, 0.0]), Point([0.0; 3]), Point([0.0, 0.0, 1.0]), Point([cos, sin, 1.0])]
}

#[test]
fn dihedrals_have_the_sign_of_iupac_and_are_0_in_cis() {
    for phi in [0.0, FRAC_PI_3, FRAC_PI_2, 3.0, -FRAC_PI_3, -3.0] {
        let atoms = turned(phi);
        // The energy is least at the dihedral itself.
        let improper = energy(HarmonicImproper, Angle { k: 2.0, angle: phi }, &atoms);
        assert!(improper.abs() < 1e-24, "{phi}: {improper}");
        let periodic = energy(PeriodicDihedral, Periodic { k: 1.0, phase: 0.0, n: 1 }, &atoms);
        assert!((periodic - 1.0 - phi.cos()).abs() < 1e-14, "{phi}: {periodic}");
        // Butane is lowest in trans, by the convention ψ = φ - π.
        let c = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
        let ryckaert = energy(RyckaertBellemans, Polynomial { c }, &atoms);
        assert!((ryckaert + phi.cos()).abs() < 1e-14, "{phi}: {ryckaert}");
    }
    // An improper near π reaches over the end of the interval.
    let over = energy(HarmonicImproper, Angle { k: 2.0, angle: PI - 0.1 }, &turned(0.1 - PI));
    assert!((over - 0.04).abs() < 1e-13, "{over}");
}

#[test]
fn atoms_in_a_line_have_no_force_of_angles() {
    let line = [0.0, 1.0, 2.5, 3.0].map(|x| Point([x, 0.0, 0.0]));
    let none = |results: Vec<Vec<f64>>| {
        for result in results {
            assert_eq!(result[..3], [0.0; 3]);
            assert!(result[3].is_finite());
        }
    };
    none(results(HarmonicAngle, Angle { k: 2.0, angle: 1.0 }, &line[..3]));
    none(results(CosineAngle, Angle { k: 2.0, angle: 1.0 }, &line[..3]));
    none(results(PeriodicDihedral, Periodic { k: 1.0, phase: 0.5, n: 2 }, &line));
    none(results(RyckaertBellemans, Polynomial { c: [1.0; 6] }, &line));
    none(results(HarmonicImproper, Angle { k: 2.0, angle: 1.0 }, &line));
    let angle = energy(HarmonicAngle, Angle { k: 2.0, angle: PI }, &line[..3]);
    assert!(angle.abs() < 1e-24, "an angle of atoms in a line is π: {angle}");
}

#[test]
fn a_fene_bond_beyond_its_extent_is_nan() {
    let beyond = [0.0, 2.0].map(|x| Point([x, 0.0, 0.0]));
    assert!(energy(FeneBond, Fene { k: 1.0, extent: 1.5 }, &beyond).is_nan());
}
