//! The files in the folder of a cache.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::iter::Sum;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::temporary;

/// The extension of entries that hold measurements.
pub const TUNED: &str = "tuned";
/// The extension of entries that hold the answers of compilers about themselves.
pub const ANSWERS: &str = "answers";
/// The extensions of all entries.
const EXTENSIONS: [&str; 7] = ["so", "cubin", "cu", "cpp", "version", ANSWERS, TUNED];
/// The age from which on a temporary file counts as left behind by a crash.
const AT_WORK: Duration = Duration::from_secs(60 * 60);

/// The size of a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheContents {
    /// The number of entries: compiled programs, measurements, versions of compilers.
    pub entries: usize,
    /// The bytes of all files.
    pub bytes: u64,
}

impl Sum for CacheContents {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, other| Self {
            entries: sum.entries + other.entries,
            bytes: sum.bytes + other.bytes,
        })
    }
}

/// The files of one key, such as a compiled program and its text; or a temporary file.
#[derive(Debug)]
pub(super) struct Group {
    key: String,
    files: Vec<PathBuf>,
    bytes: u64,
    /// The time when a file of the group was last written or read.
    used: SystemTime,
}

impl Group {
    pub fn contents(&self) -> CacheContents {
        CacheContents { entries: 1, bytes: self.bytes }
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    pub fn used(&self) -> SystemTime {
        self.used
    }

    pub fn is(&self, key: &str) -> bool {
        self.key == key
    }

    /// Returns whether the group may be removed to make room. Measurements stay, since they took
    /// minutes; so do temporary files that a process may still be writing.
    pub fn may_go(&self) -> bool {
        let is_tuned = |file: &PathBuf| file.extension().is_some_and(|found| found == TUNED);
        let at_work = temporary::is_name(&self.key)
            && self.used.elapsed().is_ok_and(|elapsed| elapsed < AT_WORK);
        !at_work && !self.files.iter().any(is_tuned)
    }

    pub fn remove(&self) -> io::Result<()> {
        for file in &self.files {
            match fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Returns the entries in a folder, which may also have other files; none if the folder does not
/// exist.
pub(super) fn groups(folder: &Path) -> io::Result<Vec<Group>> {
    let files = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        files => files?,
    };
    let mut groups = BTreeMap::<String, Group>::new();
    for file in files {
        let file = file?;
        let name = file.file_name();
        let Some(key) = name.to_str().and_then(key_of) else { continue };
        // Another process may have removed the file.
        let Ok(metadata) = file.metadata() else { continue };
        let group = groups.entry(key.to_owned()).or_insert_with(|| Group {
            key: key.to_owned(),
            files: Vec::new(),
            bytes: 0,
            used: SystemTime::UNIX_EPOCH,
        });
        group.files.push(file.path());
        group.bytes += metadata.len();
        group.used = group.used.max(metadata.modified()?);
    }
    Ok(groups.into_values().collect())
}

/// Returns the key in the name of a file, if the file belongs to an entry.
fn key_of(name: &str) -> Option<&str> {
    if temporary::is_name(name) {
        return Some(name);
    }
    let (key, extension) = name.split_once('.')?;
    let is_digest = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_digest && EXTENSIONS.contains(&extension)).then_some(key)
}
