//! Builds: compile a program or load it from the cache.

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nbody_compile::{Cache, Origin, load_or_compile};

use crate::compile::program::Program;
use crate::error::Error;

/// The report of a build: how a program was compiled or loaded from the cache.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Build {
    /// The origin of the compiled program.
    pub origin: Origin,
    /// A file with the text of the program; `None` if the cache cannot be written.
    pub source: Option<PathBuf>,
    /// The reason why the compiled program was not stored in the cache; `None` if it was stored.
    pub cache_error: Option<String>,
    /// The compiler and its target: `NVRTC 13.0.88 for sm_90`.
    pub compiler: String,
    /// The time of the compilation; zero if nothing was compiled.
    pub compile_time: Duration,
    /// The resources of the kernel of pairs; `None` if it was not loaded on a GPU.
    pub usage: Option<Usage>,
    /// The compiled program.
    pub image: Image,
}

/// A compiled program: a CUBIN if NVRTC supports the architecture, otherwise PTX; a shared object
/// in the emulator.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Image(Arc<[u8]>);

impl Deref for Image {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// Prints the size instead of the bytes.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} bytes)", self.0.len())
    }
}

/// GPU resources of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Registers per thread.
    pub registers: u32,
    /// Local memory per thread, in bytes; more than zero is a sign of register spills.
    pub local: u32,
    /// Shared memory per thread block, in bytes.
    pub shared: u32,
    /// The number of resident blocks per multiprocessor.
    pub blocks: u32,
}

/// A program with its compiler.
pub(crate) struct Recipe<'a> {
    pub program: &'a Program,
    /// The file extension of the compiled program in the cache.
    pub extension: &'static str,
    /// The compiler, its version and options, and the architecture: part of the key of the
    /// compiled program.
    pub identity: &'a [&'a str],
    /// The compiler and its target, for messages.
    pub compiler: String,
    pub compile: &'a dyn Fn() -> Result<Vec<u8>, Error>,
}

/// Loads the compiled program from the cache, or compiles it.
pub(crate) fn build<T>(
    recipe: Recipe,
    cache: &Cache,
    load: &dyn Fn(&[u8]) -> Result<T, Error>,
) -> Result<(T, Build), Error> {
    let Recipe { program, extension, identity, compiler, compile } = recipe;
    let key = [program.compiler_options(), identity].concat();
    let recipe = nbody_compile::Recipe {
        text: &program.source,
        text_extension: "cu",
        extension,
        key: &key,
        compile: &|file| compile().map_err(|error| error.with_file(file)),
    };
    let loaded = load_or_compile(&recipe, cache, load)?;
    let build = Build {
        origin: loaded.origin,
        source: loaded.source,
        cache_error: loaded.cache_error,
        compiler,
        compile_time: loaded.compile_time,
        usage: None,
        image: Image(loaded.image.into()),
    };
    Ok((loaded.program, build))
}
