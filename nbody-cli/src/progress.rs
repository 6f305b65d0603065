//! The progress of measurements: a bar on a terminal, otherwise lines.

use std::ops::Deref;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::style::TemplateError;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{date, message};

/// Time between two turns of the spinner.
const TICK: Duration = Duration::from_millis(200);
/// Least time between two lines, which a thread prints: it must not take a core.
const LEAST: Duration = Duration::from_millis(10);

/// The report of measurements: its form, and the progress.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Reporting {
    /// Print one JSON document in place of tables: full names, all digits, SI units, and null where a
    /// figure is not known.
    #[arg(long)]
    pub json: bool,
    /// The time between lines about the progress, where the standard error is no terminal.
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, default_value = "10s")]
    pub log_every: Duration,
}

impl Reporting {
    /// Shows the progress of steps.
    pub fn progress(self) -> Result<Progress, TemplateError> {
        let style = ProgressStyle::with_template("{spinner} {bar:40} {pos}/{len} {msg}")?;
        let steps = |bar: &ProgressBar| match bar.length() {
            Some(length @ 1..) => format!("{}/{length} ", bar.position()),
            _ => String::new(),
        };
        Ok(Progress::new(ProgressBar::new(0).with_style(style), self.log_every, steps))
    }
}

/// A bar, which is removed at the end. Where the standard error is no terminal, a thread prints a line
/// at regular times, also within a long step.
pub struct Progress {
    bar: ProgressBar,
    log: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Shows a bar; `part` formats the part that is done.
    pub fn new(
        bar: ProgressBar,
        every: Duration,
        part: impl Fn(&ProgressBar) -> String + Send + 'static,
    ) -> Self {
        if !bar.is_hidden() {
            bar.enable_steady_tick(TICK);
            return Self { bar, log: None };
        }
        let (sender, receiver) = channel();
        let logged = bar.clone();
        let thread = thread::spawn(move || {
            while receiver.recv_timeout(every.max(LEAST)) == Err(RecvTimeoutError::Timeout) {
                let (part, work) = (part(&logged), logged.message());
                message::print(format_args!("{} {part}{work}", date::now()));
            }
        });
        Self { bar, log: Some((sender, thread)) }
    }

    /// Shows nothing.
    pub fn hidden() -> Self {
        Self { bar: ProgressBar::hidden(), log: None }
    }
}

impl Deref for Progress {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
        if let Some((sender, thread)) = self.log.take() {
            drop(sender);
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}
