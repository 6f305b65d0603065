//! `nbody bench --lists`: the time of each part of a step over neighbour lists, for particles that move
//! through a periodic box at a constant density.

mod liquid;
mod measure;
mod motion;
mod report;

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;

use indicatif::ProgressBar;
use nbody::{Device, Options};

use crate::files::{self, Reserved, Sheet};
use crate::interactions::{Chosen, Interactions, parameter_record, parameters_of};
use crate::progress::Reporting;
use crate::record::{self, record};
use crate::{Outcome, date, numbers};
pub use measure::Row;
use measure::measure;

/// Options that lists have no use for, and options of lists conflict with.
const NOT_OF_LISTS: [&str; 4] = ["tree", "distribute_trees", "i", "pairs"];

#[derive(clap::Args)]
pub struct ListArguments {
    /// Measure neighbour lists instead, for interactions with a cutoff: the time of each part of a
    /// step, and pairs within the cutoff per second. Particles, which need a field `pos`, move through
    /// a periodic box; lists are built every 10 steps. Fields that the cutoff depends on, such as
    /// smoothing lengths, are 1.
    #[arg(id = "lists", long = "lists", conflicts_with_all = NOT_OF_LISTS)]
    pub is_on: bool,
    /// The length by which lists reach beyond the cutoff; by default a fifth of the cutoff.
    #[arg(long, value_name = "LENGTH", value_parser = numbers::zero_or_more)]
    #[arg(requires = "lists", conflicts_with_all = NOT_OF_LISTS)]
    skin: Option<f64>,
    /// The number of particles in a unit of volume (of area, in two dimensions); by default it follows
    /// from --neighbours.
    #[arg(long, value_parser = numbers::positive)]
    #[arg(requires = "lists", conflicts_with_all = NOT_OF_LISTS)]
    density: Option<f64>,
    /// The mean number of particles within the cutoff of a particle.
    #[arg(long, value_parser = numbers::positive, default_value_t = 55.0, requires = "lists")]
    #[arg(conflicts_with = "density", conflicts_with_all = NOT_OF_LISTS)]
    neighbours: f64,
}

/// An interaction that lists cannot be measured for.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// An interaction without a cutoff.
    #[error(
        "`{law}` has no cutoff, and so no neighbour lists: declare `fn cutoff`, or leave out --lists \
         to measure all pairs"
    )]
    NoCutoff { law: &'static str },
    /// A cutoff of 0.
    #[error("`{law}` has a cutoff of 0, and so no pairs: give its parameters by --set")]
    Nothing { law: &'static str },
}

/// The box, and the reach of lists.
#[derive(Clone, Copy, Debug)]
struct Space {
    density: Option<f64>,
    /// The mean number of neighbours, where there is no density.
    neighbours: f64,
    skin: Option<f64>,
}

/// Parameters of the measurements.
pub struct Lists<'a> {
    devices: &'a [Device],
    all: Vec<Chosen>,
    sizes: Vec<usize>,
    space: Space,
    options: Options,
}

impl ListArguments {
    /// Returns the measurements on these devices: of the chosen interactions, which must have cutoffs,
    /// or of all ready ones that have.
    pub fn on<'a>(
        &self,
        devices: &'a [Device],
        interactions: &Interactions,
        sizes: Vec<usize>,
        options: Options,
    ) -> Result<Lists<'a>, Box<dyn Error>> {
        let mut all = interactions.choose()?;
        if interactions.are_all() {
            all.retain(|chosen| chosen.law.cutoff);
        }
        if let Some(Chosen { law, .. }) = all.iter().find(|chosen| !chosen.law.cutoff) {
            return Err(Refused::NoCutoff { law: law.name }.into());
        }
        let Self { density, neighbours, skin, .. } = *self;
        Ok(Lists { devices, all, sizes, space: Space { density, neighbours, skin }, options })
    }
}

impl Lists<'_> {
    /// Measures, prints a table, and writes the requested files.
    pub fn run(
        &self,
        reporting: Reporting,
        sheet: Option<Sheet>,
        plots: Option<&std::path::Path>,
    ) -> Outcome {
        let _folder = plots.map(Reserved::new).transpose()?;
        let time = date::now();
        let rows = self.rows(&*reporting.progress()?)?;
        let record = |row| report::record(row, self.options, &time);
        let records: Vec<_> = rows.iter().map(record).collect();
        if reporting.json {
            let parameters = parameter_record(&self.all);
            record::print(
                "bench",
                record! { mode: "lists", parameters: parameters, rows: records.clone() },
            )?;
        } else {
            let page = report::page(&rows, self.options, &parameters_of(&self.all));
            writeln!(std::io::stdout().lock(), "{page}")?;
        }
        if let Some(mut sheet) = sheet {
            records.iter().try_for_each(|record| sheet.row(record))?;
            sheet.finish()?;
        }
        if let Some(folder) = plots {
            let figure = report::figure(&rows, self.options, &time);
            files::write(&folder.join("list-speed.svg"), &figure.svg()?)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Measures every interaction, device and number of particles.
    pub fn rows(&self, bar: &ProgressBar) -> Result<Vec<Row>, Box<dyn Error>> {
        bar.inc_length((self.all.len() * self.devices.len() * self.sizes.len()) as u64);
        let mut rows = Vec::new();
        for chosen in &self.all {
            for device in self.devices {
                for &n in &self.sizes {
                    bar.set_message(format!("{} on {device}, {n}", chosen.law.name));
                    rows.push(measure(device, chosen, n, (&self.space, self.options))?);
                    bar.inc(1);
                }
            }
        }
        Ok(rows)
    }
}
