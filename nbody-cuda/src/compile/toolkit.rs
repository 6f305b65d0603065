//! Locations of CUDA toolkits.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use nbody_compile::variable;

/// Returns `CUDA_HOME`, `CUDA_PATH`, and the toolkits under `/usr/local`: first `cuda`, the
/// default toolkit, then the others, newest first.
pub(crate) fn toolkits() -> Vec<PathBuf> {
    let installed = entries(Path::new("/usr/local"), "cuda-").into_iter().rev();
    let named = ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable).map(PathBuf::from);
    named.chain([PathBuf::from("/usr/local/cuda")]).chain(installed).collect()
}

/// Returns the entries of a folder whose names have this prefix, sorted by the version in the rest
/// of the name, newest last.
pub(crate) fn entries(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if let Some(rest) = name(&path).and_then(|name| name.strip_prefix(prefix)) {
            found.push((version(rest), path));
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, path)| path).collect()
}

pub(crate) fn name(path: &Path) -> Option<&str> {
    path.file_name().and_then(OsStr::to_str)
}

/// Returns the numbers in a name: 12 and 4 in `12.4`.
fn version(name: &str) -> Vec<u32> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}
