//! `nbody plummer`.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use nbody::models::{Error, Snapshot, plummer};

use crate::format::Format;
use crate::{Outcome, files, sphere};

#[derive(clap::Args)]
pub struct Arguments {
    /// The number of particles.
    n: usize,
    /// The seed of the random numbers; a seed always gives the same particles.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The format of the file; by default the format of its extension (.csv, .nemo, .xyz), or CSV.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Leave out the scaling to virial equilibrium.
    #[arg(long)]
    as_sampled: bool,
    /// The file to write, which must not exist; by default the standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file of --output if it exists.
    #[arg(long, requires = "output")]
    overwrite: bool,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let format = arguments.format()?;
    let mut snapshot = plummer(arguments.n, arguments.seed)?;
    if !arguments.as_sampled {
        sphere::virialise(&mut snapshot)?;
    }
    match &arguments.output {
        Some(path) => files::replace(path, |out| write(format, &snapshot, out))?,
        None => write(format, &snapshot, BufWriter::new(std::io::stdout()))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write(
    format: Format,
    snapshot: &Snapshot,
    to: impl Write,
) -> Result<(), Box<dyn std::error::Error>> {
    match format.write(snapshot, to) {
        Err(Error::Io { source, .. }) => Err(source.into()),
        other => Ok(other?),
    }
}

impl Arguments {
    /// Returns the format; refuses an existing file, and an extension of another or an unknown
    /// format.
    fn format(&self) -> Result<Format, String> {
        let Some(path) = &self.output else { return Ok(self.format.unwrap_or(Format::Csv)) };
        if path.exists() && !files::is_stream(path) && !self.overwrite {
            let path = path.display();
            return Err(format!("{path} exists: give another name, or --overwrite to replace it"));
        }
        match (self.format, Format::of(path)) {
            (Some(given), Some(expected)) if given != expected => {
                Err(mismatch(path, given, expected))
            }
            (None, None) if path.extension().is_some() && !files::is_stream(path) => Err(format!(
                "{}: the extension is that of no format; give .csv, .nemo or .xyz, by which `nbody run` reads \
                     the file, or --format",
                path.display()
            )),
            (given, expected) => Ok(given.or(expected).unwrap_or(Format::Csv)),
        }
    }
}

fn mismatch(path: &Path, given: Format, expected: Format) -> String {
    let [given, expected] = [given, expected].map(Format::extension);
    format!(
        "{} has the extension of --format {expected}, but {given} is wanted: leave --format out, or give the \
         extension .{given}",
        path.display()
    )
}
