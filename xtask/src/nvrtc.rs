//! NVRTC: the system's, or NVIDIA's wheel from `PyPI`, installed under `target/`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use nbody_cuda::nvrtc::Nvrtc;

const WHEEL: &str = "nvidia-cuda-nvrtc==13.0.88";
/// Where the wheel has its libraries.
const LIBRARIES: &str = "nvidia/cu13/lib";

/// The library, installed if need be; the error says what to do.
pub fn provide(target: &Path) -> Result<PathBuf, String> {
    if let Ok(path) = Nvrtc::find() {
        return Ok(path);
    }
    let folder = target.join("nvrtc");
    let libraries = folder.join(LIBRARIES);
    if !libraries.is_dir() {
        println!("no NVRTC on this system: installing {WHEEL} in {}", folder.display());
        install(&folder)?;
    }
    Ok(libraries)
}

/// Installs beside, then renames, so that a broken attempt leaves nothing behind.
fn install(folder: &Path) -> Result<(), String> {
    let parent = folder.parent().unwrap_or(Path::new("."));
    let explain = |what: &str, why: String| {
        format!(
            "{what}: {why}\nNVRTC is needed to compile the CUDA programs. Install the CUDA \
             toolkit, or `pip install {WHEEL}`, and set NBODY_NVRTC to the library's folder."
        )
    };
    fs::create_dir_all(parent).map_err(|e| explain("cannot make target/", e.to_string()))?;
    let attempt = tempfile::tempdir_in(parent)
        .map_err(|e| explain("cannot make a folder in target/", e.to_string()))?;
    pip(attempt.path()).map_err(|why| explain("pip cannot install NVRTC", why))?;
    if !attempt.path().join(LIBRARIES).is_dir() {
        return Err(explain("the wheel is not as expected", format!("no {LIBRARIES} in it")));
    }
    fs::rename(attempt.keep(), folder)
        .map_err(|e| explain("cannot put NVRTC in its place", e.to_string()))
}

fn pip(folder: &Path) -> Result<(), String> {
    let mut tried = Vec::new();
    for python in ["python3", "python"] {
        let output = Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"])
            .args(["--only-binary", ":all:", WHEEL, "--target"])
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
