//! Copies to and from a GPU, through memory of the host that is kept.

use std::sync::{Mutex, PoisonError};

use crate::Error;

/// Words of staging memory at most: what is larger goes through memory of the host as it is.
const MOST_STAGING: usize = 1 << 25;
/// Words of staging memory that may hold several copies at a time: larger ones take so long that
/// waiting for the one before costs nothing beside it.
const SHARED_STAGING: usize = 1 << 17;

/// What copies take of a GPU. The driver copies and pins for a thread whose context is that of the
/// GPU, and for no other.
pub(super) trait Copies {
    /// Memory of the host that the GPU reads and writes by itself.
    type Pinned: AsMut<[u64]>;

    /// Makes its context that of this thread.
    fn bind(&self) -> Result<(), Error>;

    /// Waits until it has done all that it was asked for, by any thread.
    fn wait(&self) -> Result<(), Error>;

    /// Takes memory of so many words at least.
    fn pin(&self, words: usize) -> Result<Self::Pinned, Error>;

    /// Begins to copy to this address.
    ///
    /// # Safety
    /// As many words are there, and these stay as they are until the GPU was waited for.
    unsafe fn to_gpu(&self, address: u64, words: &[u64]) -> Result<(), Error>;

    /// Begins to copy from this address.
    ///
    /// # Safety
    /// As many words are there, and nobody looks at these until the GPU was waited for.
    unsafe fn to_host(&self, words: &mut [u64], address: u64) -> Result<(), Error>;
}

/// Memory of the host that the GPU reads and writes by itself, while nobody works with it.
#[derive(Debug)]
pub(super) struct Staging<P> {
    memory: Option<P>,
    /// How many words, from the first, the GPU may not have read yet.
    unread: usize,
}

impl<P> Default for Staging<P> {
    fn default() -> Self {
        Self { memory: None, unread: 0 }
    }
}

#[cfg(test)]
impl<P> Staging<P> {
    pub fn is_empty(&self) -> bool {
        self.memory.is_none()
    }
}

/// What the GPU does with staging memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Written,
}

/// Writes what `fill` writes to the memory at this address.
///
/// # Safety
/// So many words are there.
pub(super) unsafe fn write<C: Copies>(
    gpu: &C,
    staging: &Mutex<Staging<C::Pinned>>,
    address: u64,
    words: usize,
    fill: &mut dyn FnMut(&mut [u64]),
) -> Result<(), Error> {
    with(gpu, staging, words, Use::Read, &mut |words| {
        // That takes all threads, and while this one waits for the others it may do what is theirs,
        // and be bound to another GPU.
        fill(words);
        gpu.bind()?;
        // SAFETY: as many are there, by the contract, and this part of the staging memory stays as it
        // is until the GPU has come to the end of the copy: `with` waits for that.
        unsafe { gpu.to_gpu(address, words) }
    })
}

/// Shows to `take` the words at this address.
///
/// # Safety
/// So many words are there.
pub(super) unsafe fn read<C: Copies>(
    gpu: &C,
    staging: &Mutex<Staging<C::Pinned>>,
    address: u64,
    words: usize,
    take: &mut dyn FnMut(&[u64]),
) -> Result<(), Error> {
    with(gpu, staging, words, Use::Written, &mut |words| {
        // SAFETY: as many are there, by the contract. The GPU has come to the end of all copies
        // before when it begins this one, and is waited for before anybody looks at them.
        unsafe { gpu.to_host(words, address)? };
        gpu.wait()?;
        take(words);
        Ok(())
    })
}

/// Lets the memory go that no thread works with.
pub(super) fn trim<C: Copies>(gpu: &C, staging: &Mutex<Staging<C::Pinned>>) -> Result<(), Error> {
    let Staging { memory, unread } =
        std::mem::take(&mut *staging.lock().unwrap_or_else(PoisonError::into_inner));
    if memory.is_some() && unread > 0 {
        gpu.wait()?;
    }
    Ok(())
}

/// Works with so many words of staging memory, which no other thread has meanwhile. What the GPU
/// is to read lies behind what it may not have read yet, so that it need not be waited for.
fn with<C: Copies>(
    gpu: &C,
    staging: &Mutex<Staging<C::Pinned>>,
    words: usize,
    by: Use,
    work: &mut dyn FnMut(&mut [u64]) -> Result<(), Error>,
) -> Result<(), Error> {
    gpu.bind()?;
    if words > MOST_STAGING {
        let mut words = vec![0; words];
        let done = work(&mut words);
        return gpu.wait().and(done);
    }
    let lock = || staging.lock().unwrap_or_else(PoisonError::into_inner);
    // The lock is not held while others may be waited for.
    let Staging { mut memory, mut unread } = std::mem::take(&mut *lock());
    let behind = by == Use::Read && unread + words <= SHARED_STAGING;
    let first = if behind { unread } else { 0 };
    let found = memory.as_mut().map_or(0, |memory| memory.as_mut().len());
    let fits = first + words <= found;
    // What the GPU writes it writes when it has read all that it was to read.
    if unread > 0 && (!fits || (by == Use::Read && !behind)) {
        gpu.wait()?;
        unread = 0;
    }
    let mut memory = match memory {
        Some(memory) if fits => memory,
        less => {
            drop(less);
            gpu.pin((first + words).next_power_of_two())?
        }
    };
    let done = work(&mut memory.as_mut()[first..first + words]);
    let mut staging = lock();
    if staging.memory.is_none() {
        // What was written was waited for.
        let read = by == Use::Written && done.is_ok();
        let unread = if read { 0 } else { unread.max(first + words) };
        *staging = Staging { memory: Some(memory), unread };
        return done;
    }
    drop(staging);
    // Another thread was faster; the copy must end before the memory goes.
    gpu.wait().and(done)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// The GPU that this thread is bound to.
        static BOUND: Cell<usize> = const { Cell::new(0) };
    }

    /// A GPU that counts what is asked of it, and refuses what is not for the bound one, as the
    /// driver does.
    struct Fake {
        number: usize,
        memory: Mutex<Vec<u64>>,
        waits: Cell<usize>,
        pinned: Cell<usize>,
        staging: Mutex<Staging<Vec<u64>>>,
    }

    impl Fake {
        fn new(number: usize) -> Self {
            let (memory, staging) = (Mutex::new(vec![0; 1 << 18]), Mutex::default());
            Self { number, memory, waits: Cell::new(0), pinned: Cell::new(0), staging }
        }

        fn check(&self) -> Result<(), Error> {
            let message = || format!("{} is bound, expected {}", BOUND.get(), self.number);
            let call = "a call of the driver";
            if BOUND.get() == self.number {
                Ok(())
            } else {
                Err(Error::Driver { call, message: message() })
            }
        }

        fn write(&self, words: usize, fill: &mut dyn FnMut(&mut [u64])) -> Result<(), Error> {
            // SAFETY: addresses of a fake are indices, which are checked.
            unsafe { write(self, &self.staging, 0, words, fill) }
        }

        fn read(&self, words: usize) -> Result<Vec<u64>, Error> {
            let mut found = Vec::new();
            // SAFETY: the same.
            unsafe { read(self, &self.staging, 0, words, &mut |words| found = words.to_vec())? };
            Ok(found)
        }
    }

    impl Copies for Fake {
        type Pinned = Vec<u64>;

        fn bind(&self) -> Result<(), Error> {
            BOUND.set(self.number);
            Ok(())
        }

        fn wait(&self) -> Result<(), Error> {
            self.waits.set(self.waits.get() + 1);
            Ok(())
        }

        fn pin(&self, words: usize) -> Result<Vec<u64>, Error> {
            self.pinned.set(self.pinned.get() + 1);
            self.check().map(|()| vec![0; words])
        }

        unsafe fn to_gpu(&self, address: u64, words: &[u64]) -> Result<(), Error> {
            self.check()?;
            let address = address as usize;
            self.memory.lock().unwrap()[address..address + words.len()].copy_from_slice(words);
            Ok(())
        }

        unsafe fn to_host(&self, words: &mut [u64], address: u64) -> Result<(), Error> {
            self.check()?;
            let address = address as usize;
            words.copy_from_slice(&self.memory.lock().unwrap()[address..address + words.len()]);
            Ok(())
        }
    }

    #[test]
    fn a_thread_that_worked_for_another_gpu_comes_back() {
        let (one, other) = (Fake::new(1), Fake::new(2));
        one.write(100, &mut |words| {
            words.fill(1);
            // A task that the thread pool hands to this thread while it waits for others.
            other.write(50, &mut |words| words.fill(2)).unwrap();
        })
        .unwrap();
        assert_eq!(one.read(100).unwrap(), [1; 100]);
        assert_eq!(other.read(50).unwrap(), [2; 50]);
    }

    #[test]
    fn so_does_one_that_worked_for_the_same_gpu_and_then_another() {
        let (one, other) = (Fake::new(1), Fake::new(2));
        one.write(100, &mut |words| {
            // It finds no staging memory, since the outer copy has it, and its own stays.
            one.write(100, &mut |words| words.fill(3)).unwrap();
            other.write(50, &mut |words| words.fill(2)).unwrap();
            words.fill(1);
        })
        .unwrap();
        assert_eq!(one.read(100).unwrap(), [1; 100]);
        assert_eq!(one.pinned.get(), 2);
    }

    #[test]
    fn small_copies_do_not_wait_for_each_other() {
        let gpu = Fake::new(1);
        gpu.write(1000, &mut |words| words.fill(0)).unwrap();
        let pinned = gpu.pinned.get();
        for k in 1..=24 {
            gpu.write(1, &mut |words| words.fill(k)).unwrap();
        }
        assert_eq!((gpu.pinned.get(), gpu.waits.get()), (pinned, 0));
        // Memory that is full is waited for, and so is what comes back.
        gpu.write(1000, &mut |words| words.fill(7)).unwrap();
        assert_eq!(gpu.waits.get(), 1);
        assert_eq!(gpu.read(1000).unwrap(), [7; 1000]);
        assert_eq!(gpu.waits.get(), 2);
    }

    #[test]
    fn memory_that_goes_is_read_before() {
        let gpu = Fake::new(1);
        trim(&gpu, &gpu.staging).unwrap();
        assert_eq!(gpu.waits.get(), 0);
        gpu.write(10, &mut |words| {
            words.fill(7);
            // It is at work, and stays.
            trim(&gpu, &gpu.staging).unwrap();
        })
        .unwrap();
        assert!(!gpu.staging.lock().unwrap().is_empty());
        trim(&gpu, &gpu.staging).unwrap();
        assert_eq!(gpu.waits.get(), 1);
        assert!(gpu.staging.lock().unwrap().is_empty());
        assert_eq!(gpu.read(10).unwrap(), [7; 10]);
    }
}
