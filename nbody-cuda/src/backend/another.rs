//! A second device, for tests that mix devices.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use nbody_compile::Cache;

use super::emulator::Emulator;
use super::memory::Fill;
use super::{Backend, Memory, Module, Reply};
use crate::compile::build::Build;
use crate::compile::program::Program;
use crate::error::Error;

/// An emulator of another name, as another GPU.
#[derive(Debug)]
pub(crate) struct Another {
    emulator: Emulator,
    /// Whether there is no more memory.
    pub is_full: AtomicBool,
    /// The bytes that were copied to the device and back.
    pub copied: Arc<AtomicUsize>,
}

impl Another {
    pub fn of(emulator: Emulator) -> Self {
        Self { emulator, is_full: AtomicBool::new(false), copied: Arc::default() }
    }
}

/// Memory that counts the copied bytes.
#[derive(Debug)]
struct Counted {
    memory: Box<dyn Memory>,
    copied: Arc<AtomicUsize>,
}

impl Counted {
    fn count(&self, words: usize) {
        self.copied.fetch_add(words * size_of::<u64>(), Ordering::Relaxed);
    }
}

impl Memory for Counted {
    fn address(&self) -> u64 {
        self.memory.address()
    }
    fn is_intact(&self) -> bool {
        self.memory.is_intact()
    }
    fn write_first(&mut self, words: usize, fill: &mut Fill) -> Result<(), Error> {
        self.count(words);
        self.memory.write_first(words, fill)
    }
    fn zero(&mut self) -> Result<(), Error> {
        self.memory.zero()
    }
    fn words(&self) -> usize {
        self.memory.words()
    }
    fn read_words(&self, words: Range<usize>, take: &mut dyn FnMut(&[u64])) -> Result<(), Error> {
        self.count(words.len());
        self.memory.read_words(words, take)
    }
}

impl Backend for Another {
    fn describe(&self) -> String {
        "another emulator".to_owned()
    }
    fn multiprocessors(&self) -> usize {
        self.emulator.multiprocessors()
    }
    fn shared_memory(&self) -> usize {
        self.emulator.shared_memory()
    }
    fn memory_for_parts(&self) -> usize {
        self.emulator.memory_for_parts()
    }
    fn build(&self, program: &Program, cache: &Cache) -> Result<(Box<dyn Module>, Build), Error> {
        self.emulator.build(program, cache)
    }
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Memory>, Error> {
        if self.is_full.load(Ordering::Relaxed) {
            return Err(Error::OutOfMemory { bytes, device: self.describe() });
        }
        let (memory, copied) = (self.emulator.allocate(bytes)?, self.copied.clone());
        Ok(Box::new(Counted { memory, copied }))
    }
    fn reply(&self) -> Result<Box<dyn Reply>, Error> {
        self.emulator.reply()
    }
    fn wait_for_all(&self) -> Result<(), Error> {
        self.emulator.wait_for_all()
    }
    fn allocation(&self, address: u64) -> Result<Option<Range<u64>>, Error> {
        self.emulator.allocation(address)
    }
    fn time(&self, work: &mut dyn FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
        self.emulator.time(work)
    }
}
