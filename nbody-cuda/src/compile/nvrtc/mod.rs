//! NVRTC, the run-time compiler from CUDA C++ to machine code of one architecture. It needs no
//! GPU.
//!
//! The library is loaded at run time, from any folder. A missing library is an ordinary error.
//! Nothing is loaded if nothing has to be compiled (no GPU, or a warm cache).

mod library;
mod locate;

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use nbody_compile::{Cache, Entry};

use crate::compile::build::{self, Build, Recipe};
use crate::compile::program::Program;
use crate::error::Error;
use library::Library;
pub use library::calls;

/// A loaded NVRTC library.
#[derive(Debug)]
pub struct Nvrtc {
    library: Library,
    version: (i32, i32),
    architectures: Vec<u32>,
}

impl Nvrtc {
    /// Finds the newest library in the first folder that has one: only `NBODY_NVRTC` (a file or a
    /// folder) if it is set, otherwise `LD_LIBRARY_PATH`, the folders of [`search_in`](Self::search_in),
    /// `CUDA_HOME`, `CUDA_PATH`, `/usr/local/cuda*` and the system's library folders.
    ///
    /// If `NBODY_NVRTC` is a file name without a folder, such as `libnvrtc.so.13`, the dynamic
    /// loader looks it up, and the library is loaded at every start.
    pub fn find() -> Result<PathBuf, Error> {
        let path = locate::find(&locate::Places::of_the_system())?;
        if locate::is_name(&path) {
            Library::open(&path)?;
        }
        Ok(path)
    }

    /// Adds a folder to the search, for programs that bring NVRTC with them.
    pub fn search_in(folder: impl Into<PathBuf>) {
        locate::add_folder(folder.into());
    }

    /// Loads a library, for the lifetime of the process.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let library = Library::open(path)?;
        let (version, architectures) = (library.version()?, library.architectures()?);
        Ok(Self { library, version, architectures })
    }

    /// Returns the version: `13.0`.
    pub fn version(&self) -> String {
        let (major, minor) = self.version;
        format!("{major}.{minor}")
    }

    /// Returns the version with the patch level, `13.0.88`, on which the compiled code depends.
    /// NVRTC reports the patch level only in its PTX.
    pub fn full_version(&self) -> Result<String, Error> {
        let version = self.version();
        let ptx = self.library.compile("", &[], false)?.unwrap_or_default();
        Ok(release(&String::from_utf8_lossy(&ptx), &version).unwrap_or(version))
    }

    /// Returns the supported architectures: 90 for compute capability 9.0.
    pub fn architectures(&self) -> &[u32] {
        &self.architectures
    }

    /// Compiles for one architecture: to a CUBIN if NVRTC supports it, otherwise to PTX for the
    /// newest older architecture, which the driver compiles further.
    pub fn compile(&self, program: &Program, architecture: u32) -> Result<Vec<u8>, Error> {
        let known = &self.architectures;
        let older = known.iter().copied().filter(|&known| known < architecture).max();
        let (target, cubin) = match older {
            _ if known.contains(&architecture) => (format!("sm_{architecture}"), true),
            Some(older) => (format!("compute_{older}"), false),
            None => {
                let (known, version) = (known.clone(), self.version());
                return Err(Error::UnknownArchitecture { found: architecture, known, version });
            }
        };
        let mut options = vec![format!("--gpu-architecture={target}")];
        options.extend(program.compiler_options().iter().map(|&option| option.to_owned()));
        self.library.compile(&program.source, &options, cubin)?.map_err(|log| {
            let compiler = format!("NVRTC {} for {target}", self.version());
            program.refused(compiler, log)
        })
    }
}

/// Compiles a program into a cache folder before its first run, for example on a login node
/// without a GPU. A device [with that folder](crate::CudaDevice::with_cache_dir) then loads it.
pub fn prepare(
    program: &Program,
    architecture: u32,
    cache_dir: impl Into<PathBuf>,
) -> Result<Build, Error> {
    let ((), build) = cached(program, architecture, &Cache::at(cache_dir), &|_| Ok(()))?;
    Ok(build)
}

/// Loads the compiled program for an architecture by `load`, from the cache or compiled by NVRTC.
pub(crate) fn cached<T>(
    program: &Program,
    architecture: u32,
    cache: &Cache,
    load: &dyn Fn(&[u8]) -> Result<T, Error>,
) -> Result<(T, Build), Error> {
    let path = Nvrtc::find()?;
    let version = version_of(&path, cache)?;
    let target = format!("sm_{architecture}");
    let recipe = Recipe {
        program,
        extension: "cubin",
        identity: &["nvrtc", &version, &target],
        compiler: format!("NVRTC {version} for {target}"),
        compile: &|| Nvrtc::open(&path)?.compile(program, architecture),
    };
    build::build(recipe, cache, load)
}

/// Returns the full version of a library. The version is cached by path, size and time of
/// modification of the library, so that a warm start does not load it.
fn version_of(path: &Path, cache: &Cache) -> Result<String, Error> {
    if locate::is_name(path) {
        return Nvrtc::open(path)?.full_version();
    }
    let key = Cache::key(&[b"nvrtc full version", identity(path).as_bytes()]);
    if let Entry::Found(version) = cache.load(&key, "version") {
        return Ok(String::from_utf8_lossy(&version).into_owned());
    }
    let version = Nvrtc::open(path)?.full_version()?;
    // A cache that cannot be written is reported when the program is stored.
    let _ = cache.store(&key, "version", version.as_bytes());
    Ok(version)
}

/// Returns the version with the patch level from the header of a PTX: `release 13.0, V13.0.88`.
fn release(ptx: &str, version: &str) -> Option<String> {
    let (_, release) = ptx.split_once(&format!("release {version}, V"))?;
    release.split_whitespace().next().map(str::to_owned)
}

fn identity(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let metadata = path.metadata().ok();
    let modified = metadata.as_ref().and_then(|metadata| metadata.modified().ok());
    let seconds = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let length = metadata.map(|metadata| metadata.len());
    format!("{} {length:?} {seconds:?}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_nvrtc_is_refused_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libnvrtc.so.13");
        std::fs::write(&path, b"no library").unwrap();
        let error = Nvrtc::open(&path).unwrap_err();
        assert!(matches!(&error, Error::NvrtcBroken { path: found, .. } if *found == path));
        // In our message, and in the message of the dynamic loader.
        assert_eq!(error.to_string().matches("libnvrtc.so.13").count(), 2, "{error}");
    }

    #[test]
    fn the_patch_level_is_read_from_the_header_of_a_ptx() {
        let ptx =
            "// Compiler Build ID: CL-1\n// Cuda compilation tools, release 13.0, V13.0.88\n//";
        assert_eq!(release(ptx, "13.0").unwrap(), "13.0.88");
        assert_eq!(release(ptx, "12.9"), None);
        assert_eq!(release("", "13.0"), None);
    }

    #[test]
    fn a_library_that_changes_has_another_identity() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("libnvrtc.so");
        std::fs::write(&path, b"1").unwrap();
        let before = identity(&path);
        assert_eq!(identity(&path), before);
        std::fs::write(&path, b"22").unwrap();
        assert_ne!(identity(&path), before);
    }
}
