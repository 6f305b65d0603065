//! Where CUDA toolkits are, and what their folders hold.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

/// An environment variable that is set to something.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// `CUDA_HOME`, `CUDA_PATH`, and the toolkits under `/usr/local`: the newest first but for
/// `cuda`, which is the chosen one.
pub(crate) fn toolkits() -> Vec<PathBuf> {
    let mut installed: Vec<_> = entries(Path::new("/usr/local"))
        .into_iter()
        .filter(|path| name(path).is_some_and(|name| name.starts_with("cuda-")))
        .collect();
    installed.sort_by_key(|path| std::cmp::Reverse(version(&path.to_string_lossy())));
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable).map(PathBuf::from);
    named.chain([PathBuf::from("/usr/local/cuda")]).chain(installed).collect()
}

pub(crate) fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

pub(crate) fn name(path: &Path) -> Option<&str> {
    path.file_name().and_then(OsStr::to_str)
}

/// The numbers in a name: `libnvrtc.so.13` before `libnvrtc.so.12`.
pub(crate) fn version(name: &str) -> Vec<u32> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}
