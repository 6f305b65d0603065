//! `cargo xtask wheel`: the package for Python.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::wheels::MATURIN;

/// The largest wheel, in bytes.
const LARGEST: u64 = 3_000_000;

/// Builds the wheel for every Python since 3.10 and every Linux since 2014; prints its path.
pub fn wheel(root: &Path, target: &Path) -> Result<(), String> {
    let packages = MATURIN.provide(target)?;
    let to = target.join("wheels");
    let before = env::var_os("PATH").unwrap_or_default();
    let paths = [packages.join("bin")].into_iter().chain(env::split_paths(&before));
    let path = env::join_paths(paths).map_err(|error| error.to_string())?;
    let built = Command::new(packages.join("bin/maturin"))
        .args(["build", "--zig", "--compatibility", "manylinux2014", "--manifest-path"])
        .arg(root.join("nbody-python/Cargo.toml"))
        .arg("--out")
        .arg(&to)
        .env("PATH", path)
        // Maturin runs zig as a module of Python.
        .env("PYTHONPATH", &packages)
        .status()
        .map_err(|error| format!("cannot start maturin: {error}"))?;
    if !built.success() {
        return Err(format!("maturin failed: {built}"));
    }
    let found = newest(&to)?;
    pack(&packages, &found)?;
    let bytes = found.metadata().map_err(|error| error.to_string())?.len();
    println!("{}: {bytes} bytes", found.display());
    if bytes > LARGEST {
        return Err(format!("the wheel has {bytes} bytes, expected up to {LARGEST}"));
    }
    Ok(())
}

/// Packs a wheel again, 3% smaller.
fn pack(packages: &Path, wheel: &Path) -> Result<(), String> {
    let packed = wheel.with_extension("packed");
    println!("packing {}", wheel.display());
    let done = Command::new("python3")
        .args(["-c", include_str!("../wheels/pack.py")])
        .args([wheel, &packed])
        .env("PYTHONPATH", packages)
        .status()
        .map_err(|error| format!("cannot start python3: {error}"))?;
    if !done.success() {
        return Err(format!("the wheel was not packed: {done}"));
    }
    fs::rename(packed, wheel).map_err(|error| format!("{}: {error}", wheel.display()))
}

/// Returns the newest wheel in a folder.
fn newest(folder: &Path) -> Result<PathBuf, String> {
    let describe = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut wheels = Vec::new();
    for entry in folder.read_dir().map_err(describe)? {
        let path = entry.map_err(describe)?.path();
        if path.extension().is_some_and(|it| it == "whl") {
            wheels.push((path.metadata().and_then(|it| it.modified()).map_err(describe)?, path));
        }
    }
    wheels.sort();
    wheels.pop().map(|(_, path)| path).ok_or_else(|| format!("no wheel in {}", folder.display()))
}
