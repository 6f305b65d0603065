//! Snapshot files of runs.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use nbody::models::Snapshot;

use crate::format::{self, EXTENSIONS, Format};

/// Beginning of the names of a run's snapshots.
const PREFIX: &str = "snapshot-";
/// Longest list of names in a message.
const LISTED: usize = 5;

/// The snapshot files, in order.
#[derive(Debug)]
pub struct Source {
    /// The folder of the run, unless files are given.
    pub folder: Option<PathBuf>,
    pub paths: Vec<PathBuf>,
}

impl Source {
    /// Returns a name for the page.
    pub fn title(&self) -> String {
        let path = self.folder.as_ref().or(self.paths.first());
        let name = path.and_then(|path| real_name(path));
        let name = name.unwrap_or_else(|| "snapshots".to_owned());
        match self.paths.len() {
            n if self.folder.is_none() && n > 1 => format!("{name} and {} more", n - 1),
            _ => name,
        }
    }
}

/// Returns the name of a file or folder, also of the paths `.` and `..`, which have none themselves.
pub fn real_name(path: &Path) -> Option<String> {
    let real = path.canonicalize().ok()?;
    Some(real.file_name()?.to_string_lossy().into_owned())
}

/// Finds every `every`-th snapshot of a folder or among files.
pub fn find(paths: &[PathBuf], every: NonZeroUsize) -> Result<Source, String> {
    let (folder, all) = match paths {
        [folder] if folder.is_dir() => (Some(folder.clone()), of_folder(folder)?),
        files => (None, of_files(files)?),
    };
    Ok(Source { folder, paths: all.into_iter().step_by(every.get()).collect() })
}

/// Reads a snapshot file.
pub fn read(path: &Path) -> Result<Snapshot, String> {
    let shown = path.display();
    let read = format::read(path).ok_or_else(|| format!("{shown}: no format of snapshots"))?;
    read.map_err(|error| format!("{shown}: {error}"))
}

/// Checks snapshot files that are given by name.
fn of_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    for path in paths {
        let shown = path.display();
        if path.is_dir() {
            return Err(format!(
                "{shown} is a folder among other paths: give one folder, or files"
            ));
        }
        if !path.exists() {
            return Err(format!(
                "{shown} does not exist: give the folder of a run (`nbody run --output FOLDER`), or \
                 snapshot files"
            ));
        }
        if Format::of(path).is_none() {
            return Err(format!(
                "{shown}: the extension is that of no snapshot format, expected {EXTENSIONS}"
            ));
        }
    }
    Ok(paths.to_vec())
}

/// Returns the snapshots of a run in the order of their numbers.
fn of_folder(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let shown = folder.display();
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let entries = entries.map_err(|error| format!("cannot read the folder {shown}: {error}"))?;
    let paths: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
    let mut numbered: Vec<_> =
        paths.iter().filter_map(|path| Some((number(path)?, path.clone()))).collect();
    numbered.sort();
    let mut pairs = numbered.iter().zip(numbered.iter().skip(1));
    if let Some(((_, a), (_, b))) = pairs.find(|(a, b)| a.0 == b.0) {
        return Err(format!(
            "{} and {} have the same number: remove one, or give the files to show by name",
            a.display(),
            b.display()
        ));
    }
    if numbered.is_empty() {
        return Err(format!(
            "{shown} has no snapshots: found {}, expected snapshot-0000 with {EXTENSIONS} and so on, as \
             `nbody run --output FOLDER` writes them; give the folder of a run, or snapshot files by name",
            listed(&paths)
        ));
    }
    Ok(numbered.into_iter().map(|(_, path)| path).collect())
}

/// Returns the number of a snapshot file of a run.
fn number(path: &Path) -> Option<u64> {
    Format::of(path)?;
    let digits = path.file_stem()?.to_str()?.strip_prefix(PREFIX)?;
    digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())?
}

/// Names the files of a folder, the first of them if they are more than a few.
fn listed(paths: &[PathBuf]) -> String {
    let mut names: Vec<_> = paths.iter().filter_map(|path| path.file_name()).collect();
    names.sort();
    let shown: Vec<_> = names.iter().take(LISTED).map(|name| name.to_string_lossy()).collect();
    match names.len() {
        0 => "an empty folder".to_owned(),
        n if n > LISTED => format!("{} and {} more", shown.join(", "), n - LISTED),
        _ => shown.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_are_in_the_order_of_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["10000.csv", "0002.xyz", "9999.nemo", "0002.png", "x.csv", ".csv", "1e3.csv"] {
            fs::write(folder.path().join(format!("snapshot-{name}")), "").unwrap();
        }
        fs::write(folder.path().join("energies.csv"), "").unwrap();
        let names = |every| {
            let found = find(&[folder.path().to_owned()], NonZeroUsize::new(every).unwrap());
            let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap()[9..].to_owned();
            found.unwrap().paths.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names(1), ["0002.xyz", "9999.nemo", "10000.csv"]);
        assert_eq!(names(2), ["0002.xyz", "10000.csv"]);
        assert_eq!(names(3), ["0002.xyz"]);
        fs::write(folder.path().join("snapshot-002.csv"), "").unwrap();
        let error = of_folder(folder.path()).unwrap_err();
        assert!(error.contains("have the same number: remove one"), "{error}");
    }
}
