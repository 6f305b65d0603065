//! `nbody plot`: the plots of runs, drawn again from their tables; images and films from their
//! snapshots.

mod arguments;
mod images;
mod series;
mod source;

use std::io::Write as _;
use std::process::ExitCode;

use crate::wrong::Wrong;
use crate::{Outcome, files};
use source::Source;

pub use arguments::Arguments;
pub use images::film;
pub use series::Series;

pub fn run(arguments: &Arguments) -> Outcome {
    let output = arguments.output()?;
    Wrong::if_so(
        arguments.draws_images() && arguments.folders.len() > 1,
        "--camera and --movie are for one folder",
    )?;
    let sources = arguments.folders.iter().map(|folder| Source::read(folder));
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    source::check_units(&sources)?;
    files::provide(output)?;
    let mut written = match &sources[..] {
        [one] => {
            let caption = one.describe();
            one.series.draw(output, &caption, &one.units)?;
            vec![output.join(series::ENERGY), output.join(series::LAGRANGE)]
        }
        several => series::draw_several(several, output)?,
    };
    if arguments.draws_images() {
        written.extend(images::draw(&sources[0], arguments, output)?);
    }
    let mut out = std::io::stdout().lock();
    for path in written {
        writeln!(out, "{}", path.display())?;
    }
    Ok(ExitCode::SUCCESS)
}
