//! The `nbody` command.
#![forbid(unsafe_code)]

mod accuracy;
mod bench;
mod cache;
mod camera;
mod centre;
mod columns;
mod convert;
mod date;
mod destination;
mod devices;
mod emit;
mod energy;
mod files;
mod format;
mod interactions;
mod message;
mod model;
mod movie;
mod numbers;
mod plot;
mod plummer;
mod progress;
mod ranks;
mod record;
mod run;
mod scaling;
mod select;
mod shell;
mod snapshots;
mod sphere;
mod table;
mod tune;
mod verify;
mod view;
mod wrong;

use std::error::Error;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use wrong::Wrong;

const AFTER_HELP: &str = "\
Environment:
  NBODY_CACHE_DIR    folder of compiled and tuned kernels
                     (else XDG_CACHE_HOME/nbody or ~/.cache/nbody)
  NBODY_CACHE_LIMIT  its limit in MiB (else 1024); the least recently used
                     entries are removed
  NBODY_MPI          the file of the MPI library of `mpirun nbody run`, or a
                     name that the loader finds
  NBODY_NCCL         the NCCL library, or a name, or `none` to pass results of
                     GPUs without it
  NBODY_GPU_AWARE    `1` lets MPI take the memory of GPUs, where its library
                     says that it does
  NBODY_NVRTC        the NVRTC library, its folder, or a name that the dynamic
                     loader finds
  NBODY_NVDISASM     nvdisasm, or its folder, to count the instructions of the
                     machine code
  CXX                the C++ compiler of the emulator and of files, with
                     arguments if need be
  NBODY_CXX_TIMEOUT  its time limit in seconds for a program (else 300)

Tables fit 80 columns. With --json the commands that print tables print one JSON
document instead: the command, the version and the rows, with full names and all
digits, in SI units. The names of rows are the columns of --csv.

Exit codes:
  0    success
  1    a failure, or a check that did not pass
  2    an invalid command line
  130  `nbody run` ended by Ctrl-C, SIGTERM, SIGHUP or --wall-time, with a file
       to restart from once it has begun";

/// Print, verify and measure pairwise interactions on every device of this machine.
#[derive(Parser)]
#[command(name = "nbody", version, about, after_help = AFTER_HELP, term_width = 80)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the devices and compilers, found or missing.
    Devices(devices::Arguments),
    /// Print the CUDA text of an interaction: its structs and functions; with --program, the whole
    /// program.
    Emit(emit::Arguments),
    /// Compare every interaction, in every way to compute it, with the f64 reference.
    Verify(verify::Arguments),
    /// Measure pairs per second, and their fraction of the issue limit of the GPU.
    Bench(bench::Arguments),
    /// Find the fastest kernel configurations by measurement, and keep them for later runs.
    Tune(tune::Arguments),
    /// Show or clear the cache of compiled and tuned kernels.
    Cache(cache::Arguments),
    /// Measure the errors of accelerations in Plummer spheres, or of the results of interactions, for
    /// each accumulation.
    Accuracy(accuracy::Arguments),
    /// Measure the error of the energy against the accuracy of block time steps, in each
    /// precision.
    Energy(energy::Arguments),
    /// Measure the time of block time steps against N, and fit a model of the performance.
    Scaling(scaling::Arguments),
    /// Write a Plummer sphere in standard units.
    Plummer(plummer::Arguments),
    /// Write a star cluster or a galaxy, with masses of stars, binaries, rotation, any virial ratio.
    Model(model::Arguments),
    /// Write a snapshot in another format.
    Convert(convert::Arguments),
    /// Simulate a cluster of point masses under gravity.
    Run(Box<run::Arguments>),
    /// Draw the plots of a run again, its images and a film, or several runs in the same plots.
    Plot(plot::Arguments),
    /// Write a page that shows the snapshots of a run in a browser, turned and zoomed at will.
    View(view::Arguments),
    /// Print a script that completes this command in a shell.
    Completions(shell::Completions),
    /// Write the manual pages of this command.
    Man(shell::Man),
}

fn main() -> ExitCode {
    let ran = match Arguments::parse().command {
        Command::Devices(arguments) => devices::run(&arguments),
        Command::Emit(arguments) => emit::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Accuracy(arguments) => accuracy::run(&arguments),
        Command::Energy(arguments) => energy::run(&arguments),
        Command::Scaling(arguments) => scaling::run(&arguments),
        Command::Plummer(arguments) => plummer::run(&arguments),
        Command::Model(arguments) => model::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::View(arguments) => view::run(&arguments),
        Command::Completions(arguments) => shell::complete(&arguments, Arguments::command()),
        Command::Man(arguments) => shell::man(&arguments, Arguments::command()),
    };
    match ran {
        Ok(code) => code,
        Err(error) if is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            message::print(format_args!("error: {error}"));
            if error.is::<Wrong>() { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

/// Result of a command.
type Outcome = Result<ExitCode, Box<dyn Error>>;

/// Tests for a pipe closed by its reader: `nbody emit gravity | head`.
fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
