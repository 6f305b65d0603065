//! `cargo xtask test`, everything that CI runs, and the installation of libraries for other
//! languages.
#![forbid(unsafe_code)]

mod browser;
mod install;
#[cfg(test)]
mod links;
mod packages;
mod programs;
mod python;
#[cfg(test)]
mod sources;
mod steps;
mod wheels;
#[cfg(test)]
mod words;

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
    /// Run every check: formatting, lints, tests, packages and documentation; compile every CUDA
    /// program by NVRTC for every architecture, run it in the emulator, and count the instructions
    /// of its machine code. It needs Rust and a C++ compiler; it installs NVRTC, nvdisasm, MPI and
    /// packages of Python under target/ with pip, and Chromium with npm, if variables such as
    /// `NBODY_NVRTC` do not name them.
    Test {
        /// Skip the lints, the packages, the documentation, the examples, the instructions of the
        /// CPU and the core's overflow checks; test only a few CUDA programs of each kind, and
        /// leave out tests that take long and find least.
        #[arg(long)]
        quick: bool,
    },
    /// Install the libraries for C, C++ and Fortran with their headers, and files for pkg-config.
    Install {
        /// The folder above lib/, include/ and share/.
        #[arg(long, default_value = "/usr/local")]
        prefix: PathBuf,
        /// Link the static libraries in this folder instead of building them.
        #[arg(long, value_name = "FOLDER")]
        archives: Option<PathBuf>,
    },
    /// Build the package for Python in target/wheels, for Linux since 2014: needs Rust and pip.
    Wheel,
    /// Pack the published packages, and check that they build from their archives.
    Package,
}

fn main() -> ExitCode {
    match Arguments::parse().task {
        Task::Test { quick } => steps::test(quick),
        Task::Install { prefix, archives } => {
            exit_code(install::install(root(), &prefix, archives.as_deref()))
        }
        Task::Wheel => exit_code(python::wheel(root(), &target())),
        Task::Package => exit_code(packages::check(root(), &target())),
    }
}

fn exit_code(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Root folder of this repository.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// Target folder of cargo.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
