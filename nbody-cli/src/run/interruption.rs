//! Signals that end a run: Ctrl-C, and SIGTERM and SIGHUP as of a batch queue or a closed terminal.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Exit code after a signal: 128 and the number of that of Ctrl-C, as in a shell.
pub const EXIT: u8 = 130;
/// A signal this long after the first ends the process at once. Batch queues send two kinds together.
const TOGETHER: Duration = Duration::from_secs(1);

/// Signals since the beginning.
#[derive(Clone, Debug, Default)]
pub struct Interruption {
    /// Whether there is something to write when a signal comes.
    is_begun: Arc<AtomicBool>,
    is_asked: Arc<AtomicBool>,
}

impl Interruption {
    /// Listens. Until the run has [begun](Self::begin) a signal ends the process at once.
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

    /// From now on the run ends after its step, with a file to restart from.
    pub fn begin(&self) {
        self.is_begun.store(true, Ordering::Relaxed);
    }

    /// Returns whether the run is asked to end.
    pub fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }
}
