//! The tables of a run.

use std::error::Error;
use std::path::{Path, PathBuf};

use super::series::Series;
use crate::columns;
use crate::run::{About, FileUnits, history};
use crate::snapshots;

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
        let energies = folder.join(history::ENERGIES);
        let errors = columns::read(&energies, &["error"])?.remove(0);
        let names = history::radii_names();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let radii = columns::read(&folder.join(history::RADII), &names)?;
        let series = Series { errors, radii: history::FRACTIONS.into_iter().zip(radii).collect() };
        let about = About::of_folder(folder)?;
        let units = about.as_ref().map_or_else(FileUnits::default, |it| it.settings.units.clone());
        Ok(Self { folder: folder.to_owned(), series, units, about })
    }

    /// Returns the name of the run.
    pub fn name(&self) -> String {
        snapshots::real_name(&self.folder).unwrap_or_else(|| "run".to_owned())
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
