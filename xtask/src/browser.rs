//! Provides a headless Chromium for the tests of pages: from a package of npm, unpacked under
//! `target/`, or from a path in an environment variable.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Environment variable with the path of the browser, or of its folder.
pub const VARIABLE: &str = "NBODY_CHROMIUM";
/// The package that contains it, and the hash of its archive as npm states it.
const PACKAGE: &str = "@sparticuz/chromium@153.0.0";
const HASH: &str = "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==";
/// Program that checks the hash and unpacks the archive.
const UNPACK: &str = include_str!("../browser/unpack.mjs");

/// Returns the folder of the browser: the one that the variable names, or else the one of the
/// package, which is fetched if need be. The error says how to install it.
pub fn provide(target: &Path) -> Result<PathBuf, String> {
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let (_, version) = PACKAGE.rsplit_once('@').unwrap_or_default();
    let folder = target.join(format!("chromium-{version}"));
    if !folder.is_dir() {
        println!("unpacking {PACKAGE} in {}: no {VARIABLE} is set", folder.display());
        install(&folder, &fetch, HASH).map_err(|why| {
            format!(
                "{why}\nChromium is needed to test pages. Install Node.js with npm, or Chromium, such as \
                 Debian's, and set {VARIABLE} to its program."
            )
        })?;
    }
    Ok(folder)
}

/// Function that puts the archive of the package into a folder, and returns its path.
type Fetch = dyn Fn(&Path) -> Result<PathBuf, String>;

/// Installs in a temporary folder and renames it, so that a failed attempt leaves nothing behind.
fn install(folder: &Path, fetch: &Fetch, hash: &str) -> Result<(), String> {
    let text = |error: std::io::Error| format!("cannot make {}: {error}", folder.display());
    let parent = folder.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent).map_err(text)?;
    let attempt = tempfile::tempdir_in(parent).map_err(text)?;
    let (script, unpacked) = (attempt.path().join("unpack.mjs"), attempt.path().join("unpacked"));
    fs::write(&script, UNPACK).map_err(text)?;
    fs::create_dir(&unpacked).map_err(text)?;
    let archive = fetch(attempt.path())?;
    let arguments = [script.as_os_str(), archive.as_os_str(), hash.as_ref(), unpacked.as_os_str()];
    run("node", &arguments)?;
    fs::rename(unpacked, folder).map_err(text)
}

/// Fetches the archive by npm.
fn fetch(folder: &Path) -> Result<PathBuf, String> {
    let to = ["pack", "--silent", "--pack-destination"].map(OsStr::new);
    let printed = run("npm", &[&to[..], &[folder.as_os_str(), PACKAGE.as_ref()]].concat())?;
    let name = printed.lines().next_back().unwrap_or_default();
    Ok(folder.join(name.trim()))
}

/// Runs a program, and returns its output.
fn run(program: &str, arguments: &[&OsStr]) -> Result<String, String> {
    let output = Command::new(program).args(arguments).output();
    let output = output.map_err(|error| format!("cannot start {program}: {error}"))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(format!("{program} failed: {why}"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_package_of_another_hash_is_not_unpacked() {
        let target = tempfile::tempdir().unwrap();
        let folder = target.path().join("chromium");
        let entries = || fs::read_dir(target.path()).unwrap().count();
        let error = install(&folder, &|_| Err("offline".to_owned()), HASH).unwrap_err();
        assert_eq!((error.as_str(), entries()), ("offline", 0));
        if run("node", &["--version".as_ref()]).is_err() {
            // Where the variable names a browser, Node.js is not needed.
            return;
        }
        let other = |at: &Path| {
            let archive = at.join("other.tgz");
            fs::write(&archive, "other").map_err(|error| error.to_string())?;
            Ok(archive)
        };
        let error = install(&folder, &other, HASH).unwrap_err();
        assert!(error.contains(&format!("expected {HASH}")), "{error}");
        assert_eq!(entries(), 0);
    }
}
