//! The emulator: CUDA programs, compiled as C++ against a small header that emulates thread
//! blocks, shared memory and barriers (`kernels/emulate.h`), and run on the CPU.
//!
//! It checks programs without a GPU. New memory holds NaN, so that results reveal reads of memory
//! that was never written. Guards around memory detect writes out of bounds. A barrier that only
//! some threads of a block reach is an error.
#![allow(unsafe_code)]

mod stacks;

use std::ffi::{CStr, c_int, c_void};
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use nbody_compile::{Cache, Compiler, Error as CompileError, Temporary};
use nbody_core::untyped::Communicator;

use crate::backend::launch::Launch;
use crate::backend::memory::{Fill, check_words};
use crate::backend::memory_link::MemoryLink;
use crate::backend::{Backend, Link, Memory, Module, Reply};
use crate::compile::build::{self, Build, Recipe};
use crate::compile::program::Program;
use crate::error::Error;
use crate::error::reason;
use stacks::Stacks;

const HEADER: &str = include_str!("../../../kernels/emulate.h");
const RUN: &str = include_str!("../../../kernels/emulate_run.h");
/// The options of the compiler.
///
/// Low optimisation, since a program takes longer to compile than to run; no contraction, as in
/// the CPU engine; no fortified source, which mistakes jumps between fibers for stack overflows;
/// hidden symbols, since the loader would merge the shared memory of inline functions of several
/// programs.
const OPTIONS: [&str; 8] = [
    "-O1",
    "-std=c++17",
    "-ffp-contract=off",
    "-fPIC",
    "-shared",
    "-w",
    "-U_FORTIFY_SOURCE",
    "-fvisibility=hidden",
];
/// Multiprocessors of the emulated GPU: few, so that few particles fill it.
const MULTIPROCESSORS: usize = 3;
/// Shared memory per multiprocessor in bytes, as on an H100.
const SHARED_MEMORY: usize = 228 * 1024;

/// The emulator, with its C++ compiler.
#[derive(Clone, Debug)]
pub(crate) struct Emulator {
    compiler: Compiler,
}

impl Emulator {
    /// Opens the emulator with the compiler in `CXX`, or the first compiler that works.
    pub fn open() -> Result<Self, Error> {
        Ok(Self { compiler: Compiler::find()? })
    }

    fn memory(&self, bytes: usize) -> Result<EmulatedMemory, Error> {
        let memory = EmulatedMemory::new(bytes);
        memory.ok_or_else(|| Error::OutOfMemory { bytes, device: self.describe() })
    }

    fn compile(&self, program: &Program) -> Result<Vec<u8>, Error> {
        let Program { source, records, .. } = program;
        let mut text = format!(
            "{HEADER}\n#line 1 \"nbody.cu\"\n{source}\n\
             namespace nbody {{ constexpr size_t RECORDS = {records}; }}\n{RUN}"
        );
        for kernel in program.kernels {
            let _ = writeln!(text, "NBODY_EMULATE({})", kernel.to_string_lossy());
        }
        let compiled = self.compiler.compile(&text, &OPTIONS)?;
        compiled.map_err(|log| program.refused(self.compiler.version().to_owned(), log))
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

    /// Small, so that tests need several launches.
    fn memory_for_parts(&self) -> usize {
        1 << 13
    }

    fn build(&self, program: &Program, cache: &Cache) -> Result<(Box<dyn Module>, Build), Error> {
        let recipe = Recipe {
            program,
            extension: "so",
            identity: &[
                "emulator",
                HEADER,
                RUN,
                program.records,
                &self.compiler.identity(&OPTIONS),
            ],
            compiler: self.compiler.version().to_owned(),
            compile: &|| self.compile(program),
        };
        let load = |code: &[u8]| EmulatedModule::load(code, program);
        let (module, build) = build::build(recipe, cache, &load)?;
        Ok((Box::new(module), build))
    }

    /// The emulator has memory of the host.
    fn link(&self, communicator: &Arc<dyn Communicator>) -> Result<Option<Box<dyn Link>>, Error> {
        MemoryLink::connect(self, communicator, false)
    }

    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error> {
        Ok(Box::new(self.memory(bytes)?))
    }

    fn reply(&self) -> Result<Box<dyn Reply>, Error> {
        Ok(Box::new(self.memory(size_of::<u64>())?))
    }

    /// Launches have ended when they return.
    fn wait_for_all(&self) -> Result<(), Error> {
        Ok(())
    }

    fn allocation(&self, address: u64) -> Result<Option<Range<u64>>, Error> {
        Ok((address != 0).then_some(0..u64::MAX))
    }

    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
        let start = Instant::now();
        work()?;
        Ok(start.elapsed())
    }
}

/// The value of guard words.
const GUARD: u64 = 0x6e62_6f64_795f_6775;
/// Pairs of guard words on each side, more than the results of a thread block tile.
const GUARDS: usize = 2048;
/// The guard words on a side.
static UNTOUCHED: [u64; 2 * GUARDS] = [GUARD; 2 * GUARDS];
/// Two NaNs in f32, one NaN in f64.
const POISON: u64 = u64::MAX;

/// Words between guards. They are atomics, since kernels write through shared references.
#[derive(Debug)]
struct EmulatedMemory {
    /// In pairs, which have the alignment of the packed particles of a program.
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

    /// Replaces the first words.
    fn store(&self, words: impl Iterator<Item = u64>) {
        for (word, value) in self.inner().iter().flat_map(|pair| &pair.0).zip(words) {
            word.store(value, Ordering::Relaxed);
        }
    }
}

impl Memory for EmulatedMemory {
    fn address(&self) -> u64 {
        self.inner().as_ptr() as u64
    }

    fn is_intact(&self) -> bool {
        let (before, after) = (&self.words[..GUARDS], &self.words[self.words.len() - GUARDS..]);
        [before, after].into_iter().all(|guards| {
            // SAFETY: atomics have the layout of their words, and no kernel writes between
            // launches.
            let words: &[u64] =
                unsafe { std::slice::from_raw_parts(guards.as_ptr().cast(), 2 * GUARDS) };
            words == UNTOUCHED
        })
    }

    fn write_first(&mut self, words: usize, fill: &mut Fill) -> Result<(), Error> {
        check_words(&(0..words), self.words());
        let mut words = vec![POISON; words];
        fill(&mut words)?;
        self.store(words.into_iter());
        Ok(())
    }

    fn zero(&mut self) -> Result<(), Error> {
        self.store(std::iter::repeat(0));
        Ok(())
    }

    fn words(&self) -> usize {
        self.bytes.div_ceil(8)
    }

    fn read_words(&self, words: Range<usize>, take: &mut dyn FnMut(&[u64])) -> Result<(), Error> {
        check_words(&words, self.words());
        let all = self.inner().iter().flat_map(|pair| &pair.0);
        let found = all.skip(words.start).take(words.len());
        take(&found.map(|word| word.load(Ordering::Relaxed)).collect::<Vec<_>>());
        Ok(())
    }
}

/// Launches of the emulator have finished when they return, so answers are always there.
impl Reply for EmulatedMemory {
    fn address(&self) -> u64 {
        Memory::address(self)
    }

    fn expect(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn peek(&self) -> Option<u64> {
        self.receive().ok()
    }

    fn receive(&self) -> Result<u64, Error> {
        let mut word = 0;
        self.read_words(0..1, &mut |words| word = words[0])?;
        Ok(word)
    }
}

type Bytes = unsafe extern "C" fn() -> usize;
/// Blocks, phases, arguments, the memory of the stacks and the bytes of each.
type Entry = unsafe extern "C" fn(u32, u32, *mut *mut c_void, *mut c_void, usize) -> c_int;

/// A program, compiled for the CPU and loaded.
#[derive(Debug)]
struct EmulatedModule {
    kernels: Vec<(&'static CStr, Entry)>,
    /// Bytes of the stack of a thread, and threads of a block.
    stack: usize,
    threads: usize,
    /// Owns the code of the functions above.
    _library: libloading::Library,
}

impl EmulatedModule {
    fn load(code: &[u8], program: &Program) -> Result<Self, Error> {
        let folder = Temporary::folder().map_err(CompileError::io("make a temporary folder"))?;
        let library = folder.path().join("nbody.so");
        std::fs::write(&library, code).map_err(CompileError::io("write the emulated program"))?;
        Self::open(&library, program).map_err(|error| {
            let cause = std::io::Error::other(reason(&error));
            CompileError::io("load the emulated program")(cause).into()
        })
    }

    fn open(path: &Path, program: &Program) -> Result<Self, libloading::Error> {
        // SAFETY: the library was compiled from our text and has no initialisers. A library from
        // the cache has the checksum it was written with (`Cache::load`), in a file that only this
        // user or the administrator can write (`trust::check`).
        let library = unsafe { libloading::Library::new(path)? };
        let kernel = |&name: &&'static CStr| {
            let symbol = format!("emulate_{}", name.to_string_lossy());
            // SAFETY: `emulate_run.h` declares the function with this type.
            let entry = *unsafe { library.get::<Entry>(symbol.as_bytes())? };
            Ok((name, entry))
        };
        let kernels = program.kernels.iter().map(kernel).collect::<Result<_, _>>()?;
        // SAFETY: `emulate_run.h` declares the functions with this type.
        let [stack, threads] = unsafe {
            [
                library.get::<Bytes>(b"emulated_stack")?(),
                library.get::<Bytes>(b"emulated_threads")?(),
            ]
        };
        Ok(Self { kernels, stack, threads, _library: library })
    }
}

impl Module for EmulatedModule {
    fn resident_blocks(&self, _: &CStr) -> usize {
        2 * MULTIPROCESSORS
    }

    fn launch(&self, mut launch: Launch) -> Result<(), Error> {
        let kernel = self.kernels.iter().find(|(kernel, _)| *kernel == launch.kernel);
        let entry = kernel.expect("a schedule launches the kernels of its program").1;
        let (blocks, phases) = (launch.blocks, launch.phases.unwrap_or(0));
        let mut arguments = launch.arguments.addresses();
        // SAFETY: a schedule passes the arguments in the order and types of the kernel's
        // declaration. `Setup::check` in `engine/setup.rs`, `check_devices` in
        // `lists/short_range.rs` and `Beside::check` in `particles/mod.rs` check that the buffers
        // have the lengths that the kernel is told, and `rows_after` in nbody-core that rows are
        // written within them; `Scratch::reserve` provides enough scratch memory. The caller of
        // `Device::write_columns` and `read_columns` says that its columns are good. The words are
        // atomics, which may be written through shared references; no other thread writes them,
        // since the engine and the results or particles that change are borrowed mutably.
        // `Launch::phases` passes the last two arguments, which change with the phase. The module
        // tells the number and the size of the stacks.
        let run =
            |stacks, bytes| unsafe { entry(blocks, phases, arguments.as_mut_ptr(), stacks, bytes) };
        match Stacks::with(self.stack, self.threads, run) {
            Some(0) if launch.memory.into_iter().all(Memory::is_intact) => Ok(()),
            Some(0) => Err(Error::Emulation("wrote outside its memory")),
            Some(1) => {
                Err(Error::Emulation("has a barrier that not every thread of a block reaches"))
            }
            _ => {
                let bytes = self.stack * self.threads;
                Err(Error::OutOfMemory { bytes, device: "emulator".to_owned() })
            }
        }
    }
}

#[cfg(test)]
mod tests;
