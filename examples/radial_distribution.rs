//! The pair distribution g(r) of liquid argon, with the peak of Rahman (1964, Phys. Rev. 136, A405).
//!
//! `cargo run --release --example radial_distribution [-- --device NAME]`

use std::{error::Error, f64::consts::PI, process::ExitCode};

use nbody::prelude::*;
use nbody_integrate::{Integrator, Leapfrog, Motion};

use arguments::{judge, on_device};
mod arguments;

#[rustfmt::skip]
#[nbody::interaction]
mod argon {
    /// The Lennard-Jones force, in units of σ, ε and the mass of an atom.
    pub struct Force;
    pub struct Atom { pub pos: Point }
    pub struct Push { pub force: Vector }
    impl Interaction for Force {
        type I = Atom; type J = Atom; type F = Push;
        fn cutoff(&self, _i: &Atom, _j: &Atom) -> Real { 2.25 }
        fn pair(&self, i: &Atom, j: &Atom, f: &mut Push) {
            let s6 = (i.pos - j.pos).norm2().recip().powi(3);
            f.force -= (4.0 * s6 * (s6 - 1.0)).gradient(i.pos);
        }
    }
    /// Counts pairs by their distance, in bins of a fiftieth.
    pub struct Shells;
    pub struct Pairs { pub pairs: [Count; 256] }
    impl Interaction for Shells {
        type I = Atom; type J = Atom; type F = Pairs;
        fn pair(&self, i: &Atom, j: &Atom, f: &mut Pairs) {
            f.pairs[(50.0 * (i.pos - j.pos).norm()) as u32] += 1;
        }
    }
}
use argon::{Atom, Force, Shells};

fn main() -> ExitCode {
    on_device("radial_distribution", "Measure the pair distribution of liquid argon.", run)
}

fn run(device: &Device) -> Result<(), Box<dyn Error>> {
    let (temperature, density) = (0.787, 0.814); // 94.4 K, 1.374 g/cm³
    let edge = (1000.0_f64 / density).cbrt();
    let options = Options::default().domain(Domain::periodic([edge; 3])?);
    let atom = |n: usize| {
        let at = [n % 10, n / 10 % 10, n / 100].map(|k| k as f64 * edge / 10.0);
        Motion::new(at, at.map(|x| (9.0 * x * n as f64).sin()), 1.0)
    };
    let mut atoms: Vec<_> = (0..1000).map(atom).collect();
    let mut totals = PairTotals::with_options(device, Shells, options)?;
    let mut counts = [0; 256];
    for part in 0..80 {
        let hot = atoms.iter().map(|it| it.vel.norm2()).sum::<f64>() / 3000.0;
        let scaled = |it: &Motion| Motion { vel: (temperature / hot).sqrt() * it.vel, ..*it };
        atoms = atoms.iter().map(scaled).collect();
        let engine = ShortRange::with_options(device, Force, options)?;
        let mut run = Leapfrog::new(engine, &atoms, 0.005)?;
        (0..25).try_for_each(|_| run.advance())?;
        atoms = run.motions()?;
        let places: Vec<Atom> = atoms.iter().map(|it| Atom { pos: it.pos }).collect();
        let pairs = totals.total_self(&places)?.pairs;
        // The lattice melts in the first 30 parts.
        (0..256).filter(|_| part >= 30).for_each(|k| counts[k] += pairs[k]);
    }
    let shell = |k: usize| 4.0 / 3.0 * PI * ((k + 1).pow(3) - k.pow(3)) as f64 / 50_f64.powi(3);
    let g = |k: usize| f64::from(counts[k]) / (shell(k) * density * 1000.0 * 50.0);
    (46..160).step_by(4).for_each(|k| println!("{:4.2} {:.3}", k as f64 / 50.0, g(k)));
    let peak = (0..256).max_by(|a, b| g(*a).total_cmp(&g(*b))).unwrap_or_default();
    judge("first peak at", (peak as f64 + 0.5) / 50.0, 3.7 / 3.4, 0.03)?;
    judge("its height", g(peak), 2.8, 0.15)?;
    judge("g near half of the box", g(255), 1.0, 0.05)
}

#[test]
fn the_peak_is_rahmans() {
    run(&Device::cpu()).unwrap();
}
