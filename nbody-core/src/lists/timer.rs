//! Measures the times of the parts of neighbour lists.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::lists::stats::NeighbourTimes;

/// Total times of the parts of neighbour lists, while they are measured. The measurement begins
/// switched off.
#[derive(Debug, Default)]
pub struct Timer(Option<Mutex<NeighbourTimes>>);

impl Timer {
    /// Starts the measurement from zero, or stops it.
    pub fn set(&mut self, is_on: bool) {
        self.0 = is_on.then(Mutex::default);
    }

    /// Returns whether times are measured.
    pub fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Returns the totals, if times are measured.
    pub fn totals(&self) -> Option<NeighbourTimes> {
        self.lock().map(|totals| *totals)
    }

    /// Adds the times of an update or an evaluation to the totals, if times are measured.
    pub fn add(&self, times: &NeighbourTimes) {
        if let Some(mut totals) = self.lock() {
            *totals += *times;
        }
    }

    /// Starts the wall clock for an update or an evaluation, if times are measured.
    pub fn start(&self) -> Laps {
        let last = self.0.as_ref().map(|_| Instant::now());
        Laps { last, times: NeighbourTimes::default() }
    }

    fn lock(&self) -> Option<MutexGuard<'_, NeighbourTimes>> {
        self.0.as_ref().map(|totals| totals.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clone for Timer {
    fn clone(&self) -> Self {
        Self(self.totals().map(Mutex::new))
    }
}

/// Wall-clock times of an update or an evaluation, one part after another.
#[derive(Debug)]
pub struct Laps {
    /// The end of the last part; `None` if times are not measured.
    last: Option<Instant>,
    /// Number and times of the parts that have ended.
    pub times: NeighbourTimes,
}

impl Laps {
    /// Ends a part, and adds to it the time since the last part ended.
    pub fn end(&mut self, part: fn(&mut NeighbourTimes) -> &mut Duration) {
        if let Some(last) = &mut self.last {
            let now = Instant::now();
            *part(&mut self.times) += now.saturating_duration_since(*last);
            *last = now;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const REST: Duration = Duration::from_millis(2);

    #[test]
    fn parts_end_where_the_next_begins() {
        let mut timer = Timer::default();
        timer.set(true);
        let start = Instant::now();
        let mut laps = timer.start();
        thread::sleep(REST);
        laps.end(|times| &mut times.look);
        laps.end(|times| &mut times.order);
        thread::sleep(REST);
        laps.end(|times| &mut times.list);
        let (all, NeighbourTimes { look, order, list, .. }) = (start.elapsed(), laps.times);
        assert!(look >= REST && list >= REST && look + order + list <= all, "{:?}", laps.times);
        laps.times.updates = 1;
        timer.add(&laps.times);
        timer.add(&laps.times);
        let totals = timer.totals().unwrap();
        assert_eq!((totals.updates, totals.look, totals.list), (2, 2 * look, 2 * list));
        assert_eq!(timer.clone().totals(), Some(totals));
    }

    #[test]
    fn nothing_is_measured_until_it_is_switched_on() {
        let mut timer = Timer::default();
        let mut laps = timer.start();
        laps.end(|times| &mut times.look);
        assert_eq!((laps.last, laps.times), (None, NeighbourTimes::default()));
        timer.add(&laps.times);
        assert_eq!((timer.is_on(), timer.totals()), (false, None));
        timer.set(true);
        let times = NeighbourTimes { evaluations: 3, ..NeighbourTimes::default() };
        timer.add(&times);
        assert_eq!((timer.is_on(), timer.totals()), (true, Some(times)));
        timer.set(true);
        assert_eq!(timer.totals(), Some(NeighbourTimes::default()));
    }
}
