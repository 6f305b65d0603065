//! `nbody completions` and `nbody man`.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Command;
use clap_complete::{Shell, generate};

use crate::Outcome;
use crate::files::Reserved;

#[derive(clap::Args)]
pub struct Completions {
    /// The shell that completes the command.
    shell: Shell,
}

#[derive(clap::Args)]
pub struct Man {
    /// The folder of the pages, made if it does not exist; pages in it are replaced.
    folder: PathBuf,
}

pub fn complete(arguments: &Completions, mut command: Command) -> Outcome {
    // `generate` panics if it cannot write.
    let mut script = Vec::new();
    generate(arguments.shell, &mut command, "nbody", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(arguments: &Man, command: Command) -> Outcome {
    let folder = &arguments.folder;
    let _reserved = Reserved::new(folder)?;
    clap_mangen::generate_to(command, folder)
        .map_err(|error| format!("cannot write in {}: {error}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
