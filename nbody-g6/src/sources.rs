//! The j-particles on the host: set by the caller, sent to the device later.

use std::collections::BTreeMap;

use crate::error::Error;
use crate::law::State;

/// The place of an address without a change.
const NONE: u32 = u32::MAX;

/// The j-particles as the caller set them, and the changes that the device does not have yet.
#[derive(Debug, Default)]
pub struct Sources {
    /// The particles at addresses without a gap, before the changes.
    states: Vec<State>,
    /// Particles behind a gap.
    behind: BTreeMap<u32, State>,
    changes: Changes,
    /// The place of each address among the changes.
    places: Vec<u32>,
}

/// Changed particles and their addresses, each once, in the order of the calls: in one piece, so
/// that a call writes to little memory, and the device takes them as they are.
#[derive(Debug, Default)]
pub struct Changes {
    pub addresses: Vec<u32>,
    pub states: Vec<State>,
}

impl Sources {
    /// Sets the particle at this address.
    pub fn set(&mut self, address: u32, state: State) -> Result<(), Error> {
        check(address, &state)?;
        match self.places.get(address as usize) {
            Some(&NONE) => self.change(address, state),
            Some(&place) => {
                self.changes.states[place as usize] = state;
                Ok(())
            }
            None => {
                self.behind.insert(address, state);
                while let Some(state) = self.behind.remove(&(self.states.len() as u32)) {
                    self.append(state)?;
                }
                Ok(())
            }
        }
    }

    fn append(&mut self, state: State) -> Result<(), Error> {
        let memory = self.states.try_reserve(1).and(self.places.try_reserve(1));
        memory.map_err(|_| Error::OutOfMemory)?;
        self.states.push(state);
        self.places.push(NONE);
        self.change(self.states.len() as u32 - 1, state)
    }

    fn change(&mut self, address: u32, state: State) -> Result<(), Error> {
        let Changes { addresses, states } = &mut self.changes;
        let memory = addresses.try_reserve(1).and(states.try_reserve(1));
        memory.map_err(|_| Error::OutOfMemory)?;
        self.places[address as usize] = addresses.len() as u32;
        addresses.push(address);
        states.push(state);
        Ok(())
    }

    /// Refuses more particles than there are at addresses without a gap.
    pub fn check(&self, nj: usize) -> Result<(), Error> {
        let missing = self.states.len();
        if nj <= missing { Ok(()) } else { Err(Error::NoSource { nj, missing }) }
    }

    /// Returns the changes since [`settle`](Self::settle).
    pub fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Returns all particles, without their changes.
    pub fn settled(&self) -> &[State] {
        &self.states
    }

    /// Takes over the changes.
    pub fn settle(&mut self) {
        let Changes { addresses, states } = &mut self.changes;
        for (address, state) in addresses.drain(..).zip(states.drain(..)) {
            self.states[address as usize] = state;
            self.places[address as usize] = NONE;
        }
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
    // No early end, so that numbers are tested side by side.
    let each = numbers.iter().flat_map(|(_, numbers)| numbers);
    if each.fold(true, |all, number| all & number.is_finite()) {
        return Ok(());
    }
    let bad = |(what, numbers): (_, [f64; 3])| {
        numbers.into_iter().find(|number| !number.is_finite()).map(|found| (what, found))
    };
    let found = numbers.into_iter().find_map(bad);
    found.map_or(Ok(()), |(what, found)| Err(Error::NotFinite { what, address, found }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(id: u32) -> State {
        State { id, mass: 1.0, ..State::default() }
    }

    fn ids(states: &[State]) -> Vec<u32> {
        states.iter().map(|state| state.id).collect()
    }

    #[test]
    fn particles_behind_a_gap_wait_until_it_is_filled() {
        let mut sources = Sources::default();
        for address in [3, 1, 2] {
            sources.set(address, state(10 + address)).unwrap();
        }
        let error = sources.check(1).unwrap_err();
        assert!(matches!(error, Error::NoSource { nj: 1, missing: 0 }), "{error}");
        assert_eq!(sources.changes().addresses, []);
        sources.set(0, state(10)).unwrap();
        sources.check(4).unwrap();
        assert_eq!(sources.changes().addresses, [0, 1, 2, 3]);
        assert_eq!(ids(&sources.changes().states), [10, 11, 12, 13]);
        sources.set(u32::MAX - 1, state(5)).unwrap();
        let error = sources.check(5).unwrap_err();
        assert_eq!(
            error.to_string(),
            "5 j-particles, but no particle at address 4; call g6_set_j_particle_ for each address \
             from 0 to 4"
        );
    }

    #[test]
    fn a_changed_address_is_listed_once() {
        let mut sources = Sources::default();
        for address in 0..5 {
            sources.set(address, state(address)).unwrap();
        }
        sources.settle();
        for (address, id) in [(2, 20), (0, 21), (2, 22), (4, 24)] {
            sources.set(address, state(id)).unwrap();
        }
        assert_eq!(sources.changes().addresses, [2, 0, 4]);
        assert_eq!(ids(&sources.changes().states), [22, 21, 24]);
        assert_eq!(ids(sources.settled()), [0, 1, 2, 3, 4]);
        sources.settle();
        assert_eq!(sources.changes().addresses, []);
        assert_eq!(ids(sources.settled()), [21, 1, 22, 3, 24]);
        sources.set(2, state(30)).unwrap();
        assert_eq!(sources.changes().addresses, [2]);
    }

    #[test]
    fn infinite_numbers_are_refused() {
        let mut sources = Sources::default();
        sources.set(0, state(1)).unwrap();
        let mut bad = state(2);
        bad.vel.y = f64::NAN;
        let message = sources.set(0, bad).unwrap_err().to_string();
        assert_eq!(message, "v at address 0 is NaN, expected a finite number");
        assert_eq!(ids(&sources.changes().states), [1]);
    }
}
