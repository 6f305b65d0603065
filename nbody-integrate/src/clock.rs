//! Time in steps that are powers of two.

use crate::Error;

/// The shortest step is the largest divided by two to this power.
pub(crate) const LEVELS: u32 = 40;

/// After this many ticks they are counted from a later time: a multiple of every step, and of 2³².
pub(crate) const REBASED: u64 = 1 << 62;

/// Returns the beginning and the ticks since then. If the ticks are many, the beginning moves, so
/// that ticks fit into 64 bits however long a run is.
pub(crate) fn rebase(begin: f64, ticks: u64, tick: f64) -> (f64, u64) {
    match ticks.checked_sub(REBASED) {
        Some(ticks) => (begin + REBASED as f64 * tick, ticks),
        None => (begin, ticks),
    }
}

/// The time of a run, exact in ticks, and its next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Clock {
    begin: f64,
    largest: f64,
    ticks: u64,
    level: u32,
}

impl Clock {
    pub fn new(begin: f64, largest: f64) -> Self {
        Self { begin, largest, ticks: 0, level: 0 }
    }

    /// Returns a clock at this number of ticks, which must be a multiple of the next step.
    pub fn at(begin: f64, largest: f64, ticks: u64, level: u32) -> Result<Self, Error> {
        let clock = Self { begin, largest, ticks, level };
        if ticks > REBASED {
            return Err(Error::Ticks { ticks });
        }
        if level <= LEVELS && ticks.is_multiple_of(clock.ticks_of_step()) {
            Ok(clock)
        } else {
            Err(Error::Time { ticks, level })
        }
    }

    /// Returns the time at the beginning, the ticks since then, and the level of the next step.
    pub fn state(&self) -> (f64, u64, u32) {
        (self.begin, self.ticks, self.level)
    }

    pub fn time(&self) -> f64 {
        self.at_ticks(self.ticks)
    }

    /// Returns the time at the end of the next step.
    pub fn next_time(&self) -> f64 {
        self.at_ticks(self.ticks + self.ticks_of_step())
    }

    fn at_ticks(&self, ticks: u64) -> f64 {
        self.begin + ticks as f64 * (self.largest / (1_u64 << LEVELS) as f64)
    }

    pub fn step(&self) -> f64 {
        self.largest / (1_u64 << self.level) as f64
    }

    fn ticks_of_step(&self) -> u64 {
        1 << (LEVELS - self.level)
    }

    pub fn advance(&mut self) {
        let ticks = self.ticks + self.ticks_of_step();
        let tick = self.largest / (1_u64 << LEVELS) as f64;
        (self.begin, self.ticks) = rebase(self.begin, ticks, tick);
    }

    /// Chooses the first step: the longest that does not exceed `wanted`. Returns whether there is
    /// one.
    pub fn choose_first(&mut self, wanted: f64) -> bool {
        self.choose_from(0, wanted)
    }

    /// Chooses the longest step that does not exceed `wanted`, divides the time, and is at most
    /// twice the last step. Returns whether there is one.
    pub fn choose(&mut self, wanted: f64) -> bool {
        let may_grow = self.level > 0 && self.ticks.is_multiple_of(2 * self.ticks_of_step());
        self.choose_from(self.level - u32::from(may_grow), wanted)
    }

    fn choose_from(&mut self, longest: u32, wanted: f64) -> bool {
        let fits = |level: &u32| self.largest / (1_u64 << level) as f64 <= wanted;
        match (longest..=LEVELS).find(fits) {
            Some(level) => {
                self.level = level;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_powers_of_two_of_which_times_are_multiples() {
        let mut clock = Clock::new(1.0, 0.125);
        assert!(clock.choose_first(0.01));
        assert_eq!(clock.step(), 0.125 / 16.0);
        clock.advance();
        assert!(clock.choose(1.0));
        assert_eq!(clock.step(), 0.125 / 16.0, "the time is no multiple of twice the step");
        clock.advance();
        assert!(clock.choose(1.0));
        assert_eq!((clock.step(), clock.time()), (0.125 / 8.0, 1.0 + 0.125 / 8.0));
        assert!(clock.choose(f64::INFINITY) && !clock.choose(1e-30) && !clock.choose(f64::NAN));
        let (begin, ticks, level) = clock.state();
        assert_eq!(Clock::at(begin, 0.125, ticks, level).unwrap(), clock);
        assert!(Clock::at(begin, 0.125, ticks + 1, level).is_err());
        assert!(Clock::at(begin, 0.125, !(1 << 40), 0).is_err());
    }

    /// A run does not end after 2²⁴ of the largest steps, where 64 bits of ticks do.
    #[test]
    fn ticks_are_counted_from_a_later_time() {
        let late = (1 << 62) - (3 << 37);
        let mut clock = Clock::at(1.0, 0.125, late, 3).unwrap();
        for _ in 0..6 {
            let (time, next) = (clock.time(), clock.next_time());
            clock.advance();
            assert!(time < next && clock.time() == next, "{clock:?}");
            // The step is kept where the ticks restart.
            let mut other = clock;
            assert!(other.choose(1.0) && other.step() <= 0.125 / 4.0, "{clock:?}");
            assert!(clock.choose(0.125 / 8.0) && clock.step() == 0.125 / 8.0);
        }
        let (begin, ticks, level) = clock.state();
        assert_eq!((begin, ticks, level), (1.0 + f64::exp2(22.0) * 0.125, 3 << 37, 3));
        assert!(clock.choose(1.0) && clock.step() == 0.125 / 8.0);
        clock.advance();
        assert!(clock.choose(1.0) && clock.step() == 0.125 / 4.0);
    }
}
