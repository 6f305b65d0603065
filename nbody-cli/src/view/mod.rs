//! `nbody view`: an HTML file that shows the particles of snapshots, and needs nothing else.

mod arguments;
mod base64;
mod encode;
mod energies;
mod frame;
mod page;
mod scale;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

pub use self::arguments::Arguments;
use self::frame::Frame;
use crate::{Outcome, files, message, snapshots};

/// Size in MiB above which browsers take seconds to open a file.
const LARGE: u64 = 256;

pub fn run(arguments: &Arguments) -> Outcome {
    let source = snapshots::find(&arguments.paths, arguments.every)?;
    let output = arguments.output(&source)?;
    let frames = frame::read(&source.paths, arguments.particles)?;
    let energies = source.folder.as_deref().map(energies::read).transpose()?.unwrap_or_default();
    let scene = encode::Scene::new(&frames, arguments.bits)?;
    let title = source.title();
    let header = page::Header::new(&title, &frames, &scene, &energies);
    files::replace(&output, |out| page::write(&header, &frames, &scene, out))?;
    // The page may be written to the standard output.
    if output.is_file() {
        report(&output, &summary(&frames, &scene))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the name of the page, a summary of it and its size.
fn report(output: &Path, summary: &str) -> std::io::Result<()> {
    let size = output.metadata()?.len();
    let mebibytes = size as f64 / f64::exp2(20.0);
    writeln!(std::io::stdout(), "{}: {summary}, {mebibytes:.1} MiB", output.display())?;
    if size >> 20 > LARGE {
        message::print(
            "browsers take long to open so large a file: --every or --particles makes it smaller",
        );
    }
    Ok(())
}

/// Returns the numbers of snapshots and particles, and the precision, in words.
fn summary(frames: &[Frame], scene: &encode::Scene) -> String {
    let most = frames.iter().map(|frame| frame.positions.len()).max().unwrap_or(0);
    let (snapshots, particles) = (counted(frames.len(), "snapshot"), counted(most, "particle"));
    format!("{snapshots} of {particles}, {} bits per coordinate", scene.bits.number())
}

fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}
