//! Memory that a caller works in.

use std::sync::Arc;

use nbody_core::untyped::LentMemory;

use crate::backend::{Backend, Memory};
use crate::error::Error;

/// Memory of a backend, which is freed when no work of the process uses it any more.
#[derive(Debug)]
pub(crate) struct Lent {
    memory: Box<dyn Memory>,
    backend: Arc<dyn Backend>,
}

impl Lent {
    pub fn new(backend: &Arc<dyn Backend>, bytes: usize) -> Result<Self, Error> {
        Ok(Self { memory: backend.allocate(bytes)?, backend: backend.clone() })
    }

    /// Allocates memory with these words.
    pub fn of_words(backend: &Arc<dyn Backend>, words: &[u64]) -> Result<Self, Error> {
        Ok(Self { memory: backend.copied(words)?, backend: backend.clone() })
    }
}

impl LentMemory for Lent {
    fn address(&self) -> u64 {
        self.memory.address()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        // Work of the caller may be in any stream. A destructor cannot report an error.
        let _ = self.backend.wait_for_all();
    }
}
