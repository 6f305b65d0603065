//! The folder of a run.

use std::error::Error as StdError;
use std::fs;
use std::path::{Path, PathBuf};

use nbody::models::{self, Snapshot};

use super::error::Error;
use super::image::View;
use super::restart::Restart;
use crate::files;
use crate::format::Format;

/// The name of the file that a run is continued from.
const CHECKPOINT: &str = "checkpoint.json";
/// The name of the snapshot where Ctrl-C ended a run.
pub const INTERRUPTED: &str = "interrupted";
/// Beginnings of the names of all files that a run writes.
const NAMES: [&str; 6] =
    ["energies.", "energy.", "lagrange.", "snapshot-", "checkpoint.", "interrupted."];

/// The folder that a run writes into.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Creates the folder, and refuses one that cannot be written or that holds another run.
    pub fn provide(path: &Path) -> Result<Self, Box<dyn StdError>> {
        if let Ok(entries) = fs::read_dir(path) {
            let names = entries.flatten().map(|it| it.file_name().to_string_lossy().into_owned());
            let mut of_runs: Vec<_> = names.filter(|name| is_of_run(name)).collect();
            of_runs.sort();
            if let Some(file) = of_runs.into_iter().next() {
                return Err(Error::InUse { folder: path.to_owned(), file }.into());
            }
        }
        files::provide(path)?;
        Ok(Self { path: path.to_owned() })
    }

    /// Returns the folder of a run that is continued: the one of its file, unless another is wanted.
    pub fn resume(file: &Path, wanted: Option<&Path>) -> Result<Self, Box<dyn StdError>> {
        let own = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let own = own.unwrap_or(Path::new("."));
        match wanted {
            Some(wanted) if !is_same(wanted, own) => Self::provide(wanted),
            _ => {
                files::provide(own)?;
                Ok(Self { path: own.to_owned() })
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn checkpoint(&self) -> PathBuf {
        self.path.join(CHECKPOINT)
    }

    /// Writes a snapshot of this name and its image.
    pub fn snapshot(
        &self,
        name: &str,
        snapshot: &Snapshot,
        format: Format,
        view: &View,
    ) -> Result<(), Box<dyn StdError>> {
        let file = |extension: &str| self.path.join(format!("{name}.{extension}"));
        files::replace(&file(format.extension()), |out| {
            format.write(snapshot, out).map_err(|error| match error {
                models::Error::Io { source, .. } => source.into(),
                other => other.into(),
            })
        })?;
        files::replace(&file("png"), |out| view.write(snapshot, out))
    }

    /// Writes the tables, and last the file to restart from, so that it never is ahead of the others.
    pub fn save(&self, restart: &Restart) -> Result<(), Box<dyn StdError>> {
        restart.history.write(&self.path)?;
        restart.save(&self.checkpoint())
    }
}

fn is_of_run(name: &str) -> bool {
    NAMES.iter().any(|begin| name.starts_with(begin))
}

/// Returns whether two paths are of one folder.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
