//! The j-particles on the host: set by the caller, sent to the device later.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::law::State;

/// The j-particles as the caller set them, and the addresses whose particles have changed since
/// the device had them.
#[derive(Debug, Default)]
pub struct Sources {
    /// The particles at addresses without a gap.
    states: Vec<State>,
    /// Particles behind a gap.
    behind: BTreeMap<u32, State>,
    /// The addresses that changed, and whether each address did.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
}

impl Sources {
    /// Sets the particle at this address.
    pub fn set(&mut self, address: u32, state: State) -> Result<(), Error> {
        check(address, &state)?;
        if let Some(place) = self.states.get_mut(address as usize) {
            *place = state;
            if !std::mem::replace(&mut self.is_changed[address as usize], true) {
                self.changed.push(address);
            }
            return Ok(());
        }
        self.behind.insert(address, state);
        while let Some(state) = self.behind.remove(&(self.states.len() as u32)) {
            self.append(state)?;
        }
        Ok(())
    }

    fn append(&mut self, state: State) -> Result<(), Error> {
        let memory = self.states.try_reserve(1).and(self.is_changed.try_reserve(1));
        memory.and(self.changed.try_reserve(1)).map_err(|_| Error::OutOfMemory)?;
        self.changed.push(self.states.len() as u32);
        self.states.push(state);
        self.is_changed.push(true);
        Ok(())
    }

    /// Returns the first `nj` particles.
    pub fn first(&self, nj: usize) -> Result<&[State], Error> {
        self.states.get(..nj).ok_or(Error::NoSource { nj, missing: self.states.len() })
    }

    /// Takes the changed addresses below `nj`, in order.
    pub fn take_changed(&mut self, nj: usize) -> Vec<u32> {
        let (mut taken, left): (Vec<_>, _) =
            self.changed.iter().partition(|&&address| (address as usize) < nj);
        self.changed = left;
        for &address in &taken {
            self.is_changed[address as usize] = false;
        }
        taken.sort_unstable();
        taken
    }
}

/// Refuses numbers that would make every result NaN.
fn check(address: u32, state: &State) -> Result<(), Error> {
    let State { pos, vel, acc, jerk, mass, time, id: _ } = *state;
    let numbers = [
        ("x", [pos.x, pos.y, pos.z]),
        ("v", [vel.x, vel.y, vel.z]),
        ("a2", [acc.x, acc.y, acc.z]),
        ("j6", [jerk.x, jerk.y, jerk.z]),
        ("mass", [mass; 3]),
        ("tj", [time; 3]),
    ];
    for (what, numbers) in numbers {
        if let Some(&found) = numbers.iter().find(|number| !number.is_finite()) {
            return Err(Error::NotFinite { what, address, found });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(id: u32) -> State {
        State { id, mass: 1.0, ..State::default() }
    }

    fn ids(sources: &Sources, nj: usize) -> Vec<u32> {
        sources.first(nj).unwrap().iter().map(|state| state.id).collect()
    }

    #[test]
    fn particles_behind_a_gap_wait_until_it_is_filled() {
        let mut sources = Sources::default();
        for address in [3, 1, 2] {
            sources.set(address, state(10 + address)).unwrap();
        }
        let error = sources.first(1).unwrap_err();
        assert!(matches!(error, Error::NoSource { nj: 1, missing: 0 }), "{error}");
        assert_eq!(sources.take_changed(4), []);
        sources.set(0, state(10)).unwrap();
        assert_eq!(ids(&sources, 4), [10, 11, 12, 13]);
        assert_eq!(sources.take_changed(4), [0, 1, 2, 3]);
        sources.set(u32::MAX - 1, state(5)).unwrap();
        let error = sources.first(5).unwrap_err();
        assert_eq!(
            error.to_string(),
            "5 j-particles, but no particle at address 4; call g6_set_j_particle_ for each address \
             from 0 to 4"
        );
    }

    #[test]
    fn changed_addresses_are_taken_once() {
        let mut sources = Sources::default();
        for address in 0..5 {
            sources.set(address, state(address)).unwrap();
        }
        assert_eq!(sources.take_changed(3), [0, 1, 2]);
        for address in [2, 0, 2, 4] {
            sources.set(address, state(20 + address)).unwrap();
        }
        assert_eq!(sources.take_changed(3), [0, 2]);
        assert_eq!(sources.take_changed(5), [3, 4]);
        assert_eq!(sources.take_changed(5), []);
        assert_eq!(ids(&sources, 5), [20, 1, 22, 3, 24]);
    }

    #[test]
    fn infinite_numbers_are_refused() {
        let mut sources = Sources::default();
        sources.set(0, state(1)).unwrap();
        let mut bad = state(2);
        bad.vel.y = f64::NAN;
        let message = sources.set(0, bad).unwrap_err().to_string();
        assert_eq!(message, "v at address 0 is NaN, expected a finite number");
        assert_eq!(ids(&sources, 1), [1]);
    }
}
