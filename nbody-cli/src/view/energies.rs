//! Energy errors of a run, for the page.

use std::path::Path;

use crate::columns::{self, Points};
use crate::run::history::ENERGIES;

/// Reads the energy errors of a run with their times; none if the folder has no table of them.
pub fn read(folder: &Path) -> Result<Points, String> {
    let path = folder.join(ENERGIES);
    if !path.exists() {
        return Ok(Points::new());
    }
    let read = columns::read(&path, &["error"]);
    let read =
        read.map_err(|error| format!("{error}; remove the file to view the snapshots without it"));
    Ok(read?.remove(0))
}

/// Returns the error at the time of a snapshot, where it is known and finite.
pub fn at(energies: &Points, time: f64) -> Option<f64> {
    let row = energies.iter().find(|(at, _)| *at == time);
    row.map(|(_, error)| *error).filter(|error| error.is_finite())
}
