//! Energy errors of a run, for the page.

use std::error::Error;
use std::path::Path;

/// Energy errors with their times, in order.
pub type Energies = Vec<(f64, f64)>;

/// Reads the times and the energy errors of energies.csv; none if the folder has no such file.
pub fn read(folder: &Path) -> Result<Energies, Box<dyn Error>> {
    let path = folder.join("energies.csv");
    if !path.exists() {
        return Ok(Vec::new());
    }
    let wrong = |what: String| {
        format!(
            "{}: {what}, expected a table with the columns time and error, as `nbody run` writes it; remove \
             the file to view the snapshots without it",
            path.display()
        )
    };
    let mut reader = csv::Reader::from_path(&path).map_err(|error| wrong(error.to_string()))?;
    let headers = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
    let place = |name: &str| {
        let place = headers.iter().position(|found| found == name);
        place.ok_or_else(|| wrong(format!("found no column {name}")))
    };
    let (time, error) = (place("time")?, place("error")?);
    let mut energies = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| wrong(error.to_string()))?;
        let number = |place: usize| {
            let cell = row.get(place).unwrap_or_default().trim();
            cell.parse().map_err(|_| wrong(format!("found `{cell}` instead of a number")))
        };
        energies.push((number(time)?, number(error)?));
    }
    Ok(energies)
}

/// Returns the error at the time of a snapshot, where it is known and finite.
pub fn at(energies: &Energies, time: f64) -> Option<f64> {
    let row = energies.iter().find(|(at, _)| *at == time);
    row.map(|(_, error)| *error).filter(|error| error.is_finite())
}
