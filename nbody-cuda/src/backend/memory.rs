//! Device memory.

use std::fmt::Debug;
use std::ops::Range;

use crate::border::{self, Address, Border};
use crate::error::Error;

/// Memory of a backend, which kernels read and write.
pub(crate) trait Memory: Debug + Send + Sync {
    /// Returns the address for kernels.
    fn address(&self) -> u64;

    /// Returns whether the guard words around the memory, which kernels must not change, are
    /// unchanged. A GPU has none.
    fn is_intact(&self) -> bool {
        true
    }

    /// Replaces the first words of the contents, 8 bytes each, by the words that `fill` writes. The
    /// contents are unchanged if it fails.
    ///
    /// # Panics
    ///
    /// If there are fewer words.
    fn write_first(&mut self, words: usize, fill: &mut Fill) -> Result<(), Error>;

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

/// A function that writes words, or refuses to.
pub(crate) type Fill<'a> = dyn FnMut(&mut [u64]) -> Result<(), Error> + 'a;

impl dyn Memory + '_ {
    /// Replaces the contents by the words that `fill` writes, 8 bytes each.
    pub fn write(&mut self, fill: &mut dyn FnMut(&mut [u64])) -> Result<(), Error> {
        self.write_first(self.words(), &mut |words| {
            fill(words);
            Ok(())
        })
    }

    /// Replaces the beginning of the contents by numbers.
    ///
    /// # Panics
    ///
    /// If there are more.
    pub fn overwrite<T: bytemuck::Pod>(&mut self, numbers: &[T]) -> Result<(), Error> {
        let bytes: &[u8] = bytemuck::cast_slice(numbers);
        self.write(&mut |words| {
            let words: &mut [u8] = bytemuck::cast_slice_mut(words);
            words[..bytes.len()].copy_from_slice(bytes);
        })
    }

    /// Returns the value at the beginning of the contents, after all earlier launches have
    /// finished.
    pub fn value<T: Border>(&self) -> Result<T, Error> {
        let mut found = None;
        self.read_words(0..size_of::<T>().div_ceil(size_of::<u64>()), &mut |words| {
            found = Some(border::value(words));
        })?;
        Ok(found.expect("memory passes what it has read"))
    }

    /// Replaces the contents by a value, followed by zeros.
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

/// A word of the host, in which a kernel writes its answer. The host can wait for the answer
/// without waiting for later launches. An answer never has all bits set.
pub(crate) trait Reply: Debug + Send + Sync {
    /// Returns the address for kernels.
    fn address(&self) -> u64;

    /// Expects the answer of the next launch that takes the address.
    fn expect(&mut self) -> Result<(), Error>;

    /// Returns the expected answer if it has arrived.
    fn peek(&self) -> Option<u64>;

    /// Waits for the expected answer and returns it.
    fn receive(&self) -> Result<u64, Error>;
}

/// Asserts that a range of words is within memory of `words` words.
pub(super) fn check_words(range: &Range<usize>, words: usize) {
    assert!(range.start <= range.end && range.end <= words, "words {range:?} of {words}");
}
