//! A gas by smoothed particle hydrodynamics in a periodic box: each step builds the lists and
//! computes densities and forces, all on the device.
//!
//! `cargo run --release --example gas -- --device cuda:0 1e6 100` simulates a million particles of 60
//! neighbours for 100 steps. It prints the conserved quantities, the time of a step, and the times
//! of the parts of the lists in some further steps.

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use nbody::prelude::*;
use nbody::{Particles, Sequence};

use arguments::{Arguments, Usage, count, end};

mod arguments;

/// An isothermal gas: densities, and accelerations that conserve momentum (Springel & Hernquist
/// 2002, Mon. Not. R. Astron. Soc. 333, 649; the viscosity of Monaghan 1997, J. Comput. Phys. 136,
/// 298).
#[nbody::interaction]
pub mod gas {
    /// The density at a particle of the gas.
    pub struct Sum;

    /// The acceleration by pressure and viscosity.
    pub struct Push {
        /// The strength of the viscosity.
        pub alpha: Real,
        /// The speed of sound.
        pub sound: Real,
    }

    /// A position with a smoothing length.
    pub struct Target {
        /// Its position.
        pub pos: Point,
        /// Its smoothing length.
        pub h: Real,
    }

    /// A mass at a position.
    pub struct Source {
        /// Its position.
        pub pos: Point,
        /// Its mass.
        pub mass: Real,
    }

    /// A density and its derivative.
    pub struct Density {
        /// The density.
        pub density: Real,
        /// The derivative of the density by the smoothing length.
        pub by_h: Real,
    }

    /// A particle of the gas.
    pub struct Parcel {
        /// Its position.
        pub pos: Point,
        /// Its velocity.
        pub vel: Vector,
        /// Its mass.
        pub mass: Real,
        /// Its smoothing length.
        pub h: Real,
        /// Its density.
        pub density: Real,
        /// P/(Ω ρ²), from pressure, gradient correction and density.
        pub p: Real,
    }

    /// An acceleration.
    pub struct Acceleration {
        /// The acceleration.
        pub acc: Vector,
    }

    const NORM: Real = 1.0 / core::f64::consts::PI;

    /// The cubic spline w(q), for q up to 2.
    fn weight(q: Real) -> Real {
        if q < 1.0 {
            return 1.0 - q * q * (1.5 - 0.75 * q);
        }
        0.25 * (2.0 - q).max(0.0).powi(3)
    }

    /// w′(q)/q.
    fn slope(q: Real) -> Real {
        if q < 1.0 {
            return 2.25 * q - 3.0;
        }
        -0.75 * (2.0 - q).max(0.0).powi(2) / q
    }

    /// The factor of the difference of positions in the gradient of the smoothing kernel.
    fn gradient(r: Real, h: Real) -> Real {
        let inverse = 1.0 / h;
        NORM * slope(r * inverse) * inverse.powi(5)
    }

    impl Interaction for Sum {
        type I = Target;
        type J = Source;
        type F = Density;
        const SELF_PAIRS: bool = true;

        fn cutoff(&self, i: &Target, _j: &Source) -> Real {
            2.0 * i.h
        }

        fn pair(&self, i: &Target, j: &Source, f: &mut Density) {
            let inverse = 1.0 / i.h;
            let q = (i.pos - j.pos).norm() * inverse;
            let scale = NORM * j.mass * inverse.powi(3);
            let w = weight(q);
            f.density += scale * w;
            f.by_h -= scale * inverse * (3.0 * w + q * q * slope(q));
        }
    }

    impl Interaction for Push {
        type I = Parcel;
        type J = Parcel;
        type F = Acceleration;

        fn cutoff(&self, i: &Parcel, j: &Parcel) -> Real {
            2.0 * i.h.max(j.h)
        }

        fn pair(&self, i: &Parcel, j: &Parcel, f: &mut Acceleration) {
            let d = i.pos - j.pos;
            let r = d.norm();
            let gradient_i = gradient(r, i.h);
            let gradient_j = gradient(r, j.h);
            let dv = d.dot(i.vel - j.vel);
            let mut viscosity = 0.0;
            if dv < 0.0 {
                let w = dv / r;
                let signal = 2.0 * self.sound - 3.0 * w;
                viscosity = -self.alpha * w * signal / (i.density + j.density);
            }
            let viscous = 0.5 * viscosity * (gradient_i + gradient_j);
            f.acc -= j.mass * (i.p * gradient_i + j.p * gradient_j + viscous) * d;
        }
    }

    /// The equation of state.
    pub struct State {
        /// The speed of sound.
        pub sound: Real,
    }

    impl Update for State {
        type P = Parcel;
        type F = Density;
        fn update(&self, p: &mut Parcel, f: &Density) {
            let correction = 1.0 + p.h / (3.0 * f.density) * f.by_h;
            p.density = f.density;
            p.p = self.sound * self.sound / (correction * f.density);
        }
    }

    /// A step of the leapfrog integrator, with velocities half a step behind positions. It also
    /// adapts the smoothing lengths, so that each encloses the same mass.
    pub struct Step {
        /// The step.
        pub dt: Real,
        /// The smoothing length for unit mass and unit density.
        pub eta: Real,
    }

    impl Update for Step {
        type P = Parcel;
        type F = Acceleration;
        fn update(&self, p: &mut Parcel, f: &Acceleration) {
            p.vel += self.dt * f.acc;
            p.pos += self.dt * p.vel;
            p.h = self.eta * (p.mass / p.density).cbrt();
        }
    }

    /// The momentum and the kinetic energy of all particles.
    pub struct Motion;

    /// A momentum and an energy.
    pub struct Moved {
        /// The momentum.
        pub momentum: Vector,
        /// The kinetic energy.
        pub kinetic: Real,
    }

    impl Measure for Motion {
        type P = Parcel;
        type T = Moved;
        fn measure(&self, p: &Parcel, total: &mut Moved) {
            total.momentum += p.mass * p.vel;
            total.kinetic += 0.5 * p.mass * p.vel.norm2();
        }
    }
}
use gas::{Motion, Parcel, Push, State, Step, Sum};

const NEIGHBOURS: f64 = 60.0;
const SOUND: f64 = 1.0;
const ALPHA: f64 = 1.0;
/// Length of a step, as a fraction of the time in which sound crosses a smoothing length.
const COURANT: f64 = 0.1;
const REPETITIONS: usize = 5;
/// Further steps, in which the parts of the lists are timed.
const TIMED: usize = 50;

fn main() -> ExitCode {
    let arguments = Arguments::read(Usage {
        name: "gas",
        about: "Simulate a gas by smoothed particle hydrodynamics in a periodic box.",
        words: &[
            ["N", "the number of particles [default: 8000]"],
            ["STEPS", "the number of steps, 5 or more [default: 20]"],
        ],
    });
    let size = arguments.parsed(|words| {
        let n = count(words.next(), "number of particles", 8000, 1)?;
        Ok((n, count(words.next(), "number of steps", 20, REPETITIONS)?))
    });
    end(run(size, &arguments))
}

fn run((n, steps): (usize, usize), arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    let device = arguments.device()?.unwrap_or_else(Device::best);

    // Spheres of radius 2h around particles of unit density and mass have this many neighbours.
    let eta = (NEIGHBOURS * 3.0 / (32.0 * std::f64::consts::PI)).cbrt();
    let h = eta * (n as f64).cbrt().recip();
    // Without a skin, any motion of the particles makes the device rebuild the lists.
    let mut near = Neighbours::with_options(
        &device,
        Skin::Length(0.0),
        Options::default().domain(Domain::periodic([1.0; 3])?),
    )?;
    let mut sum = ShortRange::new(&device, Sum)?;
    let mut push = ShortRange::new(&device, Push { alpha: ALPHA, sound: SOUND })?;
    let mut state = PerParticle::new(&device, State { sound: SOUND })?;
    let mut step = PerParticle::new(&device, Step { dt: COURANT * h / SOUND, eta })?;
    let mut motion = PerParticle::new(&device, Motion)?;
    let mut parcels = near.upload(&parcels(n, h))?;
    let mut density = sum.results(n)?;
    let mut acceleration = push.results(n)?;

    let mut sequence = Sequence::new(&device);
    let mut advance = |near: &mut Neighbours, parcels: &mut Particles<Parcel>| {
        sequence.run(|| {
            near.update(parcels, &[&sum, &push])?;
            sum.evaluate_over(near, parcels, &mut density)?;
            state.update(parcels, &density)?;
            push.evaluate_over(near, parcels, &mut acceleration)?;
            step.update(parcels, &acceleration)
        })
    };
    let before = motion.measure(&parcels, ())?;
    for _ in 0..steps / REPETITIONS {
        advance(&mut near, &mut parcels)?;
    }
    let rebuilds = near.rebuilds()?;
    let mut times = Vec::new();
    for _ in 0..REPETITIONS {
        let start = Instant::now();
        for _ in 0..steps / REPETITIONS {
            advance(&mut near, &mut parcels)?;
        }
        motion.measure(&parcels, ())?;
        times.push(start.elapsed().as_secs_f64() / (steps / REPETITIONS) as f64);
    }
    times.sort_by(f64::total_cmp);

    let after = motion.measure(&parcels, ())?;
    let rebuilds = near.rebuilds()? - rebuilds;
    let stats = near.stats()?;
    println!(
        "{n} particles on {device}: {rebuilds} rebuilds in {steps} steps, {:.1} neighbours",
        stats.neighbours
    );
    println!(
        "kinetic energy {:.3e} to {:.3e}, momentum {:.1e} to {:.1e}",
        before.kinetic,
        after.kinetic,
        before.momentum.norm(),
        after.momentum.norm()
    );
    println!(
        "a step {:.4} ms ({:.4} to {:.4}), {:.0} M particles a second",
        times[2] * 1e3,
        times[0] * 1e3,
        times[REPETITIONS - 1] * 1e3,
        n as f64 / times[2] * 1e-6
    );
    near.set_timed(true);
    for _ in 0..TIMED {
        advance(&mut near, &mut parcels)?;
    }
    if let Some(parts) = near.stats()?.times {
        println!("{TIMED} steps more, by the parts of the lists:\n{parts}");
    }
    Ok(())
}

/// Returns particles of equal mass near the points of a lattice, with a standing wave of
/// velocities.
fn parcels(n: usize, h: f64) -> Vec<Parcel> {
    let cells = (1..=n).find(|cells| cells.pow(3) >= n).unwrap_or(1);
    let spacing = 1.0 / cells as f64;
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    let parcel = |k: usize| {
        let at = [k % cells, k / cells % cells, k / cells / cells];
        let at = at.map(|k| (k as f64 + 0.5 + 0.3 * random()) * spacing);
        let wave = 0.1 * SOUND * (2.0 * std::f64::consts::PI * at[0]).sin();
        let (pos, vel) = (Point(at), Vector([wave, 0.0, 0.0]));
        Parcel { pos, vel, mass: 1.0 / n as f64, h, density: 1.0, p: 1.0 }
    };
    (0..n).map(parcel).collect()
}
