//! How a program came to be ready to run.

use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::cache::{Cache, Entry};
use crate::{Error, Program};

/// Where the compiled program came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It was compiled just now.
    Compiled,
    /// It was in the cache; no compiler was called.
    Cached,
    /// What the cache had was damaged; it was compiled again.
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
    /// What it was compiled with and for: `NVRTC 13.0 for sm_90`.
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

/// Takes the compiled form of a program from the cache, or makes it with `compile` and keeps it.
///
/// `identity` is what the compiled form depends on besides the program: the compiler, its
/// version, its options and the architecture.
pub(crate) fn build(
    program: &Program,
    cache: &Cache,
    extension: &str,
    identity: &[&str],
    compiler: String,
    compile: &dyn Fn() -> Result<Vec<u8>, Error>,
) -> Result<Build, Error> {
    let mut parts = vec![program.source.as_bytes()];
    parts.extend(program.compiler_options().iter().chain(identity).map(|part| part.as_bytes()));
    let key = Cache::key(&parts);
    let mut build = Build {
        origin: Origin::Cached,
        source: cache.store_text(&key, &program.source),
        cache_error: None,
        compiler,
        compile_time: Duration::ZERO,
        usage: None,
        image: Image::default(),
    };
    match cache.load(&key, extension) {
        Entry::Found(compiled) => {
            build.image = Image(compiled.into());
            return Ok(build);
        }
        Entry::Missing => build.origin = Origin::Compiled,
        Entry::Corrupt => build.origin = Origin::Repaired,
    }
    let start = std::time::Instant::now();
    let compiled = compile().map_err(|error| error.with_file(build.source.as_deref()))?;
    build.compile_time = start.elapsed();
    build.cache_error = cache.store(&key, extension, &compiled).err();
    build.image = Image(compiled.into());
    Ok(build)
}
