//! A law of your own by a tree: gravity with a fifth force, its errors against all pairs.
//!
//! `cargo run --release --example tree_law [-- --device NAME]`

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use nbody::check::{compare, reference_self_sample, sample};
use nbody::prelude::*;
use nbody_models::plummer;

use arguments::{judge, on_device};

mod arguments;

#[nbody::interaction]
mod fifth {
    /// Gravity, G = 1, with a Yukawa term of relative strength `alpha` and range `lambda`.
    pub struct FifthForce {
        pub alpha: Real,
        pub lambda: Real,
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
    }

    impl Interaction for FifthForce {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let r = ((j.pos - i.pos).norm2() + self.eps2).sqrt();
            let potential = -j.mass / r * (1.0 + self.alpha * (-r / self.lambda).exp());
            f.acc -= potential.gradient(i.pos);
        }
    }
}
use fifth::{Body, Field, FifthForce};

fn main() -> ExitCode {
    on_device("tree_law", "Measure the errors of a tree for a law with a fifth force.", run)
}

fn run(device: &Device) -> Result<(), Box<dyn Error>> {
    let law = FifthForce { alpha: 0.5, lambda: 0.3, eps2: 1e-4 };
    let stars = plummer(20_000, 1)?.particles;
    let stars: Vec<Body> =
        stars.iter().map(|it| Body { pos: Point(it.pos), mass: it.mass }).collect();
    let some = sample(stars.len(), 500);
    let truth: Vec<Field> = reference_self_sample(&law, Domain::Open, &stars, &stars, &some)?;

    for (theta, expected) in [(0.9, 1.8e-3), (0.6, 3e-4), (0.3, 3e-5)] {
        let mut tree = Tree::new(device, law, Opening::theta(theta))?;
        tree.evaluate_self(&stars)?; // builds what is needed once
        let start = Instant::now();
        let found = tree.evaluate_self(&stars)?;
        println!("theta {theta}: {:.1?}", start.elapsed());
        let found: Vec<Field> = some.iter().map(|k| found[*k]).collect();
        let error = compare(&found, &truth, None)?.fields[0].mean;
        judge("mean relative error", error, expected, 0.3 * expected)?;
    }
    Ok(())
}

#[test]
fn errors_fall_with_the_angle() {
    run(&Device::cpu()).unwrap();
}
