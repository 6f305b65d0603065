//! Runs NVRTC, which compiles each program once for each architecture. Its output is kept in
//! cargo's target folder.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{fs, io};

use nbody::Math;
use nbody::cuda::Program;
use nbody::cuda::nvrtc::Nvrtc;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::Xxh3;

/// Number above any architecture; NVRTC then generates PTX.
pub const NEWEST: u32 = 999;

pub struct Compiler {
    pub nvrtc: Nvrtc,
    /// Version with the patch level.
    version: String,
    compiled: Mutex<HashMap<Key, Arc<OnceLock<Compiled>>>>,
}

/// Text of the program, determinants of its compiler options, and architecture.
type Key = (String, Math, u32);
type Compiled = Result<Arc<[u8]>, String>;

impl Compiler {
    pub fn open() -> Result<Self, nbody::Error> {
        let nvrtc = Nvrtc::open(&Nvrtc::find()?)?;
        let version = nvrtc.full_version()?;
        Ok(Self { nvrtc, version, compiled: Mutex::default() })
    }

    /// Compiles a program to a CUBIN, or to PTX for [`NEWEST`].
    pub fn compile(&self, program: &Program, architecture: u32) -> Compiled {
        let key = (program.source.clone(), program.options.math, architecture);
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = compiled.entry(key).or_default().clone();
        // Other threads compile other programs meanwhile.
        drop(compiled);
        entry.get_or_init(|| self.load_or_compile(program, architecture).map(Into::into)).clone()
    }

    /// Loads the earlier output for the same text and options, or compiles the program.
    fn load_or_compile(&self, program: &Program, architecture: u32) -> Result<Vec<u8>, String> {
        let folder = nbody_tests::kernels().with_file_name("cubins");
        let file = folder.join(format!("{:032x}", self.key(program, architecture)));
        if let Ok(code) = fs::read(&file) {
            return Ok(code);
        }
        let code = self.nvrtc.compile(program, architecture).map_err(|error| error.to_string())?;
        keep(&folder, &file, &code).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(code)
    }

    /// Returns the digest of everything that the code depends on.
    fn key(&self, program: &Program, architecture: u32) -> u128 {
        let (options, target) = (program.compiler_options().join(" "), architecture.to_string());
        let mut digest = Xxh3::new();
        for part in [&self.version, &options, &target, &program.source] {
            digest.update(part.as_bytes());
            digest.update(b"\0");
        }
        digest.digest128()
    }

    /// Number of compiled programs.
    pub fn compilations(&self) -> usize {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Writes a file atomically: other processes may read and write it at the same time.
fn keep(folder: &Path, file: &Path, code: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut temporary = NamedTempFile::new_in(folder)?;
    temporary.write_all(code)?;
    temporary.persist(file).map(|_| ()).map_err(|error| error.error)
}
