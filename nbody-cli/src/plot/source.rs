//! The tables of a run.

use std::error::Error;
use std::path::{Path, PathBuf};

use super::series::{Points, Series};
use crate::run::{About, FileUnits, tables};

/// A run that is drawn.
pub struct Source {
    pub folder: PathBuf,
    pub series: Series,
    pub units: FileUnits,
    /// The settings, if the folder has the file to restart from.
    pub about: Option<About>,
}

impl Source {
    /// Reads the tables of a run.
    pub fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        if !folder.is_dir() {
            return Err(format!(
                "{} is no folder: give the folder of a run, as `nbody run --output FOLDER` writes it",
                folder.display()
            )
            .into());
        }
        let energies = folder.join(tables::ENERGIES);
        let errors = column(&energies, &["error"])?.remove(0);
        let names = tables::radii_names();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let radii = column(&folder.join(tables::RADII), &names)?;
        let series = Series { errors, radii: tables::FRACTIONS.into_iter().zip(radii).collect() };
        let about = About::of_folder(folder)?;
        let units = about.as_ref().map_or_else(FileUnits::default, |it| it.settings.units.clone());
        Ok(Self { folder: folder.to_owned(), series, units, about })
    }

    /// Returns the name of the run.
    pub fn name(&self) -> String {
        let real = self.folder.canonicalize().ok();
        let name = real.as_ref().and_then(|path| path.file_name());
        name.map_or_else(|| "run".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// Describes the run and its units, for captions.
    pub fn describe(&self) -> Vec<String> {
        let described = self.about.as_ref().map(About::describe);
        described.map_or_else(Vec::new, |it| it.to_vec())
    }
}

/// Refuses runs in different units, which have no common axes.
pub fn check_units(sources: &[Source]) -> Result<(), String> {
    let Some((first, others)) = sources.split_first() else { return Ok(()) };
    match others.iter().find(|it| it.units != first.units) {
        None => Ok(()),
        Some(other) => Err(format!(
            "{} is in {}, {} in {}: draw runs of the same units together",
            first.folder.display(),
            first.units.describe(),
            other.folder.display(),
            other.units.describe()
        )),
    }
}

/// Reads columns of a table against its times.
fn column(path: &Path, names: &[&str]) -> Result<Vec<Points>, String> {
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
