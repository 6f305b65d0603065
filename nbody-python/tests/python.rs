//! Runs the tests in Python with the extension that cargo built, and the packages that `NBODY_PYTHON`
//! names. `cargo xtask test` provides them; without them nothing is tested.

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file name by which every Python since 3.10 finds the extension.
const EXTENSION: &str = "_native.abi3.so";

/// Links the package and its extension in a folder.
fn install(folder: &Path) {
    let package = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/nbody");
    let to = folder.join("nbody");
    fs::create_dir(&to).unwrap();
    for entry in fs::read_dir(package).unwrap() {
        let entry = entry.unwrap();
        symlink(entry.path(), to.join(entry.file_name())).unwrap();
    }
    let built = env::current_exe().unwrap().parent().unwrap().join("lib_native.so");
    symlink(built, to.join(EXTENSION)).unwrap();
}

#[test]
fn tests_in_python_pass() {
    let Some(packages) = env::var_os("NBODY_PYTHON").filter(|it| !it.is_empty()) else {
        eprintln!("no NBODY_PYTHON: the interface for Python is not tested");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    install(folder.path());
    let paths = [folder.path().to_owned(), PathBuf::from(packages)];
    let output = Command::new("python3")
        .args(["-m", "pytest", "--quiet", "-p", "no:cacheprovider"])
        .args(["--rootdir", env!("CARGO_MANIFEST_DIR"), "-c"])
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("pyproject.toml"))
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"))
        .env("PYTHONPATH", env::join_paths(paths).unwrap())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("HYPOTHESIS_STORAGE_DIRECTORY", folder.path().join("hypothesis"))
        .output()
        .expect("python3, which pip runs with");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let passed = text.split(" passed").next().and_then(|it| it.split_whitespace().next_back());
    let passed: usize = passed.and_then(|it| it.parse().ok()).unwrap_or(0);
    assert!(passed > 50, "{text}");
}
