//! NVRTC, which compiles each program once for each architecture.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use nbody::nvrtc::Nvrtc;
use nbody::{Math, Program};

/// Number above any architecture, for which NVRTC generates PTX.
pub const NEWEST: u32 = 999;

pub struct Compiler {
    pub nvrtc: Nvrtc,
    compiled: Mutex<HashMap<Key, Arc<OnceLock<Compiled>>>>,
}

/// Text of the program, determinants of its compiler options, and architecture.
type Key = (String, Math, u32);
type Compiled = Result<Arc<[u8]>, String>;

impl Compiler {
    pub fn open() -> Result<Self, nbody::Error> {
        let nvrtc = Nvrtc::open(&Nvrtc::find()?)?;
        Ok(Self { nvrtc, compiled: Mutex::default() })
    }

    /// Compiles a program to a CUBIN, or to PTX for [`NEWEST`].
    pub fn compile(&self, program: &Program, architecture: u32) -> Compiled {
        let key = (program.source.clone(), program.options.math, architecture);
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = compiled.entry(key).or_default().clone();
        // Other threads compile other programs meanwhile.
        drop(compiled);
        let compile = || self.nvrtc.compile(program, architecture);
        entry.get_or_init(|| compile().map(Into::into).map_err(|e| e.to_string())).clone()
    }

    /// Number of compiled programs.
    pub fn compilations(&self) -> usize {
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}
