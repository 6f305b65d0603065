//! The kernel cache: compiled programs on disk.
//!
//! An entry is written to a temporary file and renamed, so that no reader sees an incomplete
//! entry. Its checksum detects damage, and a damaged entry is replaced. If the folder cannot be
//! written, programs are compiled at every start.
//!
//! Names and checksums are 128-bit XXH3 hashes: they prevent collisions, but do not prove the
//! origin of an entry. Since entries are code that is run, a folder is used only if nobody but
//! this user and the system's administrator can write to it.
//!
//! The key is the whole text, the options and the version of the compiler, and the target: the
//! architecture of the GPU, or all predefined macros of a C++ compiler, which identify the
//! processor. An entry that does not load is compiled again.
//!
//! The folder has no index: the time of a file is its last use, and eviction lists the folder.
//! Processes need no lock, since an evicted entry is compiled again.

mod contents;
mod trust;

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::environment::variable;
use crate::error::Error;
use crate::temporary::Temporary;
pub(crate) use contents::ANSWERS;
pub use contents::{CacheContents, TUNED};

const MAGIC: &[u8] = b"nbody kernel cache 2\n";
const DIGEST: usize = size_of::<u128>();
/// The variable that limits the size of the cache, and the default limit, in MiB.
const LIMIT: &str = "NBODY_CACHE_LIMIT";
const DEFAULT_LIMIT: u64 = 1024;

/// A folder of compiled programs and of the measurements of `tune`.
///
/// If the entries exceed the limit, `NBODY_CACHE_LIMIT` in MiB or 1024 by default, the least
/// recently used programs are removed, except the program that was compiled last. Measurements are
/// never removed.
///
/// A folder that belongs to another user, or that others may write to, is not used, since the
/// entries are code that this process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: Option<PathBuf>,
    /// The limit in bytes, or the invalid value of the variable.
    limit: Result<u64, String>,
}

/// The result of a look-up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The content of the entry.
    Found(Vec<u8>),
    /// There is no such entry, or the folder is not used.
    Missing,
    /// The entry is damaged, or others may write to its file.
    Corrupt,
}

impl Cache {
    /// Returns the cache in `NBODY_CACHE_DIR` if it is set, otherwise in `XDG_CACHE_HOME/nbody` or
    /// `~/.cache/nbody`.
    pub fn of_the_user() -> Self {
        let folder = variable("NBODY_CACHE_DIR")
            .map(PathBuf::from)
            .or_else(|| variable("XDG_CACHE_HOME").map(|cache| PathBuf::from(cache).join("nbody")))
            .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".cache/nbody")));
        Self { folder, limit: limit() }
    }

    /// Returns the cache in this folder, which is created with the first entry.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), limit: limit() }
    }

    /// Returns the folder; `None` if no environment variable names one.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Returns the largest size of all entries, in bytes.
    pub fn limit(&self) -> Result<u64, Error> {
        self.limit.clone().map_err(|found| Error::Variable {
            name: LIMIT,
            found,
            expected: "a whole number of MiB",
        })
    }

    /// Refuses a folder that others may write to. A folder that does not exist yet is accepted.
    pub fn check(&self) -> Result<(), Error> {
        let Some(folder) = self.folder() else { return Err(Error::NoCacheFolder) };
        match fs::metadata(folder) {
            Ok(metadata) => trust::check(&metadata)
                .map_err(|reason| Error::UntrustedCache { folder: folder.to_owned(), reason }),
            // Other errors appear when the folder is used.
            Err(_) => Ok(()),
        }
    }

    /// Returns the size of all entries; zero if the folder does not exist.
    pub fn contents(&self) -> Result<CacheContents, Error> {
        let groups = self.groups().map_err(|e| self.failed("list", e))?;
        Ok(groups.iter().map(contents::Group::contents).sum())
    }

    /// Removes all entries, and nothing else, from the folder. Returns the size of the removed
    /// entries.
    pub fn clear(&self) -> Result<CacheContents, Error> {
        let mut removed = CacheContents::default();
        for group in self.groups().map_err(|e| self.failed("list", e))? {
            group.remove().map_err(|e| self.failed("clear", e))?;
            removed = [removed, group.contents()].into_iter().sum();
        }
        Ok(removed)
    }

    fn groups(&self) -> io::Result<Vec<contents::Group>> {
        self.folder().map_or(Ok(Vec::new()), contents::groups)
    }

    fn failed(&self, action: &str, source: io::Error) -> Error {
        let folder = self.folder().unwrap_or(Path::new("")).display();
        Error::io(format!("{action} the kernel cache {folder}"))(source)
    }

    /// Returns the key of an entry: the digest of everything that its content depends on.
    #[doc(hidden)] // for crates that compile, as `load` and `store` are
    pub fn key(parts: &[&[u8]]) -> String {
        let mut digest = Xxh3::new();
        for part in parts {
            // The lengths distinguish ("ab", "c") from ("a", "bc").
            digest.update(&(part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        format!("{:032x}", digest.digest128())
    }

    fn path(&self, key: &str, extension: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.{extension}")))
    }

    /// Reads an entry and marks it as recently used.
    #[doc(hidden)]
    pub fn load(&self, key: &str, extension: &str) -> Entry {
        let file = self.check().ok().and_then(|()| self.path(key, extension));
        let Some(Ok(mut file)) = file.map(File::open) else { return Entry::Missing };
        let mut bytes = Vec::new();
        let trusted = file.metadata().is_ok_and(|metadata| trust::check(&metadata).is_ok());
        if !trusted || file.read_to_end(&mut bytes).is_err() {
            return Entry::Corrupt;
        }
        // Marks the entry as recently used. A folder that cannot be written needs no mark.
        let _ = file.set_modified(SystemTime::now());
        let payload = bytes
            .strip_prefix(MAGIC)
            .and_then(|rest| rest.split_at_checked(DIGEST))
            .filter(|(digest, payload)| xxh3_128(payload).to_le_bytes() == **digest);
        match payload {
            Some((_, payload)) => Entry::Found(payload.to_vec()),
            None => Entry::Corrupt,
        }
    }

    /// Writes an entry and makes room for it. The error is the reason why the entry was not
    /// written.
    #[doc(hidden)]
    pub fn store(&self, key: &str, extension: &str, payload: &[u8]) -> Result<(), String> {
        let digest = xxh3_128(payload).to_le_bytes();
        self.write(key, extension, &[MAGIC, &digest, payload])?;
        self.make_room(key).map_err(|error| error.to_string())
    }

    /// Removes the least recently used entries while the size exceeds the limit. Other processes
    /// may do the same at the same time: an entry that is already gone counts as removed.
    fn make_room(&self, keep: &str) -> Result<(), Error> {
        let limit = self.limit()?;
        let mut groups = self.groups().map_err(|e| self.failed("list", e))?;
        let mut bytes: u64 = groups.iter().map(contents::Group::bytes).sum();
        groups.retain(|group| group.may_go() && !group.is(keep));
        groups.sort_by_key(contents::Group::used);
        for group in groups {
            if bytes <= limit {
                break;
            }
            group.remove().map_err(|e| self.failed("make room in", e))?;
            bytes -= group.bytes();
        }
        Ok(())
    }

    /// Writes the text of a program, unless it is there, and returns the file; `None` if the text
    /// cannot be written.
    pub(crate) fn store_text(&self, key: &str, extension: &str, text: &str) -> Option<PathBuf> {
        let path = self.check().ok().and_then(|()| self.path(key, extension))?;
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            return Some(path);
        }
        self.write(key, extension, &[text.as_bytes()]).ok().map(|()| path)
    }

    fn write(&self, key: &str, extension: &str, parts: &[&[u8]]) -> Result<(), String> {
        let usable = self.check().and_then(|()| self.limit());
        usable.map_err(|error| error.to_string())?;
        let folder = self.folder().expect("a usable cache has a folder");
        let path = folder.join(format!("{key}.{extension}"));
        let write = || {
            trust::make_folder(folder)?;
            let (temporary, mut file) = Temporary::file_in(folder)?;
            for part in parts {
                file.write_all(part)?;
            }
            temporary.persist(&path)
        };
        write().map_err(|error: io::Error| format!("{}: {error}", folder.display()))
    }
}

/// Returns the limit in bytes that the variable sets. The error is an invalid value.
fn limit() -> Result<u64, String> {
    let Some(value) = variable(LIMIT) else { return Ok(DEFAULT_LIMIT << 20) };
    let text = value.to_string_lossy().into_owned();
    let bytes = text.parse().ok().and_then(|limit: u64| limit.checked_mul(1 << 20));
    bytes.ok_or(text)
}

#[cfg(test)]
mod tests;
