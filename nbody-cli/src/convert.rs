//! `nbody convert`.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::Outcome;
use crate::destination::Destination;
use crate::format::{self, Format};

#[derive(clap::Args)]
pub struct Arguments {
    /// The snapshot to read, in the format of its extension, or `-` for the standard input.
    #[arg(value_name = "FILE")]
    input: PathBuf,
    /// The format of FILE, which `-` and files of other extensions need.
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<Format>,
    #[command(flatten)]
    destination: Destination,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let format = arguments.destination.format()?;
    let snapshot = format::read_as(&arguments.input, arguments.from)?;
    arguments.destination.write(&snapshot, format, None)?;
    Ok(ExitCode::SUCCESS)
}
