//! The arguments of `nbody plot`.

use std::path::{Path, PathBuf};

use crate::camera;
use crate::wrong::Wrong;

const AFTER_HELP: &str = "\
Examples:
  nbody plot run                      draw energy.svg and lagrange.svg again
  nbody plot run --camera y,follow    and all images, seen along y, with the
                                      density centre in the middle
  nbody plot run --movie              and a film of the images
  nbody plot a b c --output compared  the same plots with the curves of three
                                      runs

The plots come from energies.csv and lagrange.csv, the images from the
snapshots; checkpoint.json, if it is there, tells the units and the settings.
A run that goes on, or was interrupted, is drawn as far as it came. A film has
all images by one camera: --camera, or the camera of the run. Plots of several
runs have the largest error so far, and the radii with 10, 50 and 90% of the
mass.";

#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The folders of runs.
    #[arg(value_name = "FOLDER", required = true)]
    pub folders: Vec<PathBuf>,
    /// The folder to write into; by default the folder of the run. Several runs need another one.
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    #[arg(long, value_name = "VIEW", help = camera::HELP)]
    pub camera: Option<camera::Wanted>,
    /// Make a film of the images: movie.mp4 if ffmpeg is found, else movie.png, an animated PNG.
    #[arg(long)]
    pub movie: bool,
}

impl Arguments {
    /// Returns the folder to write into.
    pub fn output(&self) -> Result<&Path, Wrong> {
        match (&self.output, &self.folders[..]) {
            (Some(output), _) => Ok(output),
            (None, [one]) => Ok(one),
            (None, _) => Err(Wrong(
                "several runs without --output: give the folder of their common plots, such as \
                 --output compared"
                    .to_owned(),
            )),
        }
    }

    /// Returns whether images are drawn or made into a film.
    pub fn draws_images(&self) -> bool {
        self.camera.is_some() || self.movie
    }
}
