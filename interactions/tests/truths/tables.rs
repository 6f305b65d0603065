//! Interactions given as tables.

use std::fmt::Write as _;

use nbody::prelude::*;
use nbody_interactions::eam::{Atom, Force, KNOTS};
use nbody_interactions::setfl::{Setfl, SetflError};
use nbody_interactions::{lennard_jones, tabulated};

use crate::near;
use crate::shapes::face_centred;

/// Tabulated Lennard-Jones against the analytic one, energies and forces.
///
/// Fails with `norm()` for `norm2()`, and with `0.5 * energy` in the potential.
#[test]
fn a_tabulated_potential_has_the_forces_of_its_formula() {
    let cutoff = 2.5;
    let energy = Spline::from_fn(0.7..=6.25, |r2| 4.0 * (r2.powi(-6) - r2.powi(-3))).unwrap();
    let law = tabulated::Tabulated { energy, cutoff };
    let (sigma2, epsilon) = ([[1.0; 4]; 4], [[1.0; 4]; 4]);
    let analytic = lennard_jones::LennardJones { sigma2, epsilon, cutoff };
    let points: Vec<_> = face_centred(4.0)
        .iter()
        .enumerate()
        .map(|(k, p)| Point([0, 1, 2].map(|c| 1.1 * p[c] + 0.05 * ((k * (c + 7)) as f64).sin())))
        .collect();
    let atoms: Vec<_> = points.iter().map(|&pos| tabulated::Atom { pos }).collect();
    let others: Vec<_> = points.iter().map(|&pos| lennard_jones::Atom { pos, kind: 0 }).collect();
    let options = Options::default().precision(Precision::Double);
    let cpu = Device::cpu();
    let mut engine = AllPairs::with_options(&cpu, law, options).unwrap();
    let found = engine.evaluate_self(&atoms).unwrap();
    let mut engine = AllPairs::with_options(&cpu, analytic, options).unwrap();
    let expected = engine.evaluate_self(&others).unwrap();
    for (found, expected) in found.iter().zip(&expected) {
        near(found.pot, expected.pot, 1.0, 1e-5);
        near((found.force - expected.force).norm(), 0.0, 10.0, 1e-5);
    }
}

/// The potential of Sutton & Chen for copper (1990, Philos. Mag. Lett. 61, 139): φ = ε (a/r)⁹, ρ =
/// (a/r)⁶, F = −ε c √ρ. Energies end smoothly before the cutoff.
mod copper {
    pub const A: f64 = 3.61;
    pub const EPSILON: f64 = 1.2382e-2;
    pub const C: f64 = 39.432;
    pub const CUTOFF: f64 = 7.5;

    fn end(r: f64) -> f64 {
        let x = ((CUTOFF - r) / 1.5).clamp(0.0, 1.0);
        x * x * x * (10.0 - x * (15.0 - 6.0 * x))
    }
    pub fn pair(r: f64) -> f64 {
        EPSILON * (A / r).powi(9) * end(r)
    }
    pub fn density(r: f64) -> f64 {
        (A / r).powi(6) * end(r)
    }
    pub fn embedding(density: f64) -> f64 {
        -EPSILON * C * density.sqrt()
    }
}

/// Returns the file of copper. Radii from 0 to 1 have the values at 1, and densities below 1 a tangent,
/// for the functions diverge.
fn file() -> String {
    let (densities, radii) = (4000, 4000);
    let [density_step, radius_step] = [0.05, copper::CUTOFF / f64::from(radii - 1)];
    let mut text = String::from("Sutton-Chen\ncopper\nfor tests\n 1 Cu\n");
    let _ =
        writeln!(text, "{densities} {density_step:e} {radii} {radius_step:e} {}", copper::CUTOFF);
    let _ = writeln!(text, "29 63.546 3.61 fcc");
    for k in 0..densities {
        let density = f64::from(k) * density_step;
        let below = (density - 1.0).min(0.0);
        let slope = 0.5 * copper::embedding(1.0);
        let value = copper::embedding(density.max(1.0)) + slope * below;
        let _ = writeln!(text, "{value:.17e}");
    }
    for of in [copper::density, |r| r * copper::pair(r)] {
        for k in 0..radii {
            let word = format!("{:.17e} ", of((f64::from(k) * radius_step).max(1.0)));
            // Fortran's exponents.
            text += &if k % 2 == 0 { word } else { word.replace('e', "D") };
        }
    }
    text
}

/// The embedded-atom method, by tables from a file, against its formulas: energies of atoms, and
/// forces as differences of the energy; and the cohesive energy of copper, 3.49 eV (Sutton & Chen).
///
/// Fails with `i.slope` alone for `i.slope + j.slope`, without `/ r`, with `slope` and `embedding`
/// exchanged, and with the density of the pair potential.
#[test]
fn embedded_atoms_have_the_energy_of_their_formula() {
    let potential: Setfl = file().parse().unwrap();
    assert_eq!((potential.element.as_str(), potential.number), ("Cu", 29));
    assert_eq!((potential.structure.as_str(), potential.mass), ("fcc", 63.546));
    let (density, embed, forces) = potential.laws().unwrap();
    let scale = copper::A / 2.0_f64.sqrt();
    let mut points: Vec<Point> = face_centred(4.5)
        .iter()
        .enumerate()
        .map(|(k, p)| Point([0, 1, 2].map(|c| scale * p[c] + 0.1 * ((k * (c + 5)) as f64).sin())))
        .collect();
    let energy = |points: &[Point]| -> f64 {
        let sums = points.iter().enumerate().map(|(k, p)| {
            let others = points.iter().enumerate().filter(|(l, _)| *l != k);
            let radii: Vec<_> = others.map(|(_, q)| (*p - *q).norm()).collect();
            let within = || radii.iter().filter(|r| **r < copper::CUTOFF);
            let density: f64 = within().map(|r| copper::density(*r)).sum();
            let pairs: f64 = within().map(|r| copper::pair(*r)).sum();
            copper::embedding(density) + 0.5 * pairs
        });
        sums.sum()
    };

    let device = Device::cpu();
    let options = Options::default().precision(Precision::Double);
    let atoms: Vec<_> =
        points.iter().map(|&pos| Atom { pos, embedding: 0.0, slope: 0.0 }).collect();
    let mut density = ShortRange::with_options(&device, density, options).unwrap();
    let mut forces = ShortRange::with_options(&device, forces, options).unwrap();
    let mut embed = PerParticle::new(&device, embed).unwrap();
    let mut near_atoms = Neighbours::with_options(&device, Skin::Auto, options).unwrap();
    let mut particles = near_atoms.upload(&atoms).unwrap();
    near_atoms.update(&particles, &[&density, &forces]).unwrap();
    let mut sums = density.results(atoms.len()).unwrap();
    density.evaluate_over(&near_atoms, &particles, &mut sums).unwrap();
    embed.update(&mut particles, &sums).unwrap();
    let mut out = forces.results(atoms.len()).unwrap();
    forces.evaluate_over(&near_atoms, &particles, &mut out).unwrap();
    let found: Vec<Force> = out.download().unwrap();
    let atoms = particles.download().unwrap();
    let total: f64 = atoms.iter().map(|atom| atom.embedding).sum::<f64>()
        + 0.5 * found.iter().map(|force| force.pot).sum::<f64>();
    near(total, energy(&points), points.len() as f64, 1e-6);

    for k in [0, 7, points.len() - 1] {
        for axis in 0..3 {
            let h = 1e-4;
            let mut moved = |by: f64| {
                points[k].0[axis] += by;
                let energy = energy(&points);
                points[k].0[axis] -= by;
                energy
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            near(found[k].force.0[axis], -slope, 1.0, 1e-5);
        }
    }
    // The atom in the middle of a perfect crystal.
    let crystal: Vec<_> = face_centred(5.0).iter().map(|p| Point(p.map(|x| scale * x))).collect();
    let radii: Vec<_> = crystal.iter().map(|p: &Point| (*p - Point([0.0; 3])).norm()).collect();
    let within = || radii.iter().filter(|r| **r > 0.0 && **r < copper::CUTOFF);
    let sum = |of: fn(f64) -> f64| within().map(|r| of(*r)).sum::<f64>();
    let cohesive = copper::embedding(sum(copper::density)) + 0.5 * sum(copper::pair);
    near(cohesive, -3.49, 1.0, 0.05);
}

#[test]
fn files_that_are_no_potential_of_one_element_are_refused() {
    let text = file();
    let fault = |text: &str| text.parse::<Setfl>().unwrap_err();
    let message = |text: &str| fault(text).to_string();
    assert_eq!(fault(&text.replacen(" 1 Cu", " 2 Cu Ni", 1)), SetflError::Elements(2));
    assert!(message("a\nb\nc").starts_with("the setfl file ends before the number of elements"));
    assert!(message(&text[..text.len() - 30]).contains("ends before the pair potential"));
    assert!(message(&(text.clone() + " 1.0")).contains("`1.0` follows the tables"));
    assert!(message(&text.replacen("63.546", "heavy", 1)).contains("the mass of a setfl file is"));
    assert!(message(&text.replacen("63.546", "NaN", 1)).contains("is `NaN`, expected a number"));
    let mut short: Setfl = text.parse().unwrap();
    short.embedding.truncate(3);
    assert!(short.laws().is_err() && KNOTS == 2048);
}
