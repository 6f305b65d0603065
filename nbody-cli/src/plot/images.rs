//! Images of snapshots, drawn again, and their film.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::arguments::Arguments;
use super::source::Source;
use crate::camera::Camera;
use crate::{centre, files, movie, snapshots};

/// The part of the mass that images show by default.
const SHOWN: f64 = 0.9;

/// Draws the images, if they are missing or another camera is wanted, and makes a film of them;
/// returns the files to name.
pub fn draw(
    source: &Source,
    arguments: &Arguments,
    output: &Path,
) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let paths = snapshots(&source.folder)?;
    let images = images(&paths, output);
    let mut written = Vec::new();
    if arguments.camera.is_some() || !images.iter().all(|image| image.exists()) {
        let camera = camera(&paths[0], source, arguments)?;
        let draw = |(path, image): (&PathBuf, &PathBuf)| {
            let snapshot = snapshots::read(path)?;
            files::replace(image, |out| camera.write(&snapshot, &source.units, out))
                .map_err(|error| error.to_string())
        };
        let drawn: Vec<_> = paths.par_iter().zip(&images).map(draw).collect();
        drawn.into_iter().collect::<Result<Vec<()>, String>>()?;
        written.extend(images.clone());
    }
    if arguments.movie {
        written.push(movie::write(output, &images)?);
    }
    Ok(written)
}

/// Makes a film of the images of a folder, in another or the same one.
pub fn film(folder: &Path, output: &Path) -> Result<PathBuf, Box<dyn Error>> {
    movie::write(output, &images(&snapshots(folder)?, folder))
}

/// Finds the snapshots of a run.
fn snapshots(folder: &Path) -> Result<Vec<PathBuf>, String> {
    Ok(snapshots::find(&[folder.to_owned()], NonZeroUsize::MIN)?.paths)
}

/// Returns the images of snapshots.
fn images(snapshots: &[PathBuf], folder: &Path) -> Vec<PathBuf> {
    let image = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default();
        folder.join(Path::new(name).with_extension("png"))
    };
    snapshots.iter().map(image).collect()
}

/// Returns the camera of the command line, or of the run.
fn camera(first: &Path, source: &Source, arguments: &Arguments) -> Result<Camera, Box<dyn Error>> {
    if let (None, Some(about)) = (arguments.camera, &source.about) {
        return Ok(about.view);
    }
    let snapshot = snapshots::read(first)?;
    let radius = snapshot.lagrangian_radii(&[SHOWN])[0];
    let wanted = arguments.camera.unwrap_or_default();
    Ok(Camera::new(&wanted, centre::of_mass(&snapshot.particles), radius))
}
