//! Starts an example over ranks. Its first two arguments are the number of ranks, or `mpi`, and the
//! kind of device.

use std::error::Error;
use std::fmt::Display;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use nbody::{Device, DeviceName};
use nbody_mpi::{Communicator, Mpi, Ranks, threads};

/// The ranks of an example, and their devices.
pub struct Launch {
    /// The number of threads; `None` if each process of `mpirun` is a rank.
    threads: Option<NonZeroUsize>,
    kind: String,
}

impl Launch {
    /// Reads the number of ranks and the kind of device; two on the CPU if there are none.
    pub fn of(arguments: &mut impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let ranks = arguments.next().unwrap_or_else(|| "2".to_owned());
        let kind = arguments.next().unwrap_or_else(|| "cpu".to_owned());
        let expected = |_| format!("`{ranks}` ranks: expected a positive number, or mpi");
        let threads = if ranks == "mpi" { None } else { Some(ranks.parse().map_err(expected)?) };
        let launch = Self { threads, kind };
        launch.device_of(0)?;
        Ok(launch)
    }

    /// Returns the name of the device of a rank: each has a GPU of its own.
    fn device_of(&self, rank: usize) -> Result<DeviceName, nbody::Error> {
        let Self { kind, .. } = self;
        if kind == "cuda" { format!("cuda:{rank}").parse() } else { kind.parse() }
    }

    /// Simulates on every rank, and prints the report of the first one.
    pub fn run(
        &self,
        simulate: impl Fn(&Device) -> Result<String, Box<dyn Error>> + Sync,
    ) -> Result<(), Box<dyn Error>> {
        let run = |communicator: Arc<dyn Communicator>| -> Result<String, String> {
            let name = self.device_of(communicator.on_host().rank);
            let device = name.and_then(DeviceName::open);
            let over = |device: Device| Ranks::new(communicator.clone(), &device);
            let device = device.and_then(over).map_err(|error| error.to_string())?.device();
            simulate(&device).map_err(|error| error.to_string())
        };
        let Some(threads_of) = self.threads else {
            let mpi = Arc::new(Mpi::start()?);
            let report = run(mpi.clone())?;
            if mpi.rank() == 0 {
                print!("{report}");
            }
            return Ok(mpi.finish()?);
        };
        // Each rank has the same report, but for its times.
        let reports = threads(threads_of.get(), run).into_iter().collect::<Result<Vec<_>, _>>()?;
        reports.iter().take(1).for_each(|report| print!("{report}"));
        Ok(())
    }
}

/// Reads the next argument, a number of this name; `usual` if there is none.
#[allow(dead_code, reason = "one of the examples reads its numbers itself")]
pub fn number<T: FromStr<Err: Display>>(
    arguments: &mut impl Iterator<Item = String>,
    name: &str,
    usual: T,
) -> Result<T, String> {
    let Some(word) = arguments.next() else { return Ok(usual) };
    word.parse().map_err(|error| format!("`{word}` is no {name}: {error}"))
}

/// Prints the error of an example, if there is one.
pub fn end(done: Result<(), Box<dyn Error>>) -> ExitCode {
    let Err(error) = done else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    ExitCode::FAILURE
}
