//! Gravity, declared and evaluated: a complete program.
//!
//! `cargo run --release --example gravity [-- --device NAME]`

use std::error::Error;
use std::process::ExitCode;

use nbody::prelude::*;

use arguments::on_device;

mod arguments;

/// The interaction, its particles and its results.
#[nbody::interaction]
pub mod gravity {
    /// Newtonian gravity with Plummer softening; G = 1.
    pub struct Gravity {
        /// Squared softening length.
        pub eps2: Real,
    }

    /// A point mass.
    pub struct Body {
        /// Its position.
        pub pos: Point,
        /// Its mass.
        pub mass: Real,
    }

    /// The gravitational field at a body.
    pub struct Field {
        /// The acceleration.
        pub acc: Vector,
        /// The potential.
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv;
            f.acc += mr * rinv * rinv * d;
            f.pot -= mr;
        }
    }
}
use gravity::{Body, Gravity};

fn main() -> ExitCode {
    on_device("gravity", "Evaluate the gravity of three bodies in a row.", run)
}

/// Prints the accelerations and potentials of three bodies in a row.
pub fn run(device: &Device) -> Result<(), Box<dyn Error>> {
    let body = |x| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 };
    let bodies = [body(0.0), body(1.0), body(3.0)];
    let mut direct = AllPairs::new(device, Gravity { eps2: 0.0 })?;
    for field in direct.evaluate_self(&bodies)? {
        println!("{:?} {:?}", field.acc, field.pot);
    }
    Ok(())
}
