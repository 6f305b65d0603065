//! Thermostats.

use nbody::prelude::*;
use nbody_interactions::langevin::{Baoa, Kick, Mover, Thermostat};

use crate::near;

/// Two masses, one after the other.
const MASSES: [f64; 2] = [1.0, 4.0];
const FRICTION: f64 = 0.8;
const TEMPERATURE: f64 = 1.5;

fn thermostat(dt: f64, seed: u32, step: u32) -> Thermostat {
    Thermostat { friction: FRICTION, temperature: TEMPERATURE, dt, seed, step }
}

/// Returns the velocities of particles that began with this one.
fn after(program: Thermostat, n: u32, vel: Vector) -> Vec<Vector> {
    let device = Device::cpu();
    let mover = |id| Mover { vel, mass: MASSES[id as usize % 2], id };
    let mut movers =
        device.upload(&(0..n).map(mover).collect::<Vec<_>>(), Precision::Double).unwrap();
    PerParticle::new(&device, program).unwrap().update(&mut movers, ()).unwrap();
    movers.download_field("vel").unwrap()
}

/// Friction and noise of free particles: the mean is v exp(−γt) and the variance (1 − exp(−2γt)) kT/m
/// (Uhlenbeck & Ornstein 1930, Phys. Rev. 36, 823), each component by itself, within four standard
/// errors; noise of other steps and seeds is independent. Without friction nothing changes.
///
/// Fails with `keep` for `keep * keep`, with `+ keep * keep`, without `/ p.mass`, without `self.dt` or
/// the sign in the exponent, with equal noise of two components, without `id`, `step` or `seed`, and
/// with `random`.
#[test]
fn free_particles_lose_and_gain_velocity() {
    const N: u32 = 20000;
    let (dt, vel) = (0.9, Vector::new(1.0, -2.0, 0.5));
    let found = after(thermostat(dt, 1, 0), N, vel);
    let keep = (-FRICTION * dt).exp();
    let others = [(1, 1), (2, 0), (0, 1)].map(|(s, k)| after(thermostat(dt, s, k), N, vel));
    for (k, mass) in MASSES.into_iter().enumerate() {
        let spread = ((1.0 - (-2.0 * FRICTION * dt).exp()) * TEMPERATURE / mass).sqrt();
        let noise = |found: &[Vector]| -> Vec<[f64; 3]> {
            let of_mass = found.iter().skip(k).step_by(2);
            of_mass.map(|v| std::array::from_fn(|x| (v[x] - keep * vel[x]) / spread)).collect()
        };
        let one = noise(&found);
        let n = one.len() as f64;
        let mean = |f: &dyn Fn(&[f64; 3]) -> f64| one.iter().map(f).sum::<f64>() / n;
        for x in 0..3 {
            near(mean(&|v| v[x]), 0.0, 1.0, 4.0 / n.sqrt());
            near(mean(&|v| v[x] * v[x]), 1.0, 1.0, 4.0 * (2.0 / n).sqrt());
            near(mean(&|v| v[x] * v[(x + 1) % 3]), 0.0, 1.0, 4.0 / n.sqrt());
            near(mean(&|v| v[x].powi(4)), 3.0, 1.0, 4.0 * (96.0 / n).sqrt());
            for other in &others {
                let products = one.iter().zip(noise(other)).map(|(v, w)| v[x] * w[x]);
                near(products.sum::<f64>() / n, 0.0, 1.0, 4.0 / n.sqrt());
            }
        }
        // Neighbouring numbers have independent noise.
        let products = one.iter().zip(&one[1..]).map(|(v, w)| v[0] * w[0]);
        near(products.sum::<f64>() / n, 0.0, 1.0, 4.0 / n.sqrt());
    }
    assert_eq!(after(thermostat(0.0, 1, 0), 9, vel), [vel; 9]);
    let heated = after(Thermostat { friction: 0.0, ..thermostat(dt, 1, 0) }, 9, vel);
    assert_eq!(heated, [vel; 9]);
}

#[nbody::interaction]
mod springs {
    /// A spring to an anchor.
    pub struct Spring {
        pub stiffness: Real,
    }
    pub struct Anchor {
        pub pos: Point,
    }
    /// A particle in another order, with more fields.
    pub struct Ball {
        pub id: u32,
        pub colour: u32,
        pub mass: Real,
        pub vel: Vector,
        pub pos: Point,
    }
    pub struct Pull {
        pub pot: Real,
        pub force: Vector,
    }

    impl Interaction for Spring {
        type I = Ball;
        type J = Anchor;
        type F = Pull;

        fn pair(&self, i: &Ball, j: &Anchor, f: &mut Pull) {
            let d = j.pos - i.pos;
            f.force += self.stiffness * d;
            f.pot += 0.5 * self.stiffness * d.norm2();
        }
    }
}
use springs::{Anchor, Ball, Spring};

/// Harmonic oscillators with a step of 1/ω, from rest: BAOAB gives their positions the exact variance
/// kT / mω² and their velocities (1 − (ωΔt/2)²) kT / m (Leimkuhler & Matthews 2013), within four
/// standard errors. In another order of the parts one of them is off by a quarter or more.
///
/// Fails with `before + before` or `after + after`, with a factor other than 0.5 in each of its three
/// places, and without one `/ p.mass`.
#[test]
fn oscillators_have_the_temperature() {
    const N: u32 = 4000;
    const SAMPLES: u32 = 6;
    /// Steps from one sample to the next, whose correlation is below 0.01.
    const APART: u32 = 8;
    let (dt, stiffness, mass) = (1.0, 2.25, 2.25);
    let device = Device::cpu();
    let options = Options::default().precision(Precision::Double);
    let mut spring = AllPairs::with_options(&device, Spring { stiffness }, options).unwrap();
    let ball = |id| Ball { id, mass, ..Ball::default() };
    let mut balls = spring.upload(&(0..N).map(ball).collect::<Vec<Ball>>()).unwrap();
    let anchor = spring.upload(&[Anchor::<f64>::default()]).unwrap();
    let mut pulls = spring.results(balls.len()).unwrap();
    let baoa = |step| Baoa { friction: FRICTION, temperature: TEMPERATURE, dt, seed: 1, step };
    let mut begin = PerParticle::new(&device, baoa(0)).unwrap();
    let mut end = PerParticle::new(&device, Kick { dt }).unwrap();
    let mut squares = [0.0; 2];
    spring.evaluate_into(&balls, &anchor, &mut pulls).unwrap();
    for step in 0..(4 + SAMPLES) * APART {
        begin.set_parameters(baoa(step));
        begin.update_by_name(&mut balls, &pulls).unwrap();
        spring.evaluate_into(&balls, &anchor, &mut pulls).unwrap();
        end.update_by_name(&mut balls, &pulls).unwrap();
        if step >= 4 * APART && (step + 1) % APART == 0 {
            let found: Vec<Ball> = balls.download().unwrap();
            let origin = Point([0.0; 3]);
            squares[0] += found.iter().map(|ball| (ball.pos - origin).norm2()).sum::<f64>();
            squares[1] += found.iter().map(|ball| ball.vel.norm2()).sum::<f64>();
        }
    }
    let all = f64::from(3 * N * SAMPLES);
    let [positions, velocities] = squares.map(|sum| sum / all);
    let tolerance = 4.0 * (2.0 / all).sqrt();
    near(positions * stiffness / TEMPERATURE, 1.0, 1.0, tolerance);
    near(velocities * mass / TEMPERATURE, 0.75, 0.75, tolerance);
}
