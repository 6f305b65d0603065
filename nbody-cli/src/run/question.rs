//! The question of ranks whether a signal has interrupted any of them, and whether a checkpoint is
//! due.

use std::time::{Duration, Instant};

use crate::ranks::Rank;

/// Times between two questions of ranks whether the run was interrupted: steps may be as short as
/// messages.
const QUESTIONS: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(50)];
/// The most steps between two questions.
const STEPS_OF_A_QUESTION: u64 = 256;
/// The next question of ranks whether the run was interrupted.
pub struct Question {
    /// The number of steps after which it is asked.
    next: u64,
    /// The number of steps between questions.
    interval: u64,
    last: Instant,
}

impl Question {
    pub fn new() -> Self {
        Self { next: 0, interval: 1, last: Instant::now() }
    }

    /// Returns whether a signal has asked any rank to end, and whether a checkpoint is due, after this
    /// number of steps. Ranks ask each other at the same steps; between two questions the answer is no.
    pub fn ask(
        &mut self,
        rank: &Rank,
        steps: u64,
        says: [bool; 2],
    ) -> Result<[bool; 2], nbody::Error> {
        if !rank.has_others() {
            return Ok(says);
        }
        if steps < self.next {
            return Ok([false; 2]);
        }
        let (says, time) = rank.ask(says, self.last.elapsed())?;
        self.ask_again(steps, time);
        Ok(says)
    }

    /// Sets the next question, after a question at this number of steps. All ranks give the same
    /// time since the one before.
    fn ask_again(&mut self, steps: u64, time: Duration) {
        let [short, long] = QUESTIONS;
        if time < short {
            self.interval = (2 * self.interval).min(STEPS_OF_A_QUESTION);
        } else if time > long {
            self.interval = (self.interval / 2).max(1);
        }
        (self.next, self.last) = (steps + self.interval, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_steps_are_rarely_interrupted_by_questions() {
        let mut question = Question::new();
        let mut next = |steps, milliseconds| {
            question.ask_again(steps, Duration::from_millis(milliseconds));
            question.next - steps
        };
        assert_eq!([next(0, 1), next(2, 1), next(6, 1)], [2, 4, 8]);
        assert_eq!((0..9).map(|k| next(k, 1)).last(), Some(STEPS_OF_A_QUESTION));
        assert_eq!(next(9, 20), STEPS_OF_A_QUESTION);
        assert_eq!((0..9).map(|k| next(k, 1000)).last(), Some(1));
    }
}
