//! Interruption of long evaluations on the CPU.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Error;

/// Ends evaluations on the CPU early. Clones are one interrupt.
///
/// ```
/// use nbody_core::Interrupt;
/// let interrupt = Interrupt::default();
/// // Another thread may call `interrupt.set()` meanwhile.
/// let found = interrupt.during(|| 6 * 7);
/// assert_eq!(found, 42);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

thread_local! {
    static CURRENT: RefCell<Interrupt> = RefCell::default();
}

impl Interrupt {
    /// Ends the evaluations soon.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Returns whether it was set.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Calls a function. Evaluations that this thread begins in it fail with [`Error::Interrupted`]
    /// soon after the interrupt is set; their results have no meaning then.
    pub fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = CURRENT.replace(self.clone());
        let _restored = Restored(Some(before));
        work()
    }

    /// Returns the interrupt of this thread.
    pub(crate) fn current() -> Self {
        CURRENT.with_borrow(Self::clone)
    }

    /// Returns the error if it was set.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if self.is_set() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// Restores the interrupt of the thread, also after a panic.
struct Restored(Option<Interrupt>);

impl Drop for Restored {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            CURRENT.set(before);
        }
    }
}
