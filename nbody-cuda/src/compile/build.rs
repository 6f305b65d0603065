//! Builds: compile a program or load it from the cache.

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::compile::cache::{Cache, Entry};
use crate::compile::program::Program;
use crate::error::Error;

/// The origin of a compiled program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// The program was compiled for this build.
    Compiled,
    /// The program was in the cache; no compiler ran.
    Cached,
    /// The cache entry was damaged or did not load on this computer; the program was compiled
    /// again.
    Repaired,
}

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

/// Loads the compiled program from the cache; or compiles, stores and loads it. An entry that does
/// not load is compiled again, since different types of computers may share the folder.
pub(crate) fn build<T>(
    recipe: Recipe,
    cache: &Cache,
    load: &dyn Fn(&[u8]) -> Result<T, Error>,
) -> Result<(T, Build), Error> {
    let Recipe { program, extension, identity, compiler, compile } = recipe;
    let mut parts = vec![program.source.as_bytes()];
    parts.extend(program.compiler_options().iter().chain(identity).map(|part| part.as_bytes()));
    let key = Cache::key(&parts);
    let mut build = Build {
        origin: Origin::Compiled,
        source: cache.store_text(&key, &program.source),
        cache_error: None,
        compiler,
        compile_time: Duration::ZERO,
        usage: None,
        image: Image::default(),
    };
    match cache.load(&key, extension) {
        Entry::Found(compiled) => match load(&compiled) {
            Ok(loaded) => {
                build.origin = Origin::Cached;
                build.image = Image(compiled.into());
                return Ok((loaded, build));
            }
            Err(_) => build.origin = Origin::Repaired,
        },
        Entry::Missing => {}
        Entry::Corrupt => build.origin = Origin::Repaired,
    }
    let start = std::time::Instant::now();
    let compiled = compile().map_err(|error| error.with_file(build.source.as_deref()))?;
    build.compile_time = start.elapsed();
    build.cache_error = cache.store(&key, extension, &compiled).err();
    let loaded = load(&compiled)?;
    build.image = Image(compiled.into());
    Ok((loaded, build))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_does_not_load_is_compiled_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let program = Program::by_hand("text");
        let build = |code: &'static [u8]| {
            let recipe = Recipe {
                program: &program,
                extension: "so",
                identity: &[],
                compiler: "compiler".to_owned(),
                compile: &|| Ok(code.to_vec()),
            };
            // This computer loads only its own code.
            super::build(recipe, &cache, &|code| {
                let ours = code.strip_prefix(b"ours");
                ours.map(<[u8]>::to_vec).ok_or(Error::Emulation("is for another machine"))
            })
        };
        // The entry of another computer.
        assert!(build(b"theirs").is_err());
        let (loaded, build_1) = build(b"ours 1").unwrap();
        assert_eq!((&loaded[..], build_1.origin), (&b" 1"[..], Origin::Repaired));
        assert_eq!(&build_1.image[..], b"ours 1");
        let (loaded, build_2) = build(b"ours 2").unwrap();
        assert_eq!((&loaded[..], build_2.origin), (&b" 1"[..], Origin::Cached));
    }
}
