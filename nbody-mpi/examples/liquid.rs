//! The Lennard-Jones liquid of the example `liquid`, over ranks: the same simulation, with another
//! device.
//!
//! `cargo run --release -p nbody-mpi --example liquid -- 2 cuda 262144 2000 0.5` simulates it on two
//! GPUs of this host, a thread for each; with `mpi` in place of `2`, each process that `mpirun` starts
//! is a rank. With `cpu` in place of `cuda` the ranks share the cores.

use std::error::Error;
use std::process::ExitCode;

use launch::Launch;
use simulation::{Size, simulate};

mod launch;
#[path = "../../examples/liquid.rs"]
#[allow(dead_code, reason = "an example with a `main` of its own")]
mod simulation;

fn main() -> ExitCode {
    launch::end(run(std::env::args().skip(1)))
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let launch = Launch::of(&mut arguments)?;
    let size = Size::of(arguments)?;
    launch.run(|device| simulate(device, &size))
}
