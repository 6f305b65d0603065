//! The arguments of `nbody view`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::ValueEnum;

use crate::files;
use crate::snapshots::Source;

const AFTER_HELP: &str = "\
The file needs neither a network nor other files: a browser with WebGL2 opens it from the disk. It plays the
snapshots, and is turned, moved and zoomed by mouse, touch or keys; `?` in the page lists the keys.

Precision: positions are stored with 16 bits per coordinate between the least and the greatest of all
snapshots: the error is at most 1/131070 of that range, along each axis. Where half of the particles of a
snapshot are within so small a part of the range that this would show, and with --bits 32, they are single
precision numbers, with an error of at most 2^-25 of half the range. Speeds have the same number of bits,
masses 16. The page states the precision and the range.

Between snapshots the page moves particles along straight lines where the particles of both have the same
masses in the same order; this can be turned off. The centre of density that it follows is found by
shrinking spheres (Power et al. 2003).";

#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub struct Arguments {
    /// The folder of a run, with files snapshot-NNNN.csv, .nemo, .xyz or .hdf5, or snapshot files in the
    /// order in which to show them.
    #[arg(value_name = "FOLDER|FILE", required = true)]
    pub paths: Vec<PathBuf>,
    /// The file to write, which must not exist; by default view.html in the folder of the run.
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Replace the file if it exists.
    #[arg(long)]
    overwrite: bool,
    /// Show at most N particles: every k-th, where k is as small as possible, and the same for all
    /// snapshots.
    #[arg(long, value_name = "N")]
    pub particles: Option<NonZeroUsize>,
    /// Show every K-th snapshot, from the first one.
    #[arg(long, value_name = "K", default_value = "1")]
    pub every: NonZeroUsize,
    /// The bits of a coordinate [default: 16, or 32 where that would be coarse].
    #[arg(long, value_enum)]
    pub bits: Option<Bits>,
}

/// The precision of the positions and speeds in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Bits {
    /// Whole numbers of 16 bits between the least and the greatest coordinate.
    #[value(name = "16")]
    Sixteen,
    /// Single precision numbers.
    #[value(name = "32")]
    ThirtyTwo,
}

impl Bits {
    pub fn number(self) -> u32 {
        match self {
            Self::Sixteen => 16,
            Self::ThirtyTwo => 32,
        }
    }
}

impl Arguments {
    /// Returns the file to write; refuses an existing one.
    pub fn output(&self, source: &Source) -> Result<PathBuf, String> {
        let path = match (&self.output, &source.folder) {
            (Some(path), _) => path.clone(),
            (None, Some(folder)) => folder.join("view.html"),
            (None, None) => {
                return Err("snapshot files without --output: give the file to write, such as \
                            --output view.html"
                    .to_owned());
            }
        };
        let shown = path.display();
        if path.is_dir() {
            return Err(format!(
                "{shown} is a folder: give --output the name of a file, such as {}",
                path.join("view.html").display()
            ));
        }
        if source.paths.iter().any(|snapshot| files::is_same(snapshot, &path)) {
            return Err(format!("{shown} is one of the snapshots: give --output another name"));
        }
        if path.exists() && !files::is_stream(&path) && !self.overwrite {
            return Err(format!(
                "{shown} exists: give another name with --output, or --overwrite to replace it"
            ));
        }
        Ok(path)
    }
}
