//! Signals that end a run: Ctrl-C, and SIGTERM and SIGHUP, as from a batch queue or a closed
//! terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Exit code after a signal: 128 plus the number of the signal of Ctrl-C, as in a shell.
pub const EXIT: u8 = 130;
/// A signal later than this after the first one ends the process at once. Batch queues send two
/// kinds together.
const TOGETHER: Duration = Duration::from_secs(1);

/// The signals received so far.
#[derive(Clone, Debug, Default)]
pub struct Interruption {
    /// Whether a signal must leave a file to restart from.
    is_begun: Arc<AtomicBool>,
    is_asked: Arc<AtomicBool>,
}

impl Interruption {
    /// Starts to listen. Until the run has [begun](Self::begin), a signal ends the process at
    /// once.
    pub fn listen() -> Result<Self, ctrlc::Error> {
        let found = Self::default();
        let Self { is_begun, is_asked } = found.clone();
        let mut first: Option<Instant> = None;
        ctrlc::set_handler(move || {
            let since = first.get_or_insert_with(Instant::now).elapsed();
            if !is_begun.load(Ordering::Relaxed) || since > TOGETHER {
                std::process::exit(EXIT.into());
            }
            is_asked.store(true, Ordering::Relaxed);
        })?;
        Ok(found)
    }

    /// Marks the beginning of the run: from now on a signal ends it after the current step, with a
    /// file to restart from.
    pub fn begin(&self) {
        self.is_begun.store(true, Ordering::Relaxed);
    }

    /// Returns whether a signal has asked the run to end.
    pub fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }
}
