//! A Lennard-Jones liquid by neighbour lists: declared, moved and measured on the device.
//!
//! `cargo run --release --example liquid -- --device cuda:0 262144 2000 0.5` simulates 262144 molecules for
//! 2000 steps with a skin of 0.5. It prints the energy and the pressure, the time of a step, and
//! the times of the parts of the lists in some further steps.

use std::error::Error;
use std::fmt::{Display, Write as _};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::Instant;

use nbody::Sequence;
use nbody::prelude::*;

use arguments::{Arguments, Usage, count, end};

mod arguments;

/// Molecules, in units of their diameter, their mass and the depth of the potential.
#[nbody::interaction]
pub mod liquid {
    /// The force of the Lennard-Jones potential within a cutoff.
    pub struct Pull {
        /// The cutoff.
        pub cutoff: Real,
    }

    /// The potential energy and the virial within a cutoff.
    pub struct Press {
        /// The cutoff.
        pub cutoff: Real,
    }

    /// The position of a molecule.
    pub struct Site {
        /// Its position.
        pub pos: Point,
    }

    /// A molecule in motion.
    pub struct Molecule {
        /// Its position.
        pub pos: Point,
        /// Its velocity.
        pub vel: Vector,
    }

    /// The force on a molecule.
    pub struct Force {
        /// The force.
        pub force: Vector,
    }

    /// The contribution of a molecule to the energy and the virial.
    pub struct Share {
        /// The potential energy.
        pub pot: Real,
        /// The virial.
        pub virial: Real,
    }

    impl Interaction for Pull {
        type I = Site;
        type J = Site;
        type F = Force;

        fn cutoff(&self, _i: &Site, _j: &Site) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Site, j: &Site, f: &mut Force) {
            let d = i.pos - j.pos;
            let s2 = d.norm2().recip();
            let s6 = s2.powi(3);
            f.force += 24.0 * s2 * s6 * (2.0 * s6 - 1.0) * d;
        }
    }

    impl Interaction for Press {
        type I = Site;
        type J = Site;
        type F = Share;

        fn cutoff(&self, _i: &Site, _j: &Site) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Site, j: &Site, f: &mut Share) {
            let s6 = (i.pos - j.pos).norm2().recip().powi(3);
            f.pot += 2.0 * s6 * (s6 - 1.0);
            f.virial += 4.0 * s6 * (2.0 * s6 - 1.0);
        }
    }

    /// A step of the leapfrog integrator: velocities are half a step behind positions.
    pub struct Step {
        /// The step.
        pub dt: Real,
        /// The factor of velocities that keeps the temperature.
        pub scale: Real,
    }

    impl Update for Step {
        type P = Molecule;
        type F = Force;
        fn update(&self, p: &mut Molecule, f: &Force) {
            p.vel = self.scale * p.vel + self.dt * f.force;
            p.pos += self.dt * p.vel;
        }
    }

    /// The kinetic energy of all molecules.
    pub struct Heat;

    /// The kinetic energy.
    pub struct Kinetic {
        /// The kinetic energy.
        pub kinetic: Real,
    }

    impl Measure for Heat {
        type P = Molecule;
        type T = Kinetic;
        fn measure(&self, p: &Molecule, total: &mut Kinetic) {
            total.kinetic += 0.5 * p.vel.norm2();
        }
    }

    /// The potential energy and the virial of all molecules.
    pub struct Sum;

    impl Measure for Sum {
        type P = Molecule;
        type F = Share;
        type T = Share;
        fn measure(&self, _p: &Molecule, f: &Share, total: &mut Share) {
            total.pot += f.pot;
            total.virial += f.virial;
        }
    }
}
use liquid::{Heat, Molecule, Press, Pull, Step, Sum};

const DENSITY: f64 = 0.8442;
const CUTOFF: f64 = 2.5;
const TEMPERATURE: f64 = 1.0;
const DT: f64 = 0.005;
/// Steps until the liquid is in equilibrium.
const EQUILIBRATION: usize = 2000;
/// Steps between two scalings of the velocities.
const SCALING: usize = 20;
/// Measurements of a step; the median counts.
const RUNS: usize = 5;
/// Further steps, in which the parts of the lists are timed.
const TIMED: usize = 50;

fn main() -> ExitCode {
    let arguments = Arguments::read(Usage {
        name: "liquid",
        about: "Simulate a Lennard-Jones liquid by neighbour lists.",
        words: &[
            ["N", "the number of molecules [default: 4000]"],
            ["STEPS", "the number of steps, 5 or more [default: 1000]"],
            ["SKIN", "the skin of the lists [default: 0.5]"],
        ],
    });
    let size = arguments.parsed(|words| Size::of(words));
    end(run(&arguments, &size))
}

fn run(arguments: &Arguments, size: &Size) -> Result<(), Box<dyn Error>> {
    let device = arguments.device()?.unwrap_or_else(Device::best);
    print!("{}", simulate(&device, size)?);
    Ok(())
}

/// The number of molecules, the number of steps, and the skin.
pub struct Size {
    n: usize,
    steps: usize,
    skin: f64,
}

impl Size {
    /// Reads the numbers from arguments; 4000 molecules, 1000 steps and a skin of 0.5 if there are
    /// none.
    pub fn of(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let n = count(arguments.next(), "number of molecules", 4000, 1)?;
        let steps = count(arguments.next(), "number of steps", 1000, RUNS)?;
        let skin = number(arguments.next(), "skin", 0.5)?;
        Ok(Self { n, steps, skin })
    }
}

/// Reads a number of this name; `usual` if there is none.
fn number<T: FromStr<Err: Display>>(
    word: Option<String>,
    name: &str,
    usual: T,
) -> Result<T, String> {
    let Some(word) = word else { return Ok(usual) };
    word.parse().map_err(|error| format!("`{word}` is no {name}: {error}"))
}

/// Simulates the liquid on a device; returns a report.
pub fn simulate(device: &Device, size: &Size) -> Result<String, Box<dyn Error>> {
    let Size { n, steps, skin } = *size;
    let edge = (n as f64 / DENSITY).cbrt();
    let domain = Domain::periodic([edge; 3])?;
    let mut near =
        Neighbours::with_options(device, Skin::Length(skin), Options::default().domain(domain))?;
    let mut pull = ShortRange::new(device, Pull { cutoff: CUTOFF })?;
    let mut press = ShortRange::new(device, Press { cutoff: CUTOFF })?;
    let mut step = PerParticle::new(device, Step { dt: DT, scale: 1.0 })?;
    let mut heat = PerParticle::new(device, Heat)?;
    let mut sum = PerParticle::new(device, Sum)?;
    let mut molecules = near.upload(&lattice(n, edge))?;
    let mut force = pull.results(n)?;
    let mut share = press.results(n)?;
    let mut temperature = |molecules: &nbody::Particles<Molecule>| {
        Ok::<_, nbody::Error>(heat.measure(molecules, ())?.kinetic / (1.5 * n as f64))
    };

    let mut sequence = Sequence::new(device);
    let mut advance = |molecules: &mut nbody::Particles<Molecule>,
                       near: &mut Neighbours,
                       step: &mut PerParticle<Step>| {
        sequence.run(|| {
            near.update(molecules, &[&pull])?;
            pull.evaluate_over(near, molecules, &mut force)?;
            step.update(molecules, &force)
        })
    };
    for k in 0..EQUILIBRATION {
        let scale =
            if k % SCALING == 0 { (TEMPERATURE / temperature(&molecules)?).sqrt() } else { 1.0 };
        step.set_parameters(Step { dt: DT, scale });
        advance(&mut molecules, &mut near, &mut step)?;
    }
    step.set_parameters(Step { dt: DT, scale: 1.0 });
    let rebuilds = near.rebuilds()?;
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        for _ in 0..steps / RUNS {
            advance(&mut molecules, &mut near, &mut step)?;
        }
        temperature(&molecules)?;
        times.push(start.elapsed().as_secs_f64() / (steps / RUNS) as f64);
    }
    let rebuilds = near.rebuilds()? - rebuilds;
    times.sort_by(f64::total_cmp);
    near.set_timed(true);
    for _ in 0..TIMED {
        advance(&mut molecules, &mut near, &mut step)?;
    }
    let parts = near.stats()?.times;
    near.set_timed(false);

    let now = temperature(&molecules)?;
    near.update(&molecules, &[&pull, &press])?;
    press.evaluate_over(&near, &molecules, &mut share)?;
    let total = sum.measure(&molecules, &share)?;
    let per_molecule = 1.0 / n as f64;
    let mut report = format!("{n} molecules on {device}, skin {skin}: T {now:.4}\n");
    let pressure = DENSITY * (now + total.virial * per_molecule);
    writeln!(report, "U/N {:.4}, p {pressure:.4}", total.pot * per_molecule)?;
    let [fastest, median, slowest] = [0, RUNS / 2, RUNS - 1].map(|k| times[k] * 1e3);
    write!(report, "a step {median:.4} ms ({fastest:.4} to {slowest:.4}), ")?;
    write!(report, "{} steps between rebuilds, ", steps / rebuilds.max(1) as usize)?;
    writeln!(report, "{:.2e} steps of molecules a second", n as f64 / times[RUNS / 2])?;
    if let Some(parts) = parts {
        writeln!(report, "{TIMED} steps more, by the parts of the lists:\n{parts}")?;
    }
    Ok(report)
}

/// Returns molecules on a cubic lattice, each with a different velocity.
fn lattice(n: usize, edge: f64) -> Vec<Molecule> {
    let cells = (1..=n).find(|cells| cells.pow(3) >= n).unwrap_or(1);
    let spacing = edge / cells as f64;
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let molecule = |k: usize| {
        let at = [k % cells, k / cells % cells, k / cells / cells].map(|k| k as f64 * spacing);
        Molecule { pos: Point(at), vel: Vector([random(), random(), random()]) }
    };
    (0..n).map(molecule).collect()
}
