//! `nbody bench --ranks`: strong and weak scaling over the devices of one host.

mod report;
mod row;

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;

use indicatif::ProgressBar;
use nbody::Device;

use super::{Arguments, Bench, measure};
use crate::files::{self, Reserved, Sheet};
use crate::progress::Progress;
use crate::ranks::{self, Rank};
use crate::record::{self, record};
use crate::{Outcome, cache, date};
use report::{figure, page};
use row::{Row, first_of, list_rows, tree_rows};

/// Measures with each number of ranks, and reports.
pub fn run(arguments: &Arguments) -> Outcome {
    if arguments.lists.is_on {
        arguments.lists(&[], 1)?;
    }
    if arguments.device.is_empty() {
        // Fails before the measurements, not after some of them.
        let most = arguments.ranks.iter().map(|size| size.get()).max().unwrap_or(1);
        Device::cuda(most - 1)?;
    }
    let device = arguments.device.first().map_or_else(|| Device::cuda(0), |name| name.open())?;
    cache::warn(&[device], &arguments.interactions.choose()?);
    let sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    let _folder = arguments.plots.as_deref().map(Reserved::new).transpose()?;
    let time = date::now();
    let bar = arguments.reporting.progress()?;
    bar.inc_length(arguments.ranks.len() as u64);
    let mut rows = Vec::new();
    for size in &arguments.ranks {
        bar.set_message(format!("{size} ranks"));
        rows.extend(measured(arguments, size.get())?);
        bar.inc(1);
    }
    drop(bar);
    let first = |row: &Row| first_of(&rows, row);
    let record = |row| report::record(row, first(row), arguments, &time);
    let records: Vec<_> = rows.iter().map(record).collect();
    if arguments.reporting.json {
        record::print("bench", record! { mode: "ranks", rows: records.clone() })?;
    } else {
        writeln!(std::io::stdout().lock(), "{}", page(&rows, &first, arguments))?;
    }
    if let Some(mut sheet) = sheet {
        records.iter().try_for_each(|record| sheet.row(record))?;
        sheet.finish()?;
    }
    if let Some(folder) = &arguments.plots {
        let figure = figure(&rows, &first, arguments, &time);
        files::write(&folder.join("ranks.svg"), &figure.svg()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the device of a rank: without a name, the GPU of its number.
fn open(arguments: &Arguments, rank: &Rank) -> Result<Device, nbody::Error> {
    match arguments.device.first() {
        None if !rank.has_device() => Device::cuda(0),
        name => rank.open(name.copied()),
    }
}

/// Measures every case by this number of ranks.
fn measured(arguments: &Arguments, size: usize) -> Result<Vec<Row>, Box<dyn Error>> {
    let more = if arguments.weak { size } else { 1 };
    if arguments.tree {
        let each = ranks::each(size, arguments.distribute_trees, |rank| {
            let devices = [open(arguments, rank)?];
            arguments.trees(&devices, more).rows(&ProgressBar::hidden())
        })?;
        return Ok(tree_rows(&each, size));
    }
    if arguments.lists.is_on {
        let each = ranks::each(size, false, |rank| {
            let devices = [open(arguments, rank)?];
            arguments.lists(&devices, more)?.rows(&ProgressBar::hidden())
        })?;
        return Ok(list_rows(&each, size));
    }
    let each = ranks::each(size, false, |rank| measurements(arguments, more, rank))?;
    let row = |(case, it): (usize, &measure::Measurement)| {
        let measure::Times { median, fastest, slowest, .. } = it.times;
        let measure::Size { i, n } = it.size;
        Row {
            case,
            what: it.interaction.to_owned(),
            device: it.device.clone(),
            n: it.size,
            work: i.unwrap_or(n) as f64 * n as f64,
            ranks: size,
            times: [median, fastest, slowest],
            stages: None,
        }
    };
    Ok(each.first().into_iter().flatten().enumerate().map(row).collect())
}

fn measurements(
    arguments: &Arguments,
    more: usize,
    rank: &Rank,
) -> Result<Vec<measure::Measurement>, Box<dyn Error>> {
    let devices = &[open(arguments, rank)?];
    let all = arguments.interactions.choose()?;
    let (options, nvdisasm, bar) = (arguments.options(), None, Progress::hidden());
    let sizes = super::sizes(arguments).into_iter();
    let sizes =
        sizes.map(|it| measure::Size { i: it.i.map(|i| i * more), n: it.n * more }).collect();
    Ok(Bench { devices, sizes, options, nvdisasm, bar }.measure_all(&all)?)
}
