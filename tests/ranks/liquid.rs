//! A liquid of constant energy over ranks.

use nbody::prelude::*;
use nbody::{Neighbours, ShortRange};
use nbody_interactions::lennard_jones::SwitchedLennardJones;
use nbody_mpi::threads;
use nbody_tests::contacts::Random;

use super::over;
use motion::{Atom, Drift, Energy, Kick, Sums};

#[nbody::interaction]
mod motion {
    pub struct Atom {
        pub pos: Point,
        pub kind: u32,
        pub vel: Vector,
    }
    /// The results of the interaction.
    pub struct Acting {
        pub force: Vector,
        pub pot: Real,
        pub virial: Real,
    }
    pub struct Kick {
        pub dt: Real,
    }
    impl Update for Kick {
        type P = Atom;
        type F = Acting;
        fn update(&self, p: &mut Atom, f: &Acting) {
            p.vel += self.dt * f.force;
        }
    }
    pub struct Drift {
        pub dt: Real,
    }
    impl Update for Drift {
        type P = Atom;
        fn update(&self, p: &mut Atom) {
            p.pos += self.dt * p.vel;
        }
    }
    pub struct Sums {
        pub energy: Real,
        pub momentum: Vector,
    }
    pub struct Energy {
        pub half: Real,
    }
    impl Measure for Energy {
        type P = Atom;
        type F = Acting;
        type T = Sums;
        fn measure(&self, p: &Atom, f: &Acting, t: &mut Sums) {
            t.energy += self.half * (p.vel.norm2() + f.pot);
            t.momentum += p.vel;
        }
    }
}

/// Atoms on the lattice of a crystal, in a box of this length, with velocities whose sum is 0.
fn crystal(cells: u32, length: f64) -> Vec<Atom> {
    let (edge, mut random) = (length / f64::from(cells), Random(1));
    let mut atoms = Vec::new();
    for cell in 0..cells.pow(3) {
        let cell = [cell % cells, cell / cells % cells, cell / (cells * cells)];
        for at in [[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]] {
            let pos = [0, 1, 2].map(|axis| (f64::from(cell[axis]) + at[axis] + 0.25) * edge);
            let vel = [0; 3].map(|_| 2.0 * random.around(1024));
            atoms.push(Atom { pos: Point(pos), kind: 0, vel: Vector(vel) });
        }
    }
    let n = atoms.len() as f64;
    let mean = atoms.iter().fold(Vector([0.0; 3]), |sum, atom| sum + (1.0 / n) * atom.vel);
    for atom in &mut atoms {
        atom.vel -= mean;
    }
    atoms
}

/// Runs the liquid; returns the energies and the greatest momentum.
fn run(device: &Device, steps: usize, every: usize) -> Vec<(f64, f64)> {
    let (cells, dt) = (4, 0.002);
    let length = f64::from(cells) * (4.0_f64 / 0.8).cbrt();
    let domain = Domain::periodic([length; 3]).unwrap();
    let options = Options::default().precision(Precision::Double);
    let law = SwitchedLennardJones {
        sigma2: [[1.0; 4]; 4],
        epsilon: [[1.0; 4]; 4],
        switch: 1.75,
        cutoff: 2.25,
    };
    let mut lists = Neighbours::with_options(device, Skin::Auto, options.domain(domain)).unwrap();
    let mut law = ShortRange::with_options(device, law, options).unwrap();
    let mut kick = PerParticle::new(device, Kick { dt: 0.5 * dt }).unwrap();
    let mut drift = PerParticle::new(device, Drift { dt }).unwrap();
    let mut energy = PerParticle::new(device, Energy { half: 0.5 }).unwrap();
    drift.set_domain(domain).unwrap();
    drift.set_wrap(true);
    let atoms = crystal(cells, length);
    let mut atoms = device.upload(&atoms, options.precision).unwrap();
    let mut forces = law.results(atoms.len()).unwrap();
    lists.update(&atoms, &[&law]).unwrap();
    law.evaluate_over(&lists, &atoms, &mut forces).unwrap();
    let mut found = Vec::new();
    for step in 0..=steps {
        if step % every == 0 {
            let Sums { energy, momentum } = energy.measure_by_name(&atoms, &forces).unwrap();
            found.push((energy, momentum.norm2().sqrt()));
        }
        kick.update_by_name(&mut atoms, &forces).unwrap();
        drift.update(&mut atoms, ()).unwrap();
        lists.update(&atoms, &[&law]).unwrap();
        law.evaluate_over(&lists, &atoms, &mut forces).unwrap();
        kick.update_by_name(&mut atoms, &forces).unwrap();
    }
    assert!(lists.rebuilds().unwrap() > steps as u64 / 100, "atoms migrate");
    found
}

/// The energy stays as constant over ranks as on the device alone, for 10⁴ steps, and the forces of
/// both directions of each pair cancel.
#[test]
fn the_energy_of_a_liquid_is_constant() {
    let (steps, every) = if nbody_tests::is_quick() { (1000, 50) } else { (10_000, 500) };
    let alone = run(&Device::cpu(), steps, every);
    let start = alone[0].0;
    let drift = |found: &[(f64, f64)]| {
        let drifts = found.iter().map(|(energy, _)| ((energy - start) / start).abs());
        drifts.fold(0.0, f64::max)
    };
    let limit = 1.5 * drift(&alone);
    assert!(limit > 0.0 && limit < 1e-3, "{limit:e}");
    for found in threads(3, |all| run(&over(all, &Device::cpu()), steps, every)) {
        assert!(drift(&found) < limit, "{:e}, limit {limit:e}", drift(&found));
        assert!(found.iter().all(|(_, momentum)| *momentum < 1e-9), "{found:?}");
        assert!((found[0].0 / start - 1.0).abs() < 1e-13);
    }
}
