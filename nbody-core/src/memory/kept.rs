//! Memory that is kept from one call to the next, since mapping new memory is slow.

use std::sync::{Mutex, PoisonError};

/// A value that one call leaves for the next. Concurrent calls and clones find none.
#[derive(Debug)]
pub(crate) struct Kept<T>(Mutex<Option<T>>);

impl<T> Kept<T> {
    /// Takes the value, if there is one.
    pub fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Calls a function with the value, if there is one.
    pub fn with<R>(&self, task: impl FnOnce(&T) -> R) -> Option<R> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(task)
    }

    /// Leaves a value.
    pub fn put(&self, value: T) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}
