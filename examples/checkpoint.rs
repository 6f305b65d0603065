//! A cluster that is stopped, saved to a file and continued has the bits of one that was not stopped.
//!
//! `cargo run --release --example checkpoint [-- --device NAME]`

use std::{env, error::Error, fs, process, process::ExitCode};

use bytemuck::{bytes_of, cast_slice, pod_collect_to_vec, pod_read_unaligned};
use nbody::prelude::*;
use nbody::untyped::EngineState;
use nbody_integrate::{Integrator, Leapfrog, LeapfrogCheckpoint, Motion};
use nbody_models::plummer;

use arguments::{judge, on_device};

mod arguments;

#[rustfmt::skip]
#[nbody::interaction]
mod gravity {
    /// Gravity, G = 1, softened at a distance of 0.01.
    pub struct Gravity;
    pub struct Body { pub pos: Point, pub mass: Real }
    pub struct Field { pub acc: Vector }
    impl Interaction for Gravity {
        type I = Body; type J = Body; type F = Field;
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * (d.norm2() + 1e-4).rsqrt().powi(3) * d;
        }
    }
}
use gravity::Gravity;

const STEP: f64 = 1.0 / 256.0;

fn main() -> ExitCode {
    on_device("checkpoint", "Stop a star cluster, and continue it with the same bits.", run)
}

fn run(device: &Device) -> Result<(), Box<dyn Error>> {
    let stars = plummer(1000, 1)?.particles;
    let stars: Vec<_> = stars.iter().map(|it| Motion::new(it.pos, it.vel, it.mass)).collect();
    let mut unbroken = Leapfrog::new(AllPairs::new(device, Gravity)?, &stars, STEP)?;
    unbroken.advance_to(1.0)?;

    let mut first = Leapfrog::new(AllPairs::new(device, Gravity)?, &stars, STEP)?;
    first.advance_to(0.5)?;
    let now = first.checkpoint()?;
    let bytes = [bytes_of(&now.begin), bytes_of(&now.steps), cast_slice(&now.motions)].concat();
    let path = env::temp_dir().join(format!("nbody-checkpoint-{}", process::id()));
    fs::write(&path, bytes)?;
    drop(first); // Here the program may end, and another one begin.
    let bytes = fs::read(&path)?;
    fs::remove_file(&path)?;
    let saved = LeapfrogCheckpoint {
        begin: pod_read_unaligned(&bytes[..8]),
        steps: pod_read_unaligned(&bytes[8..16]),
        motions: pod_collect_to_vec(&bytes[16..]),
        // Neighbour lists have a state, `now.engine`; all pairs have none.
        engine: EngineState::Nothing,
    };
    let mut second = Leapfrog::resume(AllPairs::new(device, Gravity)?, &stars, &saved, STEP)?;
    second.advance_to(1.0)?;

    let pairs = unbroken.motions()?.into_iter().zip(second.motions()?);
    let other = pairs.filter(|(a, b)| bytes_of(a) != bytes_of(b)).count();
    judge("time", second.time(), 1.0, 0.0)?;
    judge("stars with other bits", other as f64, 0.0, 0.0)
}

#[test]
fn a_continued_cluster_has_the_same_bits() {
    run(&Device::cpu()).unwrap();
}
