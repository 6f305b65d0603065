//! Stacks of the threads of a block. A host thread keeps them between launches: to map and protect
//! them takes longer than a small kernel.
//!
//! A stack is several times as large as results, particles and parameters require, since untouched
//! pages take no memory. Guard pages separate stacks.

use std::cell::RefCell;
use std::ffi::c_void;
#[cfg(unix)]
use std::ptr;

#[cfg(unix)]
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// The largest stack that is kept: larger stacks may have touched much memory.
const KEPT: usize = 2 << 20;

thread_local! {
    static STACKS: RefCell<Option<Stacks>> = const { RefCell::new(None) };
}

/// Consecutive stacks, each above inaccessible memory of the same size.
pub(super) struct Stacks {
    begin: *mut c_void,
    /// Bytes of a stack.
    stack: usize,
    threads: usize,
}

impl Stacks {
    /// Calls a function with the address of the lowest byte and the size of each stack, which is
    /// at least `stack`; `None` if memory is exhausted.
    pub fn with<T>(
        stack: usize,
        threads: usize,
        run: impl FnOnce(*mut c_void, usize) -> T,
    ) -> Option<T> {
        // Taken out meanwhile, so that a launch within a launch has separate stacks.
        let stacks = match STACKS.take() {
            Some(kept) if kept.stack >= stack && kept.threads >= threads => kept,
            // Also large enough for the earlier program, since programs of both sizes may
            // alternate.
            Some(kept) if stack <= KEPT => {
                Self::new(stack.max(kept.stack), threads.max(kept.threads))?
            }
            _ => Self::new(stack, threads)?,
        };
        let result = run(stacks.begin, stacks.stack);
        if stacks.stack <= KEPT {
            STACKS.set(Some(stacks));
        }
        Some(result)
    }

    fn bytes(&self) -> usize {
        2 * self.stack * self.threads
    }
}

#[cfg(unix)]
impl Stacks {
    /// Maps stacks of this size, a whole number of pages, for a number of threads.
    fn new(stack: usize, threads: usize) -> Option<Self> {
        let bytes = stack.checked_mul(2)?.checked_mul(threads)?;
        let kind = MapFlags::PRIVATE;
        // Most of each stack stays untouched.
        #[cfg(target_os = "linux")]
        let kind = kind | MapFlags::NORESERVE;
        // SAFETY: new memory, at an address that the system chooses.
        let begin = unsafe { mmap_anonymous(ptr::null_mut(), bytes, ProtFlags::empty(), kind) };
        let stacks = Self { begin: begin.ok()?, stack, threads };
        #[cfg(target_os = "linux")]
        {
            use rustix::mm::{Advice, madvise};
            // SAFETY: the memory mapped above; the advice changes no contents. It is optional.
            let _ = unsafe { madvise(stacks.begin, bytes, Advice::LinuxNoHugepage) };
        }
        for k in 0..threads {
            // SAFETY: the upper half of the k-th part of the memory mapped above, which nobody
            // uses yet.
            unsafe {
                let begin = stacks.begin.byte_add((2 * k + 1) * stack);
                mprotect(begin, stack, MprotectFlags::READ | MprotectFlags::WRITE).ok()?;
            }
        }
        Some(stacks)
    }
}

#[cfg(unix)]
impl Drop for Stacks {
    fn drop(&mut self) {
        // SAFETY: mapped by `new` with this size; no fiber runs outside `with`.
        let _ = unsafe { munmap(self.begin, self.bytes()) };
    }
}

#[cfg(not(unix))]
impl Stacks {
    /// Returns `None`: no compiler of these systems has the contexts of `emulate_run.h`.
    fn new(_: usize, _: usize) -> Option<Self> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_that_suffice_are_kept() {
        let begin = |stack, threads| Stacks::with(stack, threads, |begin, _| begin as usize);
        let page = 64 << 10;
        let first = begin(2 * page, 32).unwrap();
        assert_eq!(begin(page, 16), Some(first));
        let larger = begin(2 * page, 64).unwrap();
        assert_eq!(begin(2 * page, 64), Some(larger));
        let both = begin(4 * page, 32).unwrap();
        assert_eq!(begin(page, 64), Some(both));
        Stacks::with(2 * KEPT, 32, |_, stack| assert_eq!(stack, 2 * KEPT)).unwrap();
        assert!(STACKS.take().is_none());
        assert_eq!(begin(usize::MAX / 2, 3), None);
    }
}
