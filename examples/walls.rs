//! An ideal gas in a box of six walls, which are a second set: its pressure is 2/3 of its energy density.
//!
//! `cargo run --release --example walls [-- --device NAME]`

use std::{error::Error, process::ExitCode};

use nbody::prelude::*;

use arguments::{judge, on_device};

mod arguments;

#[rustfmt::skip]
#[nbody::interaction]
mod gas {
    pub struct Atom { pub pos: Point, pub vel: Vector }
    pub struct Wall { pub pos: Point, pub normal: Vector }
    pub struct Push { pub force: Vector }

    /// Walls are springs that push atoms behind them back.
    pub struct Bounce { pub stiffness: Real }
    impl Interaction for Bounce {
        type I = Atom; type J = Wall; type F = Push;
        fn pair(&self, i: &Atom, j: &Wall, f: &mut Push) {
            f.force += self.stiffness * (j.pos - i.pos).dot(j.normal).max(0.0) * j.normal;
        }
    }

    /// A step of leapfrog. A force that depends on the atom alone, such as a weight, belongs here.
    pub struct Step { pub dt: Real }
    impl Update for Step {
        type P = Atom; type F = Push;
        fn update(&self, p: &mut Atom, f: &Push) {
            p.vel += self.dt * f.force;
            p.pos += self.dt * p.vel;
        }
    }
}
use gas::{Atom, Bounce, Push, Step, Wall};

const EDGE: f64 = 8.0;
const STEPS: u32 = 20_000;

fn main() -> ExitCode {
    on_device("walls", "Measure the pressure of a gas on the walls of its box.", run)
}

fn run(device: &Device) -> Result<(), Box<dyn Error>> {
    let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Vector);
    let low = axes.map(|normal| Wall { pos: Point([0.0; 3]), normal });
    let high = axes.map(|normal| Wall { pos: Point([EDGE; 3]), normal: -normal });
    let atom = |n: usize| {
        let at = [n % 8, n / 8 % 8, n / 64].map(|k| k as f64 + 0.5);
        Atom { pos: Point(at), vel: Vector(at.map(|x| 2.0 * (9.0 * x * n as f64).sin())) }
    };
    let gas: Vec<Atom> = (0..512).map(atom).collect();
    let energy: f64 = gas.iter().map(|atom| 0.5 * atom.vel.norm2()).sum();

    let mut bounce = AllPairs::new(device, Bounce { stiffness: 40_000.0 })?;
    let mut step = PerParticle::new(device, Step { dt: 0.001 })?;
    let (mut atoms, walls) = (bounce.upload(&gas)?, bounce.upload(&[low, high].concat())?);
    let mut forces = bounce.results(512)?;
    let mut push = 0.0;
    for _ in 0..STEPS {
        bounce.evaluate_into(&atoms, &walls, &mut forces)?;
        // Atoms that collide would be another law, which adds to these forces by `add_self_into`.
        let by_walls: Vec<Push> = forces.download()?;
        push += by_walls.iter().flat_map(|it| it.force.0).map(f64::abs).sum::<f64>();
        step.update(&mut atoms, &forces)?;
    }
    let pressure = push / f64::from(STEPS) / (6.0 * EDGE * EDGE);
    judge("pressure", pressure, 2.0 / 3.0 * energy / EDGE.powi(3), 0.02)
}

#[test]
fn the_pressure_is_that_of_an_ideal_gas() {
    run(&Device::cpu()).unwrap();
}
