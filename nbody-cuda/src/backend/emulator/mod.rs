//! The CPU as a slow GPU: the text of a CUDA program, compiled as C++ against a small header
//! that emulates blocks, threads, shared memory and barriers (`kernels/emulate.h`).
//!
//! It is there to check programs where there is no GPU. Fresh memory holds NaN, so that what is
//! read before it is written shows; guards around memory tell of writes past its ends; a barrier
//! that only some threads of a block reach is an error.
#![allow(unsafe_code)]

mod compiler;

use std::ffi::{CStr, c_int, c_void};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::backend::launch::Launch;
use crate::backend::{Backend, Memory, Module};
use crate::compile::build::{self, Build, Recipe};
use crate::compile::cache::Cache;
use crate::compile::temporary::Temporary;
use crate::error::reason;
use crate::{Error, Program};
use compiler::{Compiler, failed};

const HEADER: &str = include_str!("../../../kernels/emulate.h");
const RUN: &str = include_str!("../../../kernels/emulate_run.h");
/// Of a pretended GPU so small that few particles fill it.
const MULTIPROCESSORS: usize = 3;
/// Bytes of shared memory of each, as many as an H100 has.
const SHARED_MEMORY: usize = 228 * 1024;

/// The emulator, with the compiler that it builds programs with.
#[derive(Clone, Debug)]
pub(crate) struct Emulator {
    compiler: Compiler,
}

impl Emulator {
    /// With the compiler that `CXX` names, or one that answers.
    pub fn open() -> Result<Self, Error> {
        Ok(Self { compiler: Compiler::find()? })
    }

    fn compile(&self, program: &Program) -> Result<Vec<u8>, Error> {
        let mut text = format!("{HEADER}\n#line 1 \"nbody.cu\"\n{}\n{RUN}", program.source);
        for kernel in program.kernels {
            let _ = writeln!(text, "NBODY_EMULATE({})", kernel.to_string_lossy());
        }
        self.compiler.compile(&text)?.map_err(|log| Error::Compilation {
            compiler: self.compiler.version.clone(),
            log,
            source_text: program.numbered(),
            file: None,
        })
    }
}

impl Backend for Emulator {
    fn describe(&self) -> String {
        "emulator".to_owned()
    }

    fn multiprocessors(&self) -> usize {
        MULTIPROCESSORS
    }

    fn shared_memory(&self) -> usize {
        SHARED_MEMORY
    }

    /// So little that several launches are needed.
    fn room_for_parts(&self) -> usize {
        1 << 15
    }

    fn build(&self, program: &Program, cache: &Cache) -> Result<(Box<dyn Module>, Build), Error> {
        let recipe = Recipe {
            program,
            extension: "so",
            identity: &["emulator", HEADER, RUN, &self.compiler.identity()],
            compiler: self.compiler.version.clone(),
            compile: &|| self.compile(program),
        };
        let load = |code: &[u8]| EmulatedModule::load(code, program);
        let (module, build) = build::build(recipe, cache, &load)?;
        Ok((Box::new(module), build))
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error> {
        match EmulatedMemory::new(bytes) {
            Some(memory) => Ok(Box::new(memory)),
            None => Err(Error::OutOfMemory { bytes, device: self.describe() }),
        }
    }

    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed())
    }
}

/// What the guards hold.
const GUARD: u64 = 0x6e62_6f64_795f_6775;
/// Pairs of guard words on each side: more than a tile of results.
const GUARDS: usize = 2048;
/// Two NaNs in f32, one in f64.
const POISON: u64 = u64::MAX;

/// Words between guards. They are atomics since a kernel writes what several owners may see.
#[derive(Debug)]
struct EmulatedMemory {
    /// Pairs, so that they are aligned as the packed particles of a program.
    words: Box<[Pair]>,
    bytes: usize,
}

#[derive(Debug)]
#[repr(C, align(16))]
struct Pair([AtomicU64; 2]);

impl Pair {
    fn new(word: u64) -> Self {
        Self([AtomicU64::new(word), AtomicU64::new(word)])
    }
}

impl EmulatedMemory {
    fn new(bytes: usize) -> Option<Self> {
        let inner = bytes.div_ceil(16);
        let mut words = Vec::new();
        words.try_reserve_exact(inner.checked_add(2 * GUARDS)?).ok()?;
        words.extend((0..GUARDS).map(|_| Pair::new(GUARD)));
        words.extend((0..inner).map(|_| Pair::new(POISON)));
        words.extend((0..GUARDS).map(|_| Pair::new(GUARD)));
        Some(Self { words: words.into(), bytes })
    }

    fn inner(&self) -> &[Pair] {
        &self.words[GUARDS..self.words.len() - GUARDS]
    }

    fn fill(&self, mut words: impl Iterator<Item = u64>) {
        for word in self.inner().iter().flat_map(|pair| &pair.0) {
            word.store(words.next().unwrap_or(POISON), Ordering::Relaxed);
        }
    }
}

/// Whether the guards of this memory hold what they should.
fn intact(memory: &dyn Memory) -> bool {
    memory.guards().iter().all(|&guard| guard == GUARD)
}

impl Memory for EmulatedMemory {
    fn address(&self) -> u64 {
        self.inner().as_ptr() as u64
    }

    fn guards(&self) -> Vec<u64> {
        let (before, after) = (&self.words[..GUARDS], &self.words[self.words.len() - GUARDS..]);
        let words = before.iter().chain(after).flat_map(|pair| &pair.0);
        words.map(|word| word.load(Ordering::Relaxed)).collect()
    }

    fn write(&mut self, fill: &mut dyn FnMut(&mut [u64])) -> Result<(), Error> {
        let mut words = vec![POISON; self.bytes.div_ceil(8)];
        fill(&mut words);
        self.fill(words.into_iter());
        Ok(())
    }

    fn zero(&mut self) -> Result<(), Error> {
        self.fill(std::iter::repeat(0));
        Ok(())
    }

    fn read(&self, take: &mut dyn FnMut(&[u64])) -> Result<(), Error> {
        let words = self.inner().iter().flat_map(|pair| &pair.0);
        let words = words.take(self.bytes.div_ceil(8)).map(|word| word.load(Ordering::Relaxed));
        take(&words.collect::<Vec<_>>());
        Ok(())
    }
}

type Bytes = unsafe extern "C" fn() -> usize;
type Entry = unsafe extern "C" fn(u32, *mut *mut c_void) -> c_int;

/// A program, compiled for the CPU and loaded.
#[derive(Debug)]
struct EmulatedModule {
    kernels: Vec<(&'static CStr, Entry)>,
    /// Bytes that the stacks of a block may take.
    stacks: usize,
    /// The code of the functions above.
    _library: libloading::Library,
}

impl EmulatedModule {
    fn load(code: &[u8], program: &Program) -> Result<Self, Error> {
        let folder = Temporary::folder().map_err(|e| failed("make a temporary folder", e))?;
        let library = folder.path().join("nbody.so");
        std::fs::write(&library, code).map_err(|e| failed("write the emulated program", e))?;
        Self::open(&library, program)
            .map_err(|e| failed("load the emulated program", std::io::Error::other(reason(&e))))
    }

    fn open(path: &Path, program: &Program) -> Result<Self, libloading::Error> {
        // SAFETY: the library was compiled from our text, now or before: by its checksum it is as
        // it was written, where nobody but this user or the administrator can write. It has no
        // initialisers.
        let library = unsafe { libloading::Library::new(path)? };
        let kernel = |&name: &&'static CStr| {
            let symbol = format!("emulate_{}", name.to_string_lossy());
            // SAFETY: the function has the type that `emulate_run.h` gives it.
            let entry = *unsafe { library.get::<Entry>(symbol.as_bytes())? };
            Ok((name, entry))
        };
        let kernels = program.kernels.iter().map(kernel).collect::<Result<_, _>>()?;
        // SAFETY: the same.
        let stacks = unsafe { library.get::<Bytes>(b"emulated_stacks")?() };
        Ok(Self { kernels, stacks, _library: library })
    }
}

impl Module for EmulatedModule {
    fn blocks_at_once(&self) -> usize {
        2 * MULTIPROCESSORS
    }

    fn launch(&self, mut launch: Launch) -> Result<(), Error> {
        let kernel = self.kernels.iter().find(|(kernel, _)| *kernel == launch.kernel);
        let entry = kernel.expect("a schedule launches the kernels of its program").1;
        let mut arguments = launch.addresses();
        // SAFETY: a schedule passes its kernel's arguments in the order and types of the declaration,
        // and the memory they point to is as large as their counts say (`CudaEngine::check`). The words
        // of memory are atomics, which may be written through shared references, and no other thread
        // touches them meanwhile: the engine is borrowed mutably.
        let status = unsafe { entry(launch.blocks, arguments.as_mut_ptr()) };
        match status {
            0 if launch.memory.into_iter().all(intact) => Ok(()),
            0 => Err(Error::Emulation("wrote outside its memory")),
            1 => Err(Error::Emulation("has a barrier that not every thread of a block reaches")),
            _ => Err(Error::OutOfMemory { bytes: self.stacks, device: "emulator".to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Origin;

    /// A program as the emulator knows it, with results of so many numbers.
    fn program(results: usize, kernel: &str) -> Program {
        Program::by_hand(format!(
            "
namespace nbody {{
using backup = double;
constexpr int BLOCK = 32, I_PER_THREAD = 1, FDIM = {results};
struct Parameters {{}};
struct ParticleI {{}};
struct ParticleJ {{}};
struct Accumulators {{ float numbers[FDIM]; }};
{kernel}
}} // namespace nbody
"
        ))
    }

    /// In the head of a shared object, the processor that it is for, and one that nobody has.
    const PROCESSOR: usize = 18;
    const NOBODYS: [u8; 2] = [0xfe, 0xca];

    #[test]
    fn a_program_for_another_processor_is_compiled_again() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let emulator = Emulator::open().unwrap();
        let program = program(1, "__global__ void by_hand() {}");
        let build = || emulator.build(&program, &cache).map(|(_, build)| build).unwrap();
        let compiled = build();
        assert_eq!(compiled.origin, Origin::Compiled);
        let key = compiled.source.as_ref().unwrap().file_stem().unwrap().to_str().unwrap();
        let mut foreign = compiled.image.to_vec();
        foreign[PROCESSOR..PROCESSOR + 2].copy_from_slice(&NOBODYS);
        // As whole as if a machine of that kind had put it there.
        cache.store(key, "so", &foreign).unwrap();
        let error = EmulatedModule::load(&foreign, &program).unwrap_err().to_string();
        assert!(error.starts_with("cannot load the emulated program: dlopen failed: /"), "{error}");
        assert_eq!(build().origin, Origin::Repaired);
        assert_eq!(build().origin, Origin::Cached);
    }

    /// Runs a kernel without arguments, in one block.
    fn run(program: &Program) -> Result<(), Error> {
        let folder = tempfile::tempdir().unwrap();
        let emulator = Emulator::open().unwrap();
        let (module, _) = emulator.build(program, &Cache::at(folder.path())).unwrap();
        module.launch(Launch::new(c"by_hand", 1))
    }

    #[test]
    fn every_thread_has_room_for_large_results() {
        // Each waits with its sums and their backups, twice, on its stack.
        let kernel = "
__device__ void fill(double (&total)[FDIM], Accumulators &sum)
{
    for (int k = 0; k < FDIM; ++k) {
        sum.numbers[k] = float(k % 8);
        total[k] = threadIdx.x;
    }
}
__device__ void check(const double (&total)[FDIM], const Accumulators &sum)
{
    for (int k = 0; k < FDIM; ++k) {
        if (sum.numbers[k] != float(k % 8) || total[k] != threadIdx.x) __builtin_abort();
    }
}
__global__ void by_hand()
{
    double total[FDIM], part[FDIM];
    Accumulators sum, lost;
    fill(total, sum);
    fill(part, lost);
    __syncthreads();
    check(total, sum);
    check(part, lost);
}";
        run(&program(9 * 4096, kernel)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_stack_that_overflows_harms_no_other() {
        use std::os::unix::process::ExitStatusExt as _;

        const CHILD: &str = "NBODY_TEST_CHILD";
        if std::env::var_os(CHILD).is_some() {
            // Through more than one stack, and less than two.
            let kernel = "
__device__ int down(int bytes)
{
    volatile char frame[1024];
    frame[0] = char(bytes);
    return bytes < 0 ? 0 : down(bytes - 1024) + frame[0];
}
__global__ void by_hand() { if (threadIdx.x == 1) down(3 * 512 * 1024); }";
            let _ = run(&program(1, kernel));
            return;
        }
        let name = "backend::emulator::tests::a_stack_that_overflows_harms_no_other";
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let status = child.args(["--exact", name]).env(CHILD, "yes").output().unwrap().status;
        assert!(matches!(status.signal(), Some(7 | 11)), "{status}");
    }
}
