//! `cargo xtask test`: everything that CI runs.
#![forbid(unsafe_code)]

mod nvrtc;
mod steps;

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
    /// Run every check: formatting, lints, tests, documentation, and every CUDA program compiled
    /// by NVRTC for every architecture and run in the emulator. It needs Rust, a C++ compiler,
    /// and NVRTC, which it installs under target/ with pip if the system has none.
    Test,
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Test => steps::test(),
    }
}
