//! Output files.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;

/// A CSV file, created before the measurement, so that a path that cannot be written is an error
/// before it.
pub struct Sheet {
    writer: csv::Writer<File>,
    begun: bool,
}

/// Cells of a row, each with the name of its column.
pub type Cells = Vec<(&'static str, String)>;

impl Sheet {
    pub fn create(path: &Path) -> Result<Self, Box<dyn Error>> {
        let file =
            File::create(path).map_err(|e| format!("cannot create {}: {e}", path.display()))?;
        Ok(Self { writer: csv::Writer::from_writer(file), begun: false })
    }

    /// Writes a row, and before the first one the header.
    pub fn row(&mut self, cells: &Cells) -> Result<(), Box<dyn Error>> {
        if !self.begun {
            self.writer.write_record(cells.iter().map(|(name, _)| name))?;
            self.begun = true;
        }
        self.writer.write_record(cells.iter().map(|(_, cell)| cell))?;
        Ok(self.writer.flush()?)
    }
}

/// Writes a file whole or not at all: one of this name is replaced when all is written.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let replace = || -> Result<(), Box<dyn Error>> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut builder = tempfile::Builder::new();
        // Temporary files are private otherwise; the mask of the process applies.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        let mut out = BufWriter::new(file.as_file());
        write(&mut out)?;
        out.flush()?;
        drop(out);
        file.persist(path)?;
        Ok(())
    };
    replace().map_err(|error| format!("cannot write {}: {error}", path.display()).into())
}

/// Formats a number in full precision, and `None` as an empty cell.
pub fn number<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// Creates a folder with its parents, and checks that files can be created in it.
pub fn provide(folder: &Path) -> Result<(), Box<dyn Error>> {
    let made = fs::create_dir_all(folder);
    let made = made.and_then(|()| tempfile::tempfile_in(folder).map(drop));
    Ok(made.map_err(|e| format!("cannot write in {}: {e}", folder.display()))?)
}
