//! Copies to and from a GPU, through pinned host memory that is reused.

use std::sync::{Mutex, PoisonError};

use crate::backend::memory::Fill;
use crate::error::Error;

/// The largest size of staging memory, in words; larger copies use pageable memory.
const MOST_STAGING: usize = 1 << 25;
/// The number of words of staging memory that several copies to the GPU may share: for larger
/// copies, the wait for the previous copy is negligible.
const SHARED_STAGING: usize = 1 << 17;

/// The operations of a GPU that copies need. The driver requires that the calling thread is bound
/// to the context of the GPU.
pub(super) trait Copies {
    /// Pinned host memory.
    type Pinned: AsMut<[u64]>;

    /// Binds this thread to the context of the GPU.
    fn bind(&self) -> Result<(), Error>;

    /// Waits for all work on the GPU, of any thread.
    fn wait(&self) -> Result<(), Error>;

    /// Allocates pinned memory of this number of words.
    fn pin(&self, words: usize) -> Result<Self::Pinned, Error>;

    /// Starts a copy to the device address.
    ///
    /// # Safety
    /// This number of words is allocated there, and `words` does not change before the copy has
    /// ended.
    unsafe fn to_gpu(&self, address: u64, words: &[u64]) -> Result<(), Error>;

    /// Starts a copy from the device address.
    ///
    /// # Safety
    /// This number of words is allocated there, and `words` is not read before the copy has ended.
    unsafe fn to_host(&self, words: &mut [u64], address: u64) -> Result<(), Error>;
}

/// Pinned host memory, while no copy uses it.
#[derive(Debug)]
pub(super) struct Staging<P> {
    memory: Option<P>,
    /// The number of words, from the first, that the GPU may not have read yet.
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

/// The access of the GPU to staging memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Read,
    Written,
}

/// Copies the words that `fill` writes to the device address.
///
/// # Safety
/// This number of words is allocated there.
pub(super) unsafe fn write<C: Copies>(
    gpu: &C,
    staging: &Mutex<Staging<C::Pinned>>,
    address: u64,
    words: usize,
    fill: &mut Fill,
) -> Result<(), Error> {
    with(gpu, staging, words, Use::Read, &mut |words| {
        // `fill` uses the thread pool. While this thread waits there, it may run a task of another
        // engine, which binds it to another GPU.
        fill(words)?;
        gpu.bind()?;
        // SAFETY: by the contract this number of words is allocated, and `with` reuses this part
        // of the staging memory only after the copy.
        unsafe { gpu.to_gpu(address, words) }
    })
}

/// Copies words from the device address and passes them to `take`.
///
/// # Safety
/// This number of words is allocated there.
pub(super) unsafe fn read<C: Copies>(
    gpu: &C,
    staging: &Mutex<Staging<C::Pinned>>,
    address: u64,
    words: usize,
    take: &mut dyn FnMut(&[u64]),
) -> Result<(), Error> {
    with(gpu, staging, words, Use::Written, &mut |words| {
        // SAFETY: by the contract this number of words is allocated. The stream starts this copy
        // after all earlier copies, and `wait` precedes the first read.
        unsafe { gpu.to_host(words, address)? };
        gpu.wait()?;
        take(words);
        Ok(())
    })
}

/// Frees the staging memory, unless a copy uses it.
pub(super) fn trim<C: Copies>(gpu: &C, staging: &Mutex<Staging<C::Pinned>>) -> Result<(), Error> {
    let Staging { memory, unread } =
        std::mem::take(&mut *staging.lock().unwrap_or_else(PoisonError::into_inner));
    if memory.is_some() && unread > 0 {
        gpu.wait()?;
    }
    Ok(())
}

/// Passes this number of words of staging memory to `work`, for exclusive use. Words that the GPU
/// will read follow the words that it may not have read yet, so that there is no wait.
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
    // The lock is not held during `work`, which may wait for other threads.
    let Staging { mut memory, mut unread } = std::mem::take(&mut *lock());
    let behind = by == Use::Read && unread + words <= SHARED_STAGING;
    let first = if behind { unread } else { 0 };
    let found = memory.as_mut().map_or(0, |memory| memory.as_mut().len());
    let fits = first + words <= found;
    // The GPU writes only after all earlier reads.
    if unread > 0 && (!fits || (by == Use::Read && !behind)) {
        gpu.wait()?;
        unread = 0;
    }
    let mut memory = match memory {
        Some(memory) if fits => memory,
        too_small => {
            drop(too_small);
            gpu.pin((first + words).next_power_of_two())?
        }
    };
    let done = work(&mut memory.as_mut()[first..first + words]);
    let mut staging = lock();
    if staging.memory.is_none() {
        // A successful read has waited for the GPU.
        let read = by == Use::Written && done.is_ok();
        let unread = if read { 0 } else { unread.max(first + words) };
        *staging = Staging { memory: Some(memory), unread };
        return done;
    }
    drop(staging);
    // Another thread has returned its memory first: this copy must end before its memory is freed.
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

    /// A GPU that counts waits and allocations, and refuses calls of threads bound to another GPU,
    /// as the driver does.
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
            let fill: &mut Fill = &mut |words| {
                fill(words);
                Ok(())
            };
            // SAFETY: the addresses of a fake are indices, which it checks.
            unsafe { write(self, &self.staging, 0, words, fill) }
        }

        fn read(&self, words: usize) -> Result<Vec<u64>, Error> {
            let mut found = Vec::new();
            // SAFETY: the addresses of a fake are indices, which it checks.
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
    fn a_thread_that_a_task_bound_to_another_gpu_is_bound_again() {
        let (one, other) = (Fake::new(1), Fake::new(2));
        one.write(100, &mut |words| {
            words.fill(1);
            // Like a task of the thread pool that this thread runs while it waits.
            other.write(50, &mut |words| words.fill(2)).unwrap();
        })
        .unwrap();
        assert_eq!(one.read(100).unwrap(), [1; 100]);
        assert_eq!(other.read(50).unwrap(), [2; 50]);
    }

    #[test]
    fn nested_copies_have_staging_memory_of_their_own() {
        let (one, other) = (Fake::new(1), Fake::new(2));
        one.write(100, &mut |words| {
            // The outer copy has the staging memory, so this copy allocates more, which stays.
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
        // A full staging memory requires a wait, and so does a read.
        gpu.write(1000, &mut |words| words.fill(7)).unwrap();
        assert_eq!(gpu.waits.get(), 1);
        assert_eq!(gpu.read(1000).unwrap(), [7; 1000]);
        assert_eq!(gpu.waits.get(), 2);
    }

    #[test]
    fn staging_memory_is_freed_after_its_copies() {
        let gpu = Fake::new(1);
        trim(&gpu, &gpu.staging).unwrap();
        assert_eq!(gpu.waits.get(), 0);
        gpu.write(10, &mut |words| {
            words.fill(7);
            // The staging memory is in use, and stays.
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
