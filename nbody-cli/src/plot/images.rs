//! Images of snapshots, drawn again, and their film.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::arguments::Arguments;
use super::source::Source;
use crate::camera::Camera;
use crate::run::FileUnits;
use crate::{centre, files, movie, snapshots};

/// The part of the mass that images show by default.
const SHOWN: f64 = 0.9;

/// Draws the images of all snapshots by one camera, and makes a film of them if it is wanted; returns
/// the files to name.
pub fn draw(
    source: &Source,
    arguments: &Arguments,
    output: &Path,
) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let paths = snapshots(&source.folder)?;
    let images = images(&paths, output);
    // Images in the folder may be by several cameras.
    draw_all(&paths, &images, &camera(&paths[0], source, arguments)?, &source.units)?;
    let mut written = if arguments.camera.is_some() { images.clone() } else { Vec::new() };
    if arguments.movie {
        written.push(movie::write(output, &images)?);
    }
    Ok(written)
}

/// Makes a film of the images of a run. They are drawn again by a camera if one is given.
pub fn film(
    folder: &Path,
    camera: Option<(&Camera, &FileUnits)>,
) -> Result<PathBuf, Box<dyn Error>> {
    let paths = snapshots(folder)?;
    let images = images(&paths, folder);
    if let Some((camera, units)) = camera {
        draw_all(&paths, &images, camera, units)?;
    }
    movie::write(folder, &images)
}

/// Draws the images of snapshots.
fn draw_all(
    paths: &[PathBuf],
    images: &[PathBuf],
    camera: &Camera,
    units: &FileUnits,
) -> Result<(), String> {
    let draw = |(path, image): (&PathBuf, &PathBuf)| {
        let snapshot = snapshots::read(path)?;
        files::replace(image, |out| camera.write(&snapshot, units, out))
            .map_err(|error| error.to_string())
    };
    // The message is about the first failure, whichever came first.
    let drawn: Vec<_> = paths.par_iter().zip(images).map(draw).collect();
    drawn.into_iter().collect()
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
