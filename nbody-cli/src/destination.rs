//! The file or stream that a snapshot is written to.

use std::error::Error as StdError;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use nbody::models::{Error, Snapshot};

use crate::files;
use crate::format::{EXTENSIONS, Format, is_standard};
use crate::wrong::Wrong;

#[derive(clap::Args)]
pub struct Destination {
    /// The format of the file; by default the format of its extension, .csv, .nemo, .xyz or .hdf5, or
    /// CSV.
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// The file to write, which must not exist; by default, and for `-`, the standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace the file of --output if it exists.
    #[arg(long, requires = "output")]
    overwrite: bool,
}

impl Destination {
    /// Returns the format; refuses an existing file, and an extension of another or an unknown
    /// format. To call before the snapshot is made.
    pub fn format(&self) -> Result<Format, Wrong> {
        let Some(path) = self.path() else {
            let message = "--overwrite is of a file: give its name by --output";
            Wrong::if_so(self.overwrite, message)?;
            return Ok(self.format.unwrap_or(Format::Csv));
        };
        if path.exists() && !files::is_stream(path) && !self.overwrite {
            let path = path.display();
            return Err(Wrong(format!(
                "{path} exists: give another name, or --overwrite to replace it"
            )));
        }
        match (self.format, Format::of(path)) {
            (Some(given), Some(expected)) if given != expected => {
                Err(Wrong(mismatch(path, given, expected)))
            }
            (None, None) if path.extension().is_some() && !files::is_stream(path) => {
                Err(Wrong(format!(
                    "{}: the extension is that of no format; give {EXTENSIONS}, by which `nbody run` reads \
                     the file, or --format",
                    path.display()
                )))
            }
            (given, expected) => Ok(given.or(expected).unwrap_or(Format::Csv)),
        }
    }

    /// Writes a snapshot in this format, completely or not at all. CSV, which has comments, begins with
    /// the units, if they are known.
    pub fn write(
        &self,
        snapshot: &Snapshot,
        format: Format,
        units: Option<&str>,
    ) -> Result<(), Box<dyn StdError>> {
        match self.path() {
            Some(path) => files::replace(path, |out| write(format, snapshot, units, out)),
            None => write(format, snapshot, units, BufWriter::new(std::io::stdout())),
        }
    }

    /// Returns the path of the file, unless it is the standard output.
    fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| !is_standard(path))
    }
}

fn write(
    format: Format,
    snapshot: &Snapshot,
    units: Option<&str>,
    mut to: impl Write,
) -> Result<(), Box<dyn StdError>> {
    if let Some(units) = units.filter(|_| format == Format::Csv) {
        writeln!(to, "# units: {units}")?;
    }
    match format.write(snapshot, to) {
        Err(Error::Io { source, .. }) => Err(source.into()),
        other => Ok(other?),
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
