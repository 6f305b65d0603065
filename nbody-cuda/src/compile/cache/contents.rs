//! What there is in the folder of a cache.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::iter::Sum;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::compile::temporary;

/// What the names of entries end in.
/// Measurements of configurations.
pub(crate) const TUNED: &str = "tuned";
const EXTENSIONS: [&str; 5] = ["so", "cubin", "cu", "version", TUNED];
/// How long a temporary file may be written.
const AT_WORK: Duration = Duration::from_secs(60 * 60);

/// How much there is in a cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheContents {
    /// Compiled programs and what else is kept under a name of its own.
    pub entries: usize,
    /// What all of it takes.
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

/// The files of one key: a compiled program and its text, say; or a file that a process left behind.
#[derive(Debug)]
pub(super) struct Group {
    key: String,
    files: Vec<PathBuf>,
    bytes: u64,
    /// When one of them was last written or read.
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

    /// Whether it may be removed to make room: not what took minutes to measure, nor what somebody
    /// may be writing.
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

/// The entries in a folder, which may have other files as well; none if there is no folder.
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
        // Another process may have removed it.
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

/// The key in the name of a file, if it is one of ours.
fn key_of(name: &str) -> Option<&str> {
    if temporary::is_name(name) {
        return Some(name);
    }
    let (key, extension) = name.split_once('.')?;
    let is_digest = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_digest && EXTENSIONS.contains(&extension)).then_some(key)
}
