//! A planet on a Kepler orbit about a star: ten periods by leapfrog.
//!
//! `cargo run --release --example two_bodies [-- --device NAME]`

use std::error::Error;
use std::f64::consts::TAU;
use std::process::ExitCode;

use nbody::prelude::*;
use nbody_integrate::{Integrator, Leapfrog, Motion};

use arguments::{judge, on_device};

mod arguments;

#[nbody::interaction]
mod gravity {
    /// Newtonian gravity; G = 1.
    pub struct Gravity;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let potential = -j.mass / (j.pos - i.pos).norm();
            f.pot += potential;
            f.acc -= potential.gradient(i.pos);
        }
    }
}

/// The eccentricity of the orbit, whose semi-major axis is 1 and whose period is 2π.
const E: f64 = 0.5;

fn main() -> ExitCode {
    on_device("two_bodies", "Integrate a Kepler orbit for ten periods.", run)
}

fn run(device: &Device) -> Result<(), Box<dyn Error>> {
    let options = Options::default().precision(Precision::Double);
    let engine = AllPairs::with_options(device, gravity::Gravity, options)?;
    let star = Motion::new([0.0; 3], [0.0; 3], 0.999);
    let planet = Motion::new([1.0 - E, 0.0, 0.0], [0.0, ((1.0 + E) / (1.0 - E)).sqrt(), 0.0], 1e-3);
    let mut orbit = Leapfrog::new(engine, &[star, planet], TAU / 1000.0)?;
    let energy = orbit.energies()?.total();

    for periods in [0.5, 10.0] {
        orbit.advance_to(periods * TAU)?;
        let [star, planet] = orbit.motions_at(periods * TAU)?[..] else { unreachable!() };
        let [d, v] = [planet.pos - star.pos, planet.vel - star.vel];
        judge(
            &format!("distance after {periods} periods"),
            d.norm(),
            1.0 - E * (TAU * periods).cos(),
            1e-3,
        )?;
        judge("angular momentum", d.x * v.y - d.y * v.x, (1.0 - E * E).sqrt(), 1e-9)?;
    }
    judge("energy / initial energy", orbit.energies()?.total() / energy, 1.0, 1e-6)
}

#[test]
fn the_orbit_is_keplers() {
    run(&Device::cpu()).unwrap();
}
