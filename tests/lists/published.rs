//! Published Lennard-Jones energies, by neighbour lists and by all pairs.

use nbody::prelude::*;
use nbody::{Neighbours, ShortRange, Skin};
use nbody_interactions::lennard_jones::{Atom, Force, LennardJones};

/// Sums over all atoms of the potential energy and of the virial; each pair counts twice.
#[derive(Clone, Copy, Debug)]
struct Sums {
    pot: f64,
    virial: f64,
}

fn sums(of: &[Force]) -> Sums {
    Sums {
        pot: of.iter().map(|force| force.pot).sum(),
        virial: of.iter().map(|force| force.virial).sum(),
    }
}

/// Returns the sums for atoms with diameter 1 and well depth 1, in double precision, after
/// checking that lists and all pairs agree in every precision.
fn evaluate(positions: &[[f64; 3]], domain: Domain, cutoff: f64) -> Sums {
    let law = LennardJones { sigma2: [[1.0; 4]; 4], epsilon: [[1.0; 4]; 4], cutoff };
    let atoms: Vec<_> =
        positions.iter().map(|&position| Atom { pos: Point(position), kind: 0 }).collect();
    let options = Options::default().precision(Precision::Double);
    let mut all = AllPairs::with_options(&Device::cpu(), law, options.domain(domain)).unwrap();
    let expected = sums(&all.evaluate_self::<f64>(&atoms).unwrap());
    let precisions =
        [(Precision::Single, 2e-5), (Precision::Mixed, 1e-6), (Precision::Double, 1e-13)];
    for (precision, tolerance) in precisions {
        for skin in [Skin::Auto, Skin::Length(0.0)] {
            let options = options.precision(precision);
            let mut lists = ShortRange::with_options(&Device::cpu(), law, options).unwrap();
            let mut near = Neighbours::with_options(
                &Device::cpu(),
                skin,
                Options::default().precision(precision).domain(domain),
            )
            .unwrap();
            let particles = near.upload(&atoms).unwrap();
            near.update(&particles, &[&lists]).unwrap();
            let mut out = lists.results(atoms.len()).unwrap();
            lists.evaluate_over(&near, &particles, &mut out).unwrap();
            let found = sums(&out.download::<f64>().unwrap());
            let tolerance = tolerance * expected.pot.abs();
            for (found, expected) in [(found.pot, expected.pot), (found.virial, expected.virial)] {
                let is_equal = (found - expected).abs() <= tolerance;
                assert!(is_equal, "{precision} {skin:?}: {found}, expected {expected}");
            }
        }
    }
    expected
}

/// The icosahedron of 13 atoms has the energy -44.326801 (Hoare & Pal 1971, Adv. Phys. 20, 161;
/// Wales & Doye 1997, J. Phys. Chem. A 101, 5111).
#[test]
fn thirteen_atoms_have_the_energy_of_the_icosahedron() {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    // Numbers and lengths of the distances from the centre and between vertices, in units of the
    // distance from the centre.
    let edge = 2.0 / (golden * golden + 1.0).sqrt();
    let distances = [(12.0, 1.0), (30.0, edge), (30.0, edge * golden), (6.0, 2.0)];
    let sum =
        |power: i32| distances.map(|(n, r): (f64, f64)| n * r.powi(-power)).iter().sum::<f64>();
    // Radius at the minimum of 4 (sum(12) / R^12 - sum(6) / R^6).
    let radius = (2.0 * sum(12) / sum(6)).powf(1.0 / 6.0);
    let unit = radius / (golden * golden + 1.0).sqrt();
    let mut positions = vec![[0.0; 3]];
    for [a, b] in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] {
        let [a, b] = [a * unit, b * golden * unit];
        positions.extend([[0.0, a, b], [a, b, 0.0], [b, 0.0, a]]);
    }
    for domain in [Domain::Open, Domain::periodic([7.5; 3]).unwrap()] {
        let Sums { pot, virial } = evaluate(&positions, domain, 3.0);
        assert!((pot / 2.0 + 44.326_801).abs() < 1e-6, "{}", pot / 2.0);
        assert!(virial.abs() < 1e-9, "{virial}");
    }
}

/// The third configuration of 300 particles in a triclinic cell of the NIST Standard Reference
/// Simulation Website (Lennard-Jones fluid reference calculations: non-cuboid cell) has the energy
/// -505.78567945268367, truncated at 3.
#[test]
fn a_fluid_in_a_triclinic_box_has_the_energy_of_nist() {
    let positions: Vec<[f64; 3]> = include_str!("triclinic.txt")
        .lines()
        .map(|line| {
            let mut numbers = line.split(' ').map(|number| number.parse().unwrap());
            [(); 3].map(|()| numbers.next().unwrap())
        })
        .collect();
    let domain = Domain::triclinic([
        [10.0, 0.0, 0.0],
        [1.736_481_776_669_304_1, 9.848_077_530_122_08, 0.0],
        [2.588_190_451_025_207_4, 0.428_634_797_918_645_67, 9.649_743_126_075_18],
    ]);
    let Sums { pot, .. } = evaluate(&positions, domain.unwrap(), 3.0);
    assert!((pot / 2.0 + 505.785_679_452_683_67).abs() < 1e-11, "{}", pot / 2.0);
}

/// The lattice sums of the face-centred cubic lattice are 12.13188 and 14.45392 for the powers -12
/// and -6 of the distance, in units of the nearest-neighbour distance (Jones & Ingham 1925, Proc.
/// R. Soc. A 107, 636).
#[test]
fn a_crystal_has_the_lattice_sums() {
    const PRIMITIVE: u32 = 11;
    const CELLS: u32 = 6;
    let edge = 2.0_f64.sqrt();
    let corners = [[0.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5], [0.5, 0.5, 0.0]];
    let mut positions = Vec::new();
    for k in 0..CELLS.pow(3) {
        let cell = [k % CELLS, k / CELLS % CELLS, k / CELLS.pow(2)].map(f64::from);
        // The offset keeps the first atoms off the faces of the box.
        let at = |corner: &[f64; 3]| [0, 1, 2].map(|axis| (corner[axis] + cell[axis] + 0.1) * edge);
        positions.extend(corners.iter().map(at));
    }
    has_the_lattice_sums(&positions, Domain::periodic([edge * f64::from(CELLS); 3]).unwrap());

    // The same crystal of primitive cells, in a box along the vectors of the lattice.
    let (r3, r6) = (3.0_f64.sqrt(), 6.0_f64.sqrt());
    let vectors = [[1.0, 0.0, 0.0], [0.5, r3 / 2.0, 0.0], [0.5, r3 / 6.0, r6 / 3.0]];
    let site = |k: u32| {
        let n = [k % PRIMITIVE, k / PRIMITIVE % PRIMITIVE, k / PRIMITIVE.pow(2)].map(f64::from);
        [0, 1, 2].map(|axis| (0..3).map(|k| n[k] * vectors[k][axis]).sum::<f64>() + 0.1)
    };
    let positions: Vec<_> = (0..PRIMITIVE.pow(3)).map(site).collect();
    let vectors = vectors.map(|vector| vector.map(|x| x * f64::from(PRIMITIVE)));
    has_the_lattice_sums(&positions, Domain::triclinic(vectors).unwrap());
}

fn has_the_lattice_sums(positions: &[[f64; 3]], domain: Domain) {
    // The cutoff lies between two shells, whose radii are square roots of integers.
    let cutoff = 16.5_f64.sqrt();
    let Sums { pot, virial } = evaluate(positions, domain, cutoff);
    let [pot, virial] = [pot, virial].map(|sum| sum / positions.len() as f64);
    let found = [virial / 24.0 - pot / 4.0, virial / 24.0 - pot / 2.0];
    // Beyond the cutoff the density of atoms is taken as uniform.
    let beyond = |power: f64| {
        let density = 2.0_f64.sqrt();
        4.0 * std::f64::consts::PI * density / ((power - 3.0) * cutoff.powf(power - 3.0))
    };
    assert!((found[0] + beyond(12.0) - 12.131_88).abs() < 2e-5, "{found:?}");
    assert!((found[1] + beyond(6.0) - 14.453_92).abs() < 2e-2, "{found:?}");
}
