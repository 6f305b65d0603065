//! The folder of a run.

use std::fs;
use std::path::Path;

use crate::error::Error;

/// Creates the folder. Refuses one with files of another run, whose frames would mix with the new
/// ones.
pub fn provide(path: &Path) -> Result<(), Error> {
    fs::create_dir_all(path).map_err(Error::io("create the folder", path))?;
    let entries = fs::read_dir(path).map_err(Error::io("read the folder", path))?;
    let names = entries.flatten().map(|it| it.file_name().to_string_lossy().into_owned());
    match names.filter(|name| is_of_run(name)).min() {
        None => Ok(()),
        Some(file) => Err(Error::InUse { folder: path.to_owned(), file }),
    }
}

fn is_of_run(name: &str) -> bool {
    name.starts_with("frame-") || name == "energy.csv" || name == "energy.svg"
}

/// Writes a file atomically: it gets its name only when it is complete.
pub fn write(path: &Path, contents: &[u8]) -> Result<(), Error> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let written = fs::write(&part, contents).and_then(|()| fs::rename(&part, path));
    written.map_err(Error::io("write", path))
}
