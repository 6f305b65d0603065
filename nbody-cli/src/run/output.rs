//! The folder of a run.

use std::error::Error as StdError;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use nbody::models::{self, Snapshot};

use super::error::Error;
use super::gravity::FileUnits;
use crate::camera::Camera;
use crate::files;
use crate::format::Format;

/// The name of the file from which a run is continued.
pub const CHECKPOINT: &str = "checkpoint.json";
/// The name of the snapshot at an interruption.
pub const INTERRUPTED: &str = "interrupted";
/// Prefixes of the names of all files that a run writes.
const NAMES: [&str; 9] = [
    "energies.",
    "energy.",
    "lagrange.",
    "state.",
    "binaries.",
    "snapshot-",
    "checkpoint.",
    "interrupted.",
    "movie.",
];

/// The folder that a run writes into.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The folder, locked until the process ends in any way.
    _lock: Option<File>,
    is_new: bool,
}

/// A run that fails before its first file leaves no folder.
impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_new {
            // A folder with files stays.
            let _ = fs::remove_dir(&self.path);
        }
    }
}

impl Folder {
    /// Creates the folder; refuses one that is not writable or holds another run.
    pub fn provide(path: &Path) -> Result<Self, Box<dyn StdError>> {
        let folder = Self::open(path)?;
        if let Ok(entries) = fs::read_dir(path) {
            let names = entries.flatten().map(|it| it.file_name().to_string_lossy().into_owned());
            let mut of_runs: Vec<_> = names.filter(|name| is_of_run(name)).collect();
            // The file to restart from tells most.
            of_runs.sort_by_key(|name| (name != CHECKPOINT, name.clone()));
            if let Some(file) = of_runs.into_iter().next() {
                return Err(Error::InUse { folder: path.to_owned(), file }.into());
            }
        }
        Ok(folder)
    }

    /// Returns the folder of a rank that writes nothing.
    pub fn unused() -> Self {
        Self { path: PathBuf::new(), _lock: None, is_new: false }
    }

    /// Creates the folder; refuses one that is not writable or in use by another process.
    fn open(path: &Path) -> Result<Self, Box<dyn StdError>> {
        let is_new = !path.exists();
        files::provide(path)?;
        Ok(Self { path: path.to_owned(), _lock: lock(path)?, is_new })
    }

    /// Returns the folder of a checkpoint file, unless another is wanted.
    pub fn of_file(file: &Path, wanted: Option<&Path>) -> Result<Option<Self>, Box<dyn StdError>> {
        let own = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let own = own.unwrap_or(Path::new("."));
        match wanted {
            Some(wanted) if !files::is_same(wanted, own) => Ok(None),
            _ => Self::open(own).map(Some),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// Writes a snapshot of this name and, with a view, its image.
    pub fn snapshot(
        &self,
        name: &str,
        snapshot: &Snapshot,
        format: Format,
        view: Option<(&Camera, &FileUnits)>,
    ) -> Result<(), Box<dyn StdError>> {
        let file = |extension: &str| self.path.join(format!("{name}.{extension}"));
        files::replace(&file(format.extension()), |out| {
            format.write(snapshot, out).map_err(|error| match error {
                models::Error::Io { source, .. } => source.into(),
                other => other.into(),
            })
        })?;
        let Some((camera, units)) = view else { return Ok(()) };
        files::replace(&file("png"), |out| camera.write(snapshot, units, out))
    }
}

/// Locks a folder until the process ends. Returns `None` if the file system has no locks.
fn lock(path: &Path) -> Result<Option<File>, Error> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Err(Error::Locked { folder: path.to_owned() }),
        Err(TryLockError::Error(_)) => Ok(None),
    }
}

fn is_of_run(name: &str) -> bool {
    NAMES.iter().any(|begin| name.starts_with(begin))
}
