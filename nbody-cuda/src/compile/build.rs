//! How a program came to be ready to run.

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::compile::cache::{Cache, Entry};
use crate::{Error, Program};

/// Where the compiled program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// It was compiled just now.
    Compiled,
    /// It was in the cache; no compiler was called.
    Cached,
    /// What the cache had was damaged, or did not load on this machine; it was compiled again.
    Repaired,
}

/// How a program came to be ready to run.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Build {
    /// Where the compiled program came from.
    pub origin: Origin,
    /// The text of the program, for people to read; `None` if the cache cannot be written.
    pub source: Option<PathBuf>,
    /// Why the compiled program could not be kept for the next start.
    pub cache_error: Option<String>,
    /// What it was compiled with and for: `NVRTC 13.0.88 for sm_90`.
    pub compiler: String,
    /// The time that compiling took; zero if nothing was compiled.
    pub compile_time: Duration,
    /// What the kernel uses, where that is known.
    pub usage: Option<Usage>,
    /// The compiled program.
    pub image: Image,
}

/// A compiled program: a CUBIN where NVRTC knows the GPU, else PTX; a shared object in the emulator.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Image(Arc<[u8]>);

impl Deref for Image {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

/// How large it is: nobody reads the bytes.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} bytes)", self.0.len())
    }
}

/// What a kernel uses of a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// Registers of a thread.
    pub registers: u32,
    /// Local memory of a thread, in bytes: more than none means that registers were spilled.
    pub local: u32,
    /// Shared memory of a block, in bytes.
    pub shared: u32,
    /// Blocks that a multiprocessor runs at once.
    pub blocks: u32,
}

/// A program, and what it is compiled by and for.
pub(crate) struct Recipe<'a> {
    pub program: &'a Program,
    /// What the compiled form ends in, among the files of the cache.
    pub extension: &'static str,
    /// What the compiled form depends on besides the program: the compiler, its version, its
    /// options and the architecture.
    pub identity: &'a [&'a str],
    /// The same for people to read.
    pub compiler: String,
    pub compile: &'a dyn Fn() -> Result<Vec<u8>, Error>,
}

/// Takes the compiled form of a program from the cache, or makes it and keeps it; then loads it.
/// What the cache had and does not load is made again: the folder may be shared with machines of
/// another kind.
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
    fn what_does_not_load_is_compiled_again_and_replaced() {
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
            // This machine loads what is for it.
            super::build(recipe, &cache, &|code| {
                let ours = code.strip_prefix(b"ours");
                ours.map(<[u8]>::to_vec).ok_or(Error::Emulation("is for another machine"))
            })
        };
        // Another machine put it there.
        assert!(build(b"theirs").is_err());
        let (loaded, build_1) = build(b"ours 1").unwrap();
        assert_eq!((&loaded[..], build_1.origin), (&b" 1"[..], Origin::Repaired));
        assert_eq!(&build_1.image[..], b"ours 1");
        let (loaded, build_2) = build(b"ours 2").unwrap();
        assert_eq!((&loaded[..], build_2.origin), (&b" 1"[..], Origin::Cached));
    }
}
