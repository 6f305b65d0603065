//! `cargo xtask test`: everything that CI runs.
#![forbid(unsafe_code)]

mod packages;
mod steps;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tasks of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run every check: formatting, lints, tests, packages, documentation, every CUDA program compiled by
    /// NVRTC for every architecture and run in the emulator, and the instructions of its machine
    /// code counted. It needs Rust, a C++ compiler, and NVRTC and nvdisasm, which it installs
    /// under target/ with pip if the system has none.
    Test {
        /// Leave out the documentation, the instructions of the CPU and the core's overflow checks,
        /// and of the CUDA programs take a few of each kind.
        #[arg(long)]
        quick: bool,
    },
    /// Pack what is published, and check that it builds from what is packed.
    Package,
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Test { quick } => steps::test(quick),
        Task::Package => packages::check(root(), &target()).map_or_else(
            |error| {
                eprintln!("{error}");
                ExitCode::FAILURE
            },
            |()| ExitCode::SUCCESS,
        ),
    }
}

/// The folder of this repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The folder of builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
