//! Output files.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufWriter, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::record::Record;

/// A CSV file, created before the measurement, so that an unwritable path fails early. Rows go to
/// FILE.part, which replaces the file when all rows are written.
pub struct Sheet {
    writer: csv::Writer<File>,
    begun: bool,
    /// The temporary file, and the file that it replaces.
    part: Option<[PathBuf; 2]>,
}

impl Sheet {
    pub fn create(path: &Path) -> Result<Self, Box<dyn Error>> {
        let path = target(path);
        let part = (!is_stream(&path)).then(|| {
            let mut part = path.clone().into_os_string();
            part.push(".part");
            [part.into(), path.clone()]
        });
        let written = part.as_ref().map_or(&path, |[part, _]| part);
        let file =
            if path.is_dir() { Err(ErrorKind::IsADirectory.into()) } else { File::create(written) };
        let file = file.map_err(|e| format!("cannot create {}: {e}", path.display()))?;
        Ok(Self { writer: csv::Writer::from_writer(file), begun: false, part })
    }

    /// Writes a row, and the header before the first one.
    pub fn row(&mut self, Record(values): &Record) -> Result<(), Box<dyn Error>> {
        if !self.begun {
            self.writer.write_record(values.iter().map(|(name, _)| name))?;
            self.begun = true;
        }
        self.writer.write_record(values.iter().map(|(_, value)| value.to_string()))?;
        Ok(self.writer.flush()?)
    }

    /// Replaces the file by the written rows.
    pub fn finish(mut self) -> Result<(), Box<dyn Error>> {
        self.writer.flush()?;
        match self.part.take() {
            Some([part, path]) => Ok(fs::rename(part, &path)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?),
            None => Ok(()),
        }
    }
}

/// A failed measurement leaves its rows in FILE.part, if there are any.
impl Drop for Sheet {
    fn drop(&mut self) {
        if let Some([part, _]) = self.part.take().filter(|_| !self.begun) {
            // Nothing is lost if an empty file stays.
            let _ = fs::remove_file(part);
        }
    }
}

/// Returns the file that a path leads to, following links.
fn target(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns whether a path names a device or a pipe, which is written directly.
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|it| !it.is_file() && !it.is_dir())
}

/// Returns whether two paths lead to the same file.
pub fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Writes a file completely or not at all: it replaces an existing file only when all is written.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<&File>) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let replace = || -> Result<(), Box<dyn Error>> {
        let path = &target(path);
        if is_stream(path) {
            let file = File::options().write(true).open(path)?;
            let mut out = BufWriter::new(&file);
            write(&mut out)?;
            return Ok(out.flush()?);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let file = temporary("", folder)?;
        let mut out = BufWriter::new(file.as_file());
        write(&mut out)?;
        out.flush()?;
        drop(out);
        file.persist(path)?;
        Ok(())
    };
    replace().map_err(|error| format!("cannot write {}: {error}", path.display()).into())
}

/// Creates a temporary file, which `keep` names.
pub fn temporary(suffix: &str, folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // Temporary files would otherwise be private; the umask of the process still applies.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.suffix(suffix).tempfile_in(folder)
}

/// Gives a temporary file its name: it replaces an existing file.
pub fn keep(file: tempfile::NamedTempFile, path: &Path) -> Result<(), Box<dyn Error>> {
    let kept = file.persist(path).map(drop);
    Ok(kept.map_err(|error| format!("cannot write {}: {error}", path.display()))?)
}

/// Writes a text completely or not at all.
pub fn write(path: &Path, text: &str) -> Result<(), Box<dyn Error>> {
    replace(path, |out| Ok(out.write_all(text.as_bytes())?))
}

/// Adds a line to a file, completely or not at all.
pub fn append(path: &Path, line: &str) -> Result<(), Box<dyn Error>> {
    let append = || {
        let mut file = File::options().append(true).open(path)?;
        let length = file.metadata()?.len();
        file.write_all(line.as_bytes()).inspect_err(|_| {
            // Ignored: the first failure is reported.
            let _ = file.set_len(length);
        })
    };
    let appended: std::io::Result<()> = append();
    Ok(appended.map_err(|error| format!("cannot write {}: {error}", path.display()))?)
}

/// A folder for files, created before the measurement, so that an unwritable path fails early. If it
/// is empty at the end, it is removed with the parents that were created.
#[must_use = "a folder without files is removed when this is dropped"]
pub struct Reserved {
    /// Created folders, the innermost first.
    created: Vec<PathBuf>,
}

impl Reserved {
    pub fn new(folder: &Path) -> Result<Self, Box<dyn Error>> {
        let missing = folder.ancestors().filter(|it| !it.as_os_str().is_empty() && !it.exists());
        let reserved = Self { created: missing.map(Path::to_owned).collect() };
        provide(folder)?;
        Ok(reserved)
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        for folder in &self.created {
            // Folders with files stay.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Creates a folder with its parents, and checks that files can be created in it.
pub fn provide(folder: &Path) -> Result<(), Box<dyn Error>> {
    let made = fs::create_dir_all(folder);
    let made = made.and_then(|()| tempfile::tempfile_in(folder).map(drop));
    Ok(made.map_err(|e| format!("cannot write in {}: {e}", folder.display()))?)
}
