//! Compiled programs on disk.
//!
//! An entry is written to a temporary file and renamed, so that no reader sees half of one, and
//! carries a checksum, so that a damaged one is noticed and made again. An unwritable folder
//! costs the next start its time, and nothing else.
//!
//! Names and checksums are XXH3's 128 bits: enough that no two programs meet by chance, and no
//! defence against people who can write to the folder.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::temporary::Temporary;

const MAGIC: &[u8] = b"nbody kernel cache 2\n";
const DIGEST: usize = size_of::<u128>();

/// A folder of compiled programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

/// What the cache had.
pub(crate) enum Entry {
    Found(Vec<u8>),
    Missing,
    Corrupt,
}

impl Cache {
    /// `NBODY_CACHE_DIR`, or the user's cache folder.
    pub fn of_the_user() -> Self {
        let set = |name| std::env::var_os(name).filter(|value| !value.is_empty());
        let folder = set("NBODY_CACHE_DIR")
            .map(PathBuf::from)
            .or_else(|| set("XDG_CACHE_HOME").map(|cache| PathBuf::from(cache).join("nbody")))
            .or_else(|| set("HOME").map(|home| PathBuf::from(home).join(".cache/nbody")));
        Self { folder }
    }

    pub fn at(folder: PathBuf) -> Self {
        Self { folder: Some(folder) }
    }

    /// The entry's name: what the content depends on, by its digest.
    pub fn key(parts: &[&[u8]]) -> String {
        let mut digest = Xxh3::new();
        for part in parts {
            // The lengths keep ("ab", "c") apart from ("a", "bc").
            digest.update(&(part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        format!("{:032x}", digest.digest128())
    }

    pub fn path(&self, key: &str, extension: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(format!("{key}.{extension}")))
    }

    pub fn load(&self, key: &str, extension: &str) -> Entry {
        let Some(path) = self.path(key, extension) else { return Entry::Missing };
        let Ok(bytes) = fs::read(path) else { return Entry::Missing };
        let payload = bytes
            .strip_prefix(MAGIC)
            .and_then(|rest| rest.split_at_checked(DIGEST))
            .filter(|(digest, payload)| xxh3_128(payload).to_le_bytes() == **digest);
        match payload {
            Some((_, payload)) => Entry::Found(payload.to_vec()),
            None => Entry::Corrupt,
        }
    }

    /// Writes an entry; the error says why not.
    pub fn store(&self, key: &str, extension: &str, payload: &[u8]) -> Result<(), String> {
        let digest = xxh3_128(payload).to_le_bytes();
        self.write(key, extension, &[MAGIC, &digest, payload])
    }

    /// Writes the text of a program, for people to read, unless it is there.
    pub fn store_text(&self, key: &str, text: &str) -> Option<PathBuf> {
        let path = self.path(key, "cu")?;
        if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
            return Some(path);
        }
        self.write(key, "cu", &[text.as_bytes()]).ok().map(|()| path)
    }

    fn write(&self, key: &str, extension: &str, parts: &[&[u8]]) -> Result<(), String> {
        let Some(path) = self.path(key, extension) else {
            return Err("no cache folder: set NBODY_CACHE_DIR".to_owned());
        };
        let folder = path.parent().unwrap_or(Path::new("."));
        let write = || {
            fs::create_dir_all(folder)?;
            let (temporary, mut file) = Temporary::file_in(folder)?;
            for part in parts {
                file.write_all(part)?;
            }
            temporary.persist(&path)
        };
        write().map_err(|error: std::io::Error| format!("{}: {error}", folder.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("deep/er"));
        (folder, cache)
    }

    #[test]
    fn what_is_stored_is_found() {
        let (_folder, cache) = cache();
        assert!(matches!(cache.load("k", "x"), Entry::Missing));
        cache.store("k", "x", b"payload").unwrap();
        assert!(matches!(cache.load("k", "x"), Entry::Found(found) if found == b"payload"));
        assert!(matches!(cache.load("k", "y"), Entry::Missing));
    }

    #[test]
    fn every_damaged_byte_is_noticed() {
        let (_folder, cache) = cache();
        cache.store("k", "x", b"payload").unwrap();
        let path = cache.path("k", "x").unwrap();
        let whole = fs::read(&path).unwrap();
        for k in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[k] ^= 1;
            fs::write(&path, damaged).unwrap();
            assert!(matches!(cache.load("k", "x"), Entry::Corrupt), "byte {k}");
            fs::write(&path, &whole[..k]).unwrap();
            assert!(matches!(cache.load("k", "x"), Entry::Corrupt), "length {k}");
        }
    }

    #[test]
    fn writers_at_once_leave_one_whole_entry_and_no_other_file() {
        let (_folder, cache) = cache();
        let payload = vec![7; 100_000];
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| cache.store("k", "x", &payload).unwrap());
            }
        });
        assert!(matches!(cache.load("k", "x"), Entry::Found(found) if found == payload));
        let folder = cache.path("k", "x").unwrap();
        assert_eq!(fs::read_dir(folder.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_that_cannot_be_written_says_so() {
        let (folder, _) = cache();
        let file = folder.path().join("file");
        fs::write(&file, b"").unwrap();
        let error = Cache::at(file.join("cache")).store("k", "x", b"").unwrap_err();
        assert!(error.contains("file/cache"), "{error}");
    }

    #[test]
    fn keys_keep_their_parts_apart() {
        assert_ne!(Cache::key(&[b"ab", b"c"]), Cache::key(&[b"a", b"bc"]));
        assert_eq!(Cache::key(&[b"ab"]), Cache::key(&[b"ab"]));
    }
}
