//! The Lennard-Jones liquid of the example `liquid`, over ranks: the same simulation, with another
//! device.
//!
//! `cargo run --release -p nbody-mpi --example liquid -- 2 cuda 262144 2000 0.5` simulates it on two
//! GPUs of this host, a thread for each; with `mpi` in place of `2`, each process that `mpirun` starts
//! is a rank. With `cpu` in place of `cuda` the ranks share the cores.

use std::error::Error;
use std::sync::Arc;

use nbody::{Device, DeviceName};
use nbody_mpi::{Communicator, Mpi, Ranks, threads};
use simulation::{Size, simulate};

#[path = "../../examples/liquid.rs"]
#[allow(dead_code, reason = "an example with a `main` of its own")]
mod simulation;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let ranks = arguments.next().unwrap_or_else(|| "2".to_owned());
    let kind = arguments.next().unwrap_or_else(|| "cpu".to_owned());
    let size = Size::of(arguments);
    let run = |communicator: Arc<dyn Communicator>| -> Result<String, String> {
        let rank = communicator.on_host().rank;
        let name = if kind == "cuda" { format!("cuda:{rank}") } else { kind.clone() };
        let device = name.parse().and_then(|name: DeviceName| name.open());
        let over = |device: Device| Ranks::new(communicator.clone(), &device);
        let device = device.and_then(over).map_err(|error| error.to_string())?.device();
        simulate(&device, &size).map_err(|error| error.to_string())
    };
    if ranks == "mpi" {
        let mpi = Arc::new(Mpi::start()?);
        let report = run(mpi.clone())?;
        if mpi.rank() == 0 {
            print!("{report}");
        }
        return Ok(mpi.finish()?);
    }
    // Each rank has the same report, but for its times.
    let reports = threads(ranks.parse()?, run).into_iter().collect::<Result<Vec<_>, _>>()?;
    print!("{}", reports.first().ok_or("no ranks")?);
    Ok(())
}
