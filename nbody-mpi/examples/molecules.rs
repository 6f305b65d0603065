//! A liquid of chain molecules over ranks: harmonic bonds between three atoms, and the Lennard-Jones
//! interaction between atoms that are not bonded, by neighbour lists.
//!
//! `cargo run --release -p nbody-mpi --example molecules -- 2 cuda 3145728 500 0.7` simulates 3145728
//! atoms for 500 steps with a skin of 0.7 on two GPUs of this host, a thread for each; with `mpi` in
//! place of `2`, each process that `mpirun` starts is a rank. With `cpu` in place of `cuda` the ranks
//! share the cores. It prints the energy and its drift, the time of a step, and the times of the parts
//! of the lists of the first rank in some further steps.

use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::time::Instant;

use launch::{Launch, number};
use nbody::prelude::*;
use nbody::{Csr, Particles, Results, Sequence};

mod launch;

/// Atoms, in units of their diameter, their mass and the depth of the potential.
#[nbody::interaction]
pub mod chains {
    /// The Lennard-Jones interaction, with the potential shifted to zero at the cutoff.
    pub struct Contact {
        /// The cutoff.
        pub cutoff: Real,
    }

    /// A harmonic bond.
    pub struct Bond {
        /// The stiffness.
        pub stiffness: Real,
        /// The length at rest.
        pub length: Real,
    }

    /// The position of an atom.
    pub struct Site {
        /// Its position.
        pub pos: Point,
    }

    /// An atom in motion.
    pub struct Atom {
        /// Its position.
        pub pos: Point,
        /// Its velocity, half a step behind the position.
        pub vel: Vector,
    }

    /// The sums of an atom over its pairs.
    pub struct Acting {
        /// The force.
        pub force: Vector,
        /// Its share of the potential energy.
        pub pot: Real,
    }

    impl Interaction for Contact {
        type I = Site;
        type J = Site;
        type F = Acting;

        fn cutoff(&self, _i: &Site, _j: &Site) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Site, j: &Site, f: &mut Acting) {
            let d = i.pos - j.pos;
            let s2 = d.norm2().recip();
            let s6 = s2.powi(3);
            let c6 = self.cutoff.powi(6).recip();
            f.force += 24.0 * s2 * s6 * (2.0 * s6 - 1.0) * d;
            f.pot += 2.0 * (s6 * (s6 - 1.0) - c6 * (c6 - 1.0));
        }
    }

    impl Interaction for Bond {
        type I = Site;
        type J = Site;
        type F = Acting;

        fn pair(&self, i: &Site, j: &Site, f: &mut Acting) {
            let d = j.pos - i.pos;
            let r = d.norm();
            let stretch = r - self.length;
            f.force += self.stiffness * stretch / r * d;
            f.pot += 0.25 * self.stiffness * stretch * stretch;
        }
    }

    /// A step of the leapfrog integrator.
    pub struct Step {
        /// The step.
        pub dt: Real,
        /// The factor of velocities that keeps the temperature.
        pub scale: Real,
    }

    impl Update for Step {
        type P = Atom;
        type F = Acting;
        fn update(&self, p: &mut Atom, f: &Acting) {
            p.vel = self.scale * p.vel + self.dt * f.force;
            p.pos += self.dt * p.vel;
        }
    }

    /// The energy of all atoms.
    pub struct Energy {
        /// Half of the step, by which velocities are behind.
        pub behind: Real,
    }

    /// The energies of all atoms.
    pub struct Energies {
        /// The kinetic energy.
        pub kinetic: Real,
        /// The potential energy.
        pub pot: Real,
    }

    impl Measure for Energy {
        type P = Atom;
        type F = Acting;
        type T = Energies;
        fn measure(&self, p: &Atom, f: &Acting, total: &mut Energies) {
            total.kinetic += 0.5 * (p.vel + self.behind * f.force).norm2();
            total.pot += f.pot;
        }
    }
}
use chains::{Acting, Atom, Bond, Contact, Energies, Energy, Step};

/// The atoms of a molecule.
const ATOMS: usize = 3;
/// The number of atoms in a unit of volume.
const DENSITY: f64 = 0.8442;
const CUTOFF: f64 = 2.5;
const BOND: Bond = Bond { stiffness: 400.0, length: 1.0 };
const TEMPERATURE: f64 = 1.0;
const DT: f64 = 0.004;
/// Steps until the liquid is in equilibrium.
const EQUILIBRATION: usize = 2000;
/// Steps between two scalings of the velocities.
const SCALING: usize = 20;
/// Measurements of a step; the median counts.
const RUNS: usize = 5;
/// Further steps, in which the parts of the lists are timed.
const TIMED: usize = 50;

fn main() -> ExitCode {
    launch::end(run(std::env::args().skip(1)))
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let launch = Launch::of(&mut arguments)?;
    let n = number(&mut arguments, "number of atoms", 3000)?;
    let steps = number(&mut arguments, "number of steps", 1000)?;
    let skin = number(&mut arguments, "skin", 0.5)?;
    if let Some(more) = arguments.next() {
        return Err(format!("`{more}`: expected RANKS DEVICE ATOMS STEPS SKIN").into());
    }
    if n == 0 || n % ATOMS != 0 {
        return Err(format!("{n} atoms: expected a multiple of {ATOMS}, whole molecules").into());
    }
    if steps < RUNS {
        return Err(format!("{steps} steps: expected at least {RUNS}").into());
    }
    launch.run(|device| simulate(device, (n, steps, skin)))
}

/// The engines of the liquid, and its results.
struct Liquid {
    near: Neighbours,
    bonded: Neighbours,
    contact: ShortRange<Contact>,
    bond: ShortRange<Bond>,
    step: PerParticle<Step>,
    energy: PerParticle<Energy>,
    atoms: Particles<Atom>,
    acting: Results<Acting>,
}

impl Liquid {
    fn new(device: &Device, n: usize, skin: f64) -> Result<Self, nbody::Error> {
        let edge = (n as f64 / DENSITY).cbrt();
        let options = Options::default().domain(Domain::periodic([edge; 3])?);
        let bonds: Vec<_> =
            (1..n as u32).filter(|k| !k.is_multiple_of(ATOMS as u32)).map(|k| [k - 1, k]).collect();
        let mut near = Neighbours::with_options(device, Skin::Length(skin), options)?;
        near.exclude(&bonds);
        let contact = ShortRange::new(device, Contact { cutoff: CUTOFF })?;
        Ok(Self {
            bonded: Neighbours::with_options(device, Csr::from_pairs(n, &bonds)?, options)?,
            bond: ShortRange::new(device, BOND)?,
            step: PerParticle::new(device, Step { dt: DT, scale: 1.0 })?,
            energy: PerParticle::new(device, Energy { behind: 0.5 * DT })?,
            atoms: near.upload(&atoms(n, edge))?,
            acting: contact.results(n)?,
            near,
            contact,
        })
    }

    /// Evaluates all pairs at the present positions.
    fn evaluate(&mut self) -> Result<(), nbody::Error> {
        let Self { near, bonded, contact, bond, atoms, acting, .. } = self;
        near.update(atoms, &[&*contact])?;
        bonded.update(atoms, &[&*bond])?;
        contact.evaluate_over(near, atoms, acting)?;
        bond.add_over(bonded, atoms, acting)
    }

    /// Takes a step, with velocities scaled by a factor.
    fn advance(&mut self, sequence: &mut Sequence, scale: f64) -> Result<(), nbody::Error> {
        self.step.set_parameters(Step { dt: DT, scale });
        sequence.run(|| {
            self.evaluate()?;
            self.step.update(&mut self.atoms, &self.acting)
        })
    }

    /// Returns the kinetic and the potential energy of an atom, at the present positions.
    fn energies(&mut self) -> Result<[f64; 2], nbody::Error> {
        self.evaluate()?;
        let Energies { kinetic, pot } = self.energy.measure(&self.atoms, &self.acting)?;
        Ok([kinetic, pot].map(|energy| energy / self.atoms.len() as f64))
    }
}

/// Simulates the liquid on a device; returns a report.
fn simulate(
    device: &Device,
    (n, steps, skin): (usize, usize, f64),
) -> Result<String, Box<dyn Error>> {
    let mut liquid = Liquid::new(device, n, skin)?;
    let mut sequence = Sequence::new(device);
    for k in 0..EQUILIBRATION {
        let is_scaled = k.is_multiple_of(SCALING);
        let scale =
            if is_scaled { (1.5 * TEMPERATURE / liquid.energies()?[0]).sqrt() } else { 1.0 };
        liquid.advance(&mut sequence, scale)?;
    }
    let (before, rebuilds) = (liquid.energies()?, liquid.near.rebuilds()?);
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        for _ in 0..steps / RUNS {
            liquid.advance(&mut sequence, 1.0)?;
        }
        liquid.energy.measure(&liquid.atoms, &liquid.acting)?; // waits for the device
        times.push(start.elapsed().as_secs_f64() * 1e3 / (steps / RUNS) as f64);
    }
    let rebuilds = liquid.near.rebuilds()? - rebuilds;
    let after = liquid.energies()?;
    times.sort_by(f64::total_cmp);
    liquid.near.set_timed(true);
    for _ in 0..TIMED {
        liquid.advance(&mut sequence, 1.0)?;
    }

    let mut report = format!("{n} atoms on {device}, skin {skin}: T {:.4}\n", after[0] / 1.5);
    let [before, total] = [before, after].map(|[kinetic, pot]| kinetic + pot);
    write!(report, "energy of an atom {total:.6}, drift {:.1e} ", total - before)?;
    writeln!(report, "in {steps} steps")?;
    let [fastest, median, slowest] = [times[0], times[RUNS / 2], times[RUNS - 1]];
    write!(report, "a step {median:.4} ms ({fastest:.4} to {slowest:.4}), ")?;
    writeln!(
        report,
        "{rebuilds} rebuilds, {:.2e} steps of atoms a second",
        n as f64 / median * 1e3
    )?;
    if let Some(parts) = liquid.near.stats()?.times {
        writeln!(report, "{TIMED} steps more, by the parts of the lists:\n{parts}")?;
    }
    Ok(report)
}

/// Returns atoms along a path through a cubic lattice, on which atoms of a molecule are neighbours,
/// each with a different velocity.
fn atoms(n: usize, edge: f64) -> Vec<Atom> {
    let cells = (1..=n).find(|cells| cells.pow(3) >= n).unwrap_or(1);
    let spacing = edge / cells as f64;
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    // Every other row, and every other layer of rows, is passed backwards.
    let along = |k: usize| {
        let (at, round) = (k % cells, k / cells);
        if round.is_multiple_of(2) { at } else { cells - 1 - at }
    };
    let atom = |k: usize| {
        let at = [along(k), along(k / cells), k / cells / cells].map(|k| k as f64 * spacing);
        Atom { pos: Point(at), vel: Vector([random(), random(), random()]) }
    };
    (0..n).map(atom).collect()
}
