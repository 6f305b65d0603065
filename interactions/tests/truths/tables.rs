//! Interactions given as tables.

use std::fmt::Write as _;

use nbody::prelude::*;
use nbody_interactions::eam::{Atom, Force};
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

/// A potential of Sutton & Chen (1990, Philos. Mag. Lett. 61, 139) for three metals, with means for pairs of
/// them: φ = ε (a/r)⁹, ρ = (a/r)⁶, F = −ε c √ρ. Energies end smoothly before the cutoff.
mod metals {
    /// The name, a in Å, ε in eV, and c.
    pub const ALL: [(&str, f64, f64, f64); 3] = [
        ("Cu", 3.61, 1.2382e-2, 39.432),
        ("Ni", 3.52, 1.5707e-2, 35.0),
        ("Ag", 4.09, 0.9e-2, 42.0),
    ];
    pub const CUTOFF: f64 = 7.5;

    fn end(r: f64) -> f64 {
        let x = ((CUTOFF - r) / 1.5).clamp(0.0, 1.0);
        x * x * x * (10.0 - x * (15.0 - 6.0 * x))
    }
    pub fn pair([k, l]: [usize; 2], r: f64) -> f64 {
        let ((_, a, e, _), (_, b, f, _)) = (ALL[k], ALL[l]);
        (e * f).sqrt() * (0.5 * (a + b) / r).powi(9) * end(r)
    }
    pub fn density(k: usize, r: f64) -> f64 {
        (ALL[k].1 / r).powi(6) * end(r)
    }
    pub fn embedding(k: usize, density: f64) -> f64 {
        -ALL[k].2 * ALL[k].3 * density.sqrt()
    }
}

/// Returns the file of the first metals. Radii from 0 to 1 have the values at 1, and densities below 1 a
/// tangent, for the functions diverge.
fn file(n: usize) -> String {
    let (densities, radii) = (4000, 4000);
    let [density_step, radius_step] = [0.05, metals::CUTOFF / f64::from(radii - 1)];
    let names = metals::ALL[..n].iter().map(|it| it.0).collect::<Vec<_>>().join(" ");
    let mut text = format!("Sutton-Chen\nmetals\nfor tests\n {n} {names}\n");
    let _ =
        writeln!(text, "{densities} {density_step:e} {radii} {radius_step:e} {}", metals::CUTOFF);
    let radial = |text: &mut String, of: &dyn Fn(f64) -> f64| {
        for k in 0..radii {
            let word = format!("{:.17e} ", of((f64::from(k) * radius_step).max(1.0)));
            // Fortran's exponents.
            *text += &if k % 2 == 0 { word } else { word.replace('e', "D") };
        }
        text.push('\n');
    };
    for (element, (_, a, ..)) in metals::ALL[..n].iter().enumerate() {
        let _ = writeln!(text, "{} {:.3} {a} fcc", 29 - element, 63.546 + element as f64);
        for k in 0..densities {
            let density = f64::from(k) * density_step;
            let below = (density - 1.0).min(0.0);
            let slope = 0.5 * metals::embedding(element, 1.0);
            let value = metals::embedding(element, density.max(1.0)) + slope * below;
            let _ = writeln!(text, "{value:.17e}");
        }
        radial(&mut text, &|r| metals::density(element, r));
    }
    for k in 0..n {
        for l in 0..=k {
            radial(&mut text, &|r| r * metals::pair([k, l], r));
        }
    }
    text
}

/// Atoms, and the translations of their images that may be within the cutoff.
struct System {
    points: Vec<Point>,
    kinds: Vec<usize>,
    images: Vec<[f64; 3]>,
    domain: Domain,
}

impl System {
    /// Returns the energy by a loop over all pairs.
    fn energy(&self) -> f64 {
        let atoms = || self.points.iter().zip(&self.kinds);
        let sums = atoms().map(|(p, &kind)| {
            let (mut density, mut pairs) = (0.0, 0.0);
            for (q, &other) in atoms() {
                for image in &self.images {
                    let r = (*p - *q - Vector(*image)).norm();
                    if r > 0.0 && r < metals::CUTOFF {
                        density += metals::density(other, r);
                        pairs += metals::pair([kind, other], r);
                    }
                }
            }
            metals::embedding(kind, density) + 0.5 * pairs
        });
        sums.sum()
    }

    /// Compares the energy and forces of the tables with the loop, and forces with its differences.
    fn compare(&mut self, potential: &Setfl) {
        let (total, found) = evaluated(potential, self);
        near(total, self.energy(), self.points.len() as f64, 1e-6);
        for k in [0, 7, self.points.len() - 1] {
            for axis in 0..3 {
                let h = 1e-4;
                let mut moved = |by: f64| {
                    self.points[k].0[axis] += by;
                    let energy = self.energy();
                    self.points[k].0[axis] -= by;
                    energy
                };
                let slope = (moved(h) - moved(-h)) / (2.0 * h);
                near(found[k].force.0[axis], -slope, 1.0, 1e-5);
            }
        }
    }
}

/// Returns the energy of the system, and forces.
fn evaluated(potential: &Setfl, system: &System) -> (f64, Vec<Force>) {
    let (density, embed, forces) = potential.laws().unwrap();
    let device = Device::cpu();
    let options = Options::default().precision(Precision::Double).domain(system.domain);
    let kinds = system.points.iter().zip(&system.kinds);
    let atom = |(&pos, &kind): (&Point, &usize)| Atom {
        pos,
        kind: kind as u32,
        embedding: 0.0,
        slope: 0.0,
    };
    let atoms: Vec<_> = kinds.map(atom).collect();
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
    (total, found)
}

/// Returns a displaced crystal in open space, with elements by this function of the place.
fn crystal(kind: impl Fn(usize) -> usize) -> System {
    let scale = metals::ALL[0].1 / 2.0_f64.sqrt();
    let point = |(k, p): (usize, &[f64; 3])| {
        Point([0, 1, 2].map(|c| scale * p[c] + 0.1 * ((k * (c + 5)) as f64).sin()))
    };
    let points: Vec<_> = face_centred(4.5).iter().enumerate().map(point).collect();
    let kinds = (0..points.len()).map(kind).collect();
    System { points, kinds, images: vec![[0.0; 3]], domain: Domain::Open }
}

/// The embedded-atom method, by tables from files, against its formulas: energies of atoms, and
/// forces as differences of the energy; one element, an ordered alloy, and three elements at random
/// places of a triclinic box; and the cohesive energy of copper, 3.49 eV (Sutton & Chen).
///
/// Fails with another order of pairs in the file, and with the density of the atom itself.
#[test]
fn embedded_atoms_have_the_energy_of_their_formula() {
    let potential: Setfl = file(1).parse().unwrap();
    let [element] = &potential.elements[..] else { panic!("one element") };
    assert_eq!((element.name.as_str(), element.number), ("Cu", 29));
    assert_eq!((element.structure.as_str(), element.mass), ("fcc", 63.546));
    crystal(|_| 0).compare(&potential);

    let potential: Setfl = file(3).parse().unwrap();
    let names: Vec<_> = potential.elements.iter().map(|it| it.name.as_str()).collect();
    assert_eq!((names.join(" "), potential.elements[2].number), ("Cu Ni Ag".to_owned(), 27));
    crystal(|k| k % 2).compare(&potential);
    let vectors = [[17.0, 0.0, 0.0], [3.0, 18.0, 0.0], [-2.0, 4.0, 17.5]];
    let sum =
        |steps: [f64; 3]| [0, 1, 2].map(|c| (0..3).map(|k| steps[k] * vectors[k][c]).sum::<f64>());
    let steps = [-1.0, 0.0, 1.0];
    let images = steps.iter().flat_map(|&x| steps.iter().map(move |&y| (x, y)));
    let images = images.flat_map(|(x, y)| steps.iter().map(move |&z| sum([x, y, z]))).collect();
    let place = |k: usize| {
        let cell = [k % 5, k / 5 % 5, k / 25].map(|x| x as f64);
        let jitter = |c: usize| 0.12 * ((k * (7 * c + 3)) as f64).sin();
        Point(sum([0, 1, 2].map(|c| (cell[c] + 0.5 + jitter(c)) / 5.0)))
    };
    let mut mixture = System {
        points: (0..125).map(place).collect(),
        kinds: (0..125).map(|k| (k * k / 3 + k) % 3).collect(),
        images,
        domain: Domain::triclinic(vectors).unwrap(),
    };
    mixture.compare(&potential);
    // An element that the file lacks.
    mixture.kinds[4] = 3;
    let (total, found) = evaluated(&potential, &mixture);
    assert!(total.is_nan() && found[4].pot.is_nan() && found[4].force.x.is_nan());

    // The atom in the middle of a perfect crystal.
    let scale = metals::ALL[0].1 / 2.0_f64.sqrt();
    let crystal: Vec<_> = face_centred(5.0).iter().map(|p| Point(p.map(|x| scale * x))).collect();
    let radii: Vec<_> = crystal.iter().map(|p: &Point| (*p - Point([0.0; 3])).norm()).collect();
    let within = || radii.iter().filter(|r| **r > 0.0 && **r < metals::CUTOFF);
    let density = within().map(|r| metals::density(0, *r)).sum();
    let pairs: f64 = within().map(|r| metals::pair([0, 0], *r)).sum();
    near(metals::embedding(0, density) + 0.5 * pairs, -3.49, 1.0, 0.05);
}

#[test]
fn files_that_are_no_potential_are_refused() {
    let text = file(2);
    let fault = |text: &str| text.parse::<Setfl>().unwrap_err();
    let message = |text: &str| fault(text).to_string();
    let refused = |from: &str, to: &str, expected: &str| {
        assert!(text.contains(from), "{from}");
        let found = message(&text.replacen(from, to, 1));
        assert!(found.starts_with(expected), "{found}");
    };
    let of_elements = fault(&text.replacen(" 2 Cu Ni", " 9 Cu Ni", 1));
    assert_eq!(of_elements, SetflError::Elements { found: 9, line: 4 });
    refused(" 2 Cu", " 0 Cu", "line 4 of the setfl file names 0 elements, expected 1 to 8");
    refused(" 2 Cu", " -2 Cu", "the number of elements in line 4 of a setfl file is `-2`");
    refused(" 2 Cu Ni", " 2 Cu", "the number of densities in line 5 of a setfl file is `5e-2`");
    let sizes = "the number of densities in line 5 of a setfl file is `3`, expected a whole number";
    refused("\n4000 ", "\n3 ", sizes);
    refused("4000 5e-2", "4000 -5e-2", "the distance of densities in line 5 of a setfl file is");
    refused(
        " 7.5\n",
        " 8.5\n",
        "the cutoff in line 5 of a setfl file is `8.5`, expected a distance",
    );
    refused("63.546", "heavy", "the mass in line 6 of a setfl file is `heavy`");
    refused("64.546", "NaN", "the mass in line 4008 of a setfl file is `NaN`, expected a finite");
    assert!(
        message("a\nb\nc").starts_with("the setfl file ends with line 3, before the number of")
    );
    let cut = message(&text[..text.len() - 30]);
    assert!(cut.starts_with("the setfl file ends with line 8012, before the pair pot"), "{cut}");
    let more = message(&(text.clone() + " 1.0"));
    assert!(more.starts_with("`1.0` in line 8013 of a setfl file"), "{more}");
    let of_short = |change: &dyn Fn(&mut Setfl)| {
        let mut potential: Setfl = text.parse().unwrap();
        change(&mut potential);
        potential.laws().unwrap_err().to_string()
    };
    assert!(of_short(&|it| it.elements[1].embedding.truncate(3)).contains("NaN"));
    assert!(
        of_short(&|it| it.pairs.truncate(2))
            .starts_with("the potential has 2 pairs of elements, expected 3")
    );
    assert!(
        of_short(&|it| it.elements.clear())
            .starts_with("the potential has 0 elements, expected 1 to 8")
    );
}
