//! Device memory.

use std::fmt::Debug;
use std::ops::Range;

use crate::border::{self, Address, Border};
use crate::error::Error;

/// Memory of a backend, which kernels read and write.
pub(crate) trait Memory: Debug + Send + Sync {
    /// Returns the address that kernels take.
    fn address(&self) -> u64;

    /// Returns whether the guard words around the memory, which kernels must not change, are unchanged; a GPU has
    /// none.
    fn is_intact(&self) -> bool {
        true
    }

    /// Replaces the contents by the words that `fill` writes, of 8 bytes each.
    fn write(&mut self, fill: &mut dyn FnMut(&mut [u64])) -> Result<(), Error>;

    /// Zeroes the contents.
    fn zero(&mut self) -> Result<(), Error>;

    /// Returns the number of words.
    fn words(&self) -> usize;

    /// Passes these words of the contents to `take`, after all earlier launches have finished.
    ///
    /// # Panics
    ///
    /// If there are fewer words.
    fn read_words(&self, words: Range<usize>, take: &mut dyn FnMut(&[u64])) -> Result<(), Error>;

    /// Passes the contents to `take`, after all earlier launches have finished.
    fn read(&self, take: &mut dyn FnMut(&[u64])) -> Result<(), Error> {
        self.read_words(0..self.words(), take)
    }
}

impl dyn Memory + '_ {
    /// Returns the value at the beginning of the contents, after all earlier launches have finished.
    pub fn value<T: Border>(&self) -> Result<T, Error> {
        let mut found = None;
        self.read_words(0..size_of::<T>().div_ceil(size_of::<u64>()), &mut |words| {
            found = Some(border::value(words));
        })?;
        Ok(found.expect("memory passes what it has read"))
    }

    /// Replaces the contents by a value, and zeros behind it.
    pub fn set(&mut self, value: &impl Border) -> Result<(), Error> {
        let words = border::words(value);
        self.write(&mut |to| {
            to.fill(0);
            to[..words.len()].copy_from_slice(&words);
        })
    }
}

impl<T> Address<T> {
    /// Returns the address of memory.
    pub fn of(memory: &dyn Memory) -> Self {
        Self::at(memory.address())
    }
}

/// A word of the host that a kernel writes: an answer, for which the host waits without waiting for later
/// launches. It never has all bits set.
pub(crate) trait Reply: Debug + Send + Sync {
    /// Returns the address that kernels take.
    fn address(&self) -> u64;

    /// Expects the answer of the next launch that takes the address.
    fn expect(&mut self) -> Result<(), Error>;

    /// Returns the last answer that was expected if it is there already.
    fn peek(&self) -> Option<u64>;

    /// Returns the last answer that was expected, once it is there.
    fn receive(&self) -> Result<u64, Error>;
}

/// Asserts that a range of words is in memory of this many.
pub(super) fn check_words(range: &Range<usize>, words: usize) {
    assert!(range.start <= range.end && range.end <= words, "words {range:?} of {words}");
}
