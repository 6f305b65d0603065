//! What NVIDIA makes and the checks need: the system's, or a wheel from `PyPI`, installed under
//! `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nbody_cuda::nvrtc::Nvrtc;
use nbody_cuda::{Error, sass};

/// A thing that is needed, and the wheel that has it.
pub struct Wheel {
    pub name: &'static str,
    /// The variable that names the thing, or its folder.
    pub variable: &'static str,
    /// What it is needed for.
    purpose: &'static str,
    /// The package and its version.
    package: &'static str,
    /// Where the wheel has what is needed.
    inside: &'static str,
    /// Finds the system's.
    find: fn() -> Result<PathBuf, Error>,
}

pub const WHEELS: [Wheel; 2] = [
    Wheel {
        name: "NVRTC",
        variable: "NBODY_NVRTC",
        purpose: "to compile the CUDA programs",
        package: "nvidia-cuda-nvrtc==13.0.88",
        inside: "nvidia/cu13/lib",
        find: Nvrtc::find,
    },
    // The oldest that there is a wheel of; it reads what compilers of CUDA 13.0 write.
    Wheel {
        name: "nvdisasm",
        variable: "NBODY_NVDISASM",
        purpose: "to count instructions of the CUDA programs",
        package: "nvidia-cuda-nvdisasm==13.2.51",
        inside: "nvidia/cu13/bin",
        find: sass::find,
    },
];

impl Wheel {
    /// Where the thing is, installed if need be; the error says what to do.
    pub fn provide(&self, target: &Path) -> Result<PathBuf, String> {
        if let Ok(path) = (self.find)() {
            return Ok(path);
        }
        let folder = target.join(self.name.to_lowercase());
        let inside = folder.join(self.inside);
        if !inside.is_dir() {
            let Self { name, package, .. } = self;
            println!("no {name} on this system: installing {package} in {}", folder.display());
            self.install(&folder)?;
        }
        Ok(inside)
    }

    /// Installs beside, then renames, so that a broken attempt leaves nothing behind.
    fn install(&self, folder: &Path) -> Result<(), String> {
        let Self { name, variable, purpose, package, inside, .. } = self;
        let parent = folder.parent().unwrap_or(Path::new("."));
        let explain = |what: &str, why: String| {
            format!(
                "{what}: {why}\n{name} is needed {purpose}. Install the CUDA toolkit, or \
                 `pip install {package}`, and set {variable} to its folder."
            )
        };
        fs::create_dir_all(parent).map_err(|e| explain("cannot make target/", e.to_string()))?;
        let attempt = tempfile::tempdir_in(parent)
            .map_err(|e| explain("cannot make a folder in target/", e.to_string()))?;
        pip(package, attempt.path()).map_err(|why| explain("pip cannot install it", why))?;
        if !attempt.path().join(inside).is_dir() {
            return Err(explain("the wheel is not as expected", format!("no {inside} in it")));
        }
        fs::rename(attempt.keep(), folder)
            .map_err(|e| explain("cannot put it in its place", e.to_string()))
    }
}

fn pip(package: &str, folder: &Path) -> Result<(), String> {
    let mut tried = Vec::new();
    for python in ["python3", "python"] {
        let output = Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"])
            .args(["--only-binary", ":all:", package, "--target"])
            .arg(folder)
            .output();
        match output {
            Ok(output) if output.status.success() => return Ok(()),
            Ok(output) => {
                let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
                tried.push(format!("{python}: {why}"));
            }
            Err(error) => tried.push(format!("{python}: {error}")),
        }
    }
    Err(tried.join("\n"))
}
