//! Columns of the tables that a run writes.

use std::path::Path;

/// Values with their times.
pub type Points = Vec<(f64, f64)>;

/// Reads columns of a table against its times.
pub fn read(path: &Path, names: &[&str]) -> Result<Vec<Points>, String> {
    let wrong = |what: String| {
        format!(
            "{}: {what}, expected a table with the columns time and {}, as `nbody run` writes it",
            path.display(),
            names.join(", ")
        )
    };
    let mut reader = csv::Reader::from_path(path).map_err(|error| wrong(error.to_string()))?;
    let headers = reader.headers().map_err(|error| wrong(error.to_string()))?.clone();
    let place = |name: &str| {
        let place = headers.iter().position(|found| found == name);
        place.ok_or_else(|| wrong(format!("found no column {name}")))
    };
    let time = place("time")?;
    let places = names.iter().map(|name| place(name)).collect::<Result<Vec<_>, _>>()?;
    let mut columns = vec![Points::new(); names.len()];
    for row in reader.records() {
        let row = row.map_err(|error| wrong(error.to_string()))?;
        let number = |place: usize| {
            let cell = row.get(place).unwrap_or_default().trim();
            cell.parse::<f64>().map_err(|_| wrong(format!("found `{cell}` instead of a number")))
        };
        for (column, place) in columns.iter_mut().zip(&places) {
            column.push((number(time)?, number(*place)?));
        }
    }
    Ok(columns)
}
