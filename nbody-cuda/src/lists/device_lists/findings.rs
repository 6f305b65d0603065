//! Findings of looks at particles before an evaluation.

use std::sync::{Mutex, PoisonError};

use crate::backend::{Memory, Scratch};

/// The findings of looks since the last update, and memory for the next look. No lock is held
/// while kernels run.
#[derive(Debug, Default)]
pub(super) struct Rechecks {
    /// Set, cutoff and contents of each look that found the lists good.
    pub good: Mutex<Vec<(usize, Option<usize>, u64)>>,
    pub memory: Mutex<Option<(Box<dyn Memory>, Scratch)>>,
}

impl Rechecks {
    /// Forgets the findings.
    pub fn forget(&mut self) {
        self.good.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
