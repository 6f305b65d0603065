//! Temporary files and folders, removed when dropped.

use std::env;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The number of names to try. Random names collide only if someone takes them on purpose.
const ATTEMPTS: usize = 1 << 10;

/// The prefix of the names, which hides them in listings of a folder.
const PREFIX: &str = ".nbody-";

/// A file or folder with a new name, accessible to this user alone. It remains after a crash.
#[derive(Debug)]
pub struct Temporary {
    path: PathBuf,
    remove: fn(&Path) -> io::Result<()>,
}

impl Temporary {
    /// Creates an empty folder in the system's temporary folder.
    pub fn folder() -> io::Result<Self> {
        let mut options = DirBuilder::new();
        #[cfg(unix)]
        options.mode(0o700);
        let (path, ()) = make_new(&env::temp_dir(), &|path| options.create(path))?;
        Ok(Self { path, remove: |path| fs::remove_dir_all(path) })
    }

    /// Creates an empty file in this folder.
    pub fn file_in(folder: &Path) -> io::Result<(Self, File)> {
        let mut options = OpenOptions::new();
        // Opens neither an existing file nor the target of a link.
        options.write(true).create_new(true);
        #[cfg(unix)]
        options.mode(0o600);
        let (path, file) = make_new(folder, &|path| options.open(path))?;
        Ok((Self { path, remove: |path| fs::remove_file(path) }, file))
    }

    /// Returns the path of the file or folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Renames the file atomically, replacing a file of that name, and keeps it.
    pub fn persist(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.path, path)?;
        self.remove = |_| Ok(());
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A destructor cannot report an error; the file then remains.
        let _ = (self.remove)(&self.path);
    }
}

/// Returns whether this is the name of a temporary file or folder.
pub(crate) fn is_name(name: &str) -> bool {
    name.strip_prefix(PREFIX).is_some_and(|number| {
        number.len() == 16 && number.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Creates a file or folder with a name that is not taken.
fn make_new<T>(folder: &Path, make: &dyn Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..ATTEMPTS {
        // Random: the hash of nothing depends only on the new keys.
        let number = RandomState::new().build_hasher().finish();
        let path = folder.join(format!("{PREFIX}{number:016x}"));
        match make(&path) {
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dropped_files_are_removed_and_persisted_ones_stay() {
        let folder = Temporary::folder().unwrap();
        let path = folder.path().to_owned();
        let (file, _) = Temporary::file_in(&path).unwrap();
        let (kept, _) = Temporary::file_in(&path).unwrap();
        assert_ne!(file.path(), kept.path());
        kept.persist(&path.join("kept")).unwrap();
        drop(file);
        let left: Vec<_> =
            fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, [path.join("kept")]);
        drop(folder);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn only_this_user_has_access() {
        use std::os::unix::fs::PermissionsExt;

        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let folder = Temporary::folder().unwrap();
        let (file, _) = Temporary::file_in(folder.path()).unwrap();
        assert_eq!([mode(folder.path()), mode(file.path())], [0o700, 0o600]);
    }

    #[test]
    fn a_file_that_cannot_be_renamed_is_removed() {
        let folder = Temporary::folder().unwrap();
        let (file, _) = Temporary::file_in(folder.path()).unwrap();
        file.persist(&folder.path().join("no/where")).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_taken_name_is_not_used() {
        let taken = io::ErrorKind::AlreadyExists;
        let calls = std::cell::Cell::new(0);
        let make = |_: &Path| {
            calls.set(calls.get() + 1);
            if calls.get() < 3 { Err(taken.into()) } else { Ok(calls.get()) }
        };
        assert_eq!(make_new(Path::new("/"), &make).unwrap().1, 3);
        let error = make_new::<()>(Path::new("/"), &|_| Err(taken.into())).unwrap_err();
        assert_eq!(error.kind(), taken);
        let denied = io::ErrorKind::PermissionDenied;
        let error = make_new::<()>(Path::new("/"), &|_| Err(denied.into())).unwrap_err();
        assert_eq!(error.kind(), denied);
    }
}
