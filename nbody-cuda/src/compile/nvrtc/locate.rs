//! Search for the NVRTC library.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use nbody_compile::variable;

use crate::compile::toolkit::{entries, name, toolkits};
use crate::error::Error;

/// The file name of the library, without the version.
const LIBRARY: &str = "libnvrtc.so";

/// The places to search.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// A library, or a folder with a library, that the user names; no other place is then
    /// searched.
    pub named: Option<PathBuf>,
    /// Folders, in the order of the search.
    pub folders: Vec<PathBuf>,
}

/// Folders that the program names.
static ADDED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Adds a folder to search before the folders of the system.
pub(super) fn add_folder(folder: PathBuf) {
    let mut added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
    if !added.contains(&folder) {
        added.push(folder);
    }
}

impl Places {
    pub fn of_the_system() -> Self {
        let mut folders = Vec::new();
        if let Some(paths) = variable("LD_LIBRARY_PATH") {
            folders.extend(env::split_paths(&paths));
        }
        folders.extend(ADDED.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned());
        folders.extend(toolkits().iter().flat_map(|toolkit| libraries_of(toolkit)));
        let system = format!("/usr/lib/{}-linux-gnu", env::consts::ARCH);
        folders.extend([&*system, "/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
        folders.retain(|folder| !folder.as_os_str().is_empty());
        Self { named: variable("NBODY_NVRTC").map(PathBuf::from), folders }
    }
}

fn libraries_of(toolkit: &Path) -> [PathBuf; 2] {
    let target = match env::consts::ARCH {
        "aarch64" => "targets/sbsa-linux/lib",
        _ => "targets/x86_64-linux/lib",
    };
    [toolkit.join("lib64"), toolkit.join(target)]
}

/// Returns whether a path is a file name without a folder, which the dynamic loader looks up.
pub(super) fn is_name(library: &Path) -> bool {
    library.file_name() == Some(library.as_os_str())
}

/// Returns the newest library in the first place that has one. A file name is returned unchanged.
pub(super) fn find(places: &Places) -> Result<PathBuf, Error> {
    if let Some(named) = &places.named {
        if is_name(named) {
            return Ok(named.clone());
        }
        let library = if named.is_dir() { newest(named) } else { Some(named.clone()) };
        return library
            .filter(|library| library.is_file())
            .ok_or_else(|| Error::NvrtcNotFound(vec![named.clone()]));
    }
    let found = places.folders.iter().find_map(|folder| newest(folder));
    found.ok_or_else(|| Error::NvrtcNotFound(places.folders.clone()))
}

fn newest(folder: &Path) -> Option<PathBuf> {
    let mut found = entries(folder, LIBRARY);
    found.retain(|path| {
        let rest = name(path).and_then(|name| name.strip_prefix(LIBRARY)).unwrap_or_default();
        rest.is_empty() || rest.starts_with('.')
    });
    found.pop()
}

/// Returns the libraries that NVRTC needs. It finds them only if they are loaded or in the library
/// path.
pub(super) fn builtins(library: &Path) -> Vec<PathBuf> {
    entries(library.parent().unwrap_or(Path::new(".")), "libnvrtc-builtins.so.")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folder(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in names {
            fs::write(folder.path().join(name), b"").unwrap();
        }
        folder
    }

    #[test]
    fn the_newest_library_of_the_first_folder_wins() {
        let empty = folder(&["libcuda.so.1", "libnvrtc-builtins.so.99.0"]);
        let first =
            folder(&["libnvrtc.so", "libnvrtc.so.9", "libnvrtc.so.12", "libnvrtc.alt.so.99"]);
        let second = folder(&["libnvrtc.so.13"]);
        let folders = [&empty, &first, &second].map(|folder| folder.path().to_owned()).to_vec();
        let places = Places { named: None, folders };
        assert_eq!(find(&places).unwrap(), first.path().join("libnvrtc.so.12"));
    }

    #[test]
    fn a_named_place_counts_alone() {
        let full = folder(&["libnvrtc.so.13"]);
        let folders = vec![full.path().to_owned()];
        let find = |named: PathBuf| find(&Places { named: Some(named), folders: folders.clone() });
        let library = full.path().join("libnvrtc.so.13");
        assert_eq!(find(full.path().to_owned()).unwrap(), library);
        assert_eq!(find(library.clone()).unwrap(), library);
        for missing in [full.path().join("no.so"), folder(&[]).path().to_owned()] {
            let error = find(missing.clone()).unwrap_err();
            assert!(matches!(&error, Error::NvrtcNotFound(places) if *places == [missing]));
        }
    }

    #[test]
    fn a_name_is_no_path() {
        for name in ["libnvrtc.so.13", "libnvrtc.so"] {
            assert!(is_name(Path::new(name)), "{name}");
            let places = Places { named: Some(name.into()), folders: Vec::new() };
            assert_eq!(find(&places).unwrap(), Path::new(name));
        }
        for path in ["./libnvrtc.so", "lib/libnvrtc.so", "/libnvrtc.so", "lib/", ".", "..", ""] {
            assert!(!is_name(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn an_error_lists_the_places_searched() {
        let places = Places { named: None, folders: vec!["/no/where".into(), "/else".into()] };
        let message = find(&places).unwrap_err().to_string();
        assert!(message.contains("/no/where, /else"), "{message}");
    }

    #[test]
    fn builtins_lie_beside_the_library() {
        let folder = folder(&["libnvrtc.so.13", "libnvrtc-builtins.so.13.0"]);
        let found = builtins(&folder.path().join("libnvrtc.so.13"));
        assert_eq!(found, [folder.path().join("libnvrtc-builtins.so.13.0")]);
    }
}
