//! `cargo xtask test`: everything that CI runs.
#![forbid(unsafe_code)]

mod steps;
mod wheels;

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
    /// Run every check: formatting, lints, tests, documentation, every CUDA program compiled by
    /// NVRTC for every architecture and run in the emulator, and the instructions of its machine
    /// code counted. It needs Rust, a C++ compiler, and NVRTC and nvdisasm, which it installs
    /// under target/ with pip if the system has none.
    Test {
        /// Leave out the documentation, the instructions of the CPU and the core's overflow checks,
        /// and of the CUDA programs take a few of each kind.
        #[arg(long)]
        quick: bool,
    },
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Test { quick } => steps::test(quick),
    }
}
