//! The output of a run. A snapshot is measured and written, and its state formatted, at the same time:
//! each of these leaves cores idle.

use std::error::Error as StdError;
use std::thread::{self, ScopedJoinHandle};

use nbody::models::Snapshot;

use super::diagnostics::Diagnostics;
use super::history::Row;
use super::output::Folder;
use super::scaled::Scaled;
use super::settings::Settings;
use super::simulation::State;
use crate::camera::Camera;

/// Where a run writes, and how.
#[derive(Clone, Copy)]
pub struct Sink<'a> {
    pub folder: &'a Folder,
    pub settings: &'a Settings,
    pub camera: &'a Camera,
    pub is_first: bool,
}

/// A state with its particles as text, which the first rank has alone.
pub struct Formatted {
    pub state: State,
    pub rows: Vec<Vec<u8>>,
}

impl Sink<'_> {
    /// Writes a snapshot of this name, given in the units of the simulation, and adds its state to its
    /// row. Formats the state of the simulation, too, if it is to be saved.
    pub fn snapshot(
        &self,
        name: &str,
        (inner, row): (&Snapshot, Row),
        simulation: &Scaled,
        saves: bool,
    ) -> Result<(Row, Option<Formatted>), Box<dyn StdError>> {
        let (units, time, sink) = (simulation.units, row.time, *self);
        thread::scope(|scope| {
            let state = scope.spawn(move || Diagnostics::new(inner, &units, time));
            let written = scope.spawn(move || {
                let written = sink.write(name, &units.outward(inner, time));
                written.map_err(|error| error.to_string())
            });
            // All ranks gather the state, on the thread that communicates.
            let formatted = saves.then(|| self.format(simulation)).transpose();
            let row = row.with_state(join(state));
            join(written)?;
            Ok((row, formatted?))
        })
    }

    /// Writes a snapshot of this name.
    pub fn write(&self, name: &str, snapshot: &Snapshot) -> Result<(), Box<dyn StdError>> {
        if !self.is_first {
            return Ok(());
        }
        let view = self.settings.images.then_some((self.camera, &self.settings.units));
        self.folder.snapshot(name, snapshot, self.settings.format, view)
    }

    /// Gathers and formats the state of a simulation.
    pub fn format(&self, simulation: &Scaled) -> Result<Formatted, Box<dyn StdError>> {
        let state = simulation.state()?;
        let rows = if self.is_first { state.rows()? } else { Vec::new() };
        Ok(Formatted { state, rows })
    }
}

/// Returns what a thread returns, and panics if it did.
pub fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
