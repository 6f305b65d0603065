//! `nbody plummer`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use nbody::models::plummer;

use crate::Outcome;
use crate::format::Format;

#[derive(clap::Args)]
pub struct Arguments {
    /// The number of particles.
    n: usize,
    /// The seed of the random numbers; a seed always gives the same particles.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The format of the file.
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
    /// Leave out the scaling to exact virial equilibrium, which takes O(n²) time.
    #[arg(long)]
    as_sampled: bool,
    /// The file to write; by default the standard output.
    #[arg(short, long)]
    output: Option<PathBuf>,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let mut snapshot = plummer(arguments.n, arguments.seed)?;
    if !arguments.as_sampled {
        snapshot.virialise()?;
    }
    let out: Box<dyn Write> = match &arguments.output {
        Some(path) => Box::new(
            File::create(path).map_err(|e| format!("cannot create {}: {e}", path.display()))?,
        ),
        None => Box::new(std::io::stdout()),
    };
    match arguments.format.write(&snapshot, BufWriter::new(out)) {
        Err(nbody::models::Error::Io { source, .. }) => Err(source.into()),
        other => Ok(other.map(|()| ExitCode::SUCCESS)?),
    }
}
