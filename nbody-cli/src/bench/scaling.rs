//! `nbody bench --ranks`: strong and weak scaling over the devices of one host.

use std::error::Error;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use nbody::Device;
use nbody::trees::TreeTimes;

use super::{Arguments, Bench, measure, trees};
use crate::files::{self, Cells, Sheet};
use crate::plots::{Figure, Line};
use crate::ranks::{self, Rank};
use crate::table::Table;
use crate::{Outcome, date};

/// An evaluation by some ranks.
struct Row {
    /// The number of the case, the same for every number of ranks.
    case: usize,
    /// The law, or the tree.
    what: String,
    device: String,
    /// The numbers of particles on all ranks, and the pairs or walks of them.
    n: String,
    work: f64,
    ranks: usize,
    times: [Duration; 3],
    /// The stages of trees.
    stages: Option<Stages>,
}

/// The stages of an evaluation by a tree.
struct Stages {
    /// The longest of all ranks.
    longest: TreeTimes,
    /// The mean time of walks, in terms of the longest.
    balance: f64,
}

/// Measures with each number of ranks, and reports.
pub fn run(arguments: &Arguments) -> Outcome {
    let sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    arguments.plots.as_deref().map(files::provide).transpose()?;
    let time = date::now();
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
    let bar = ProgressBar::new(arguments.ranks.len() as u64).with_style(style);
    if arguments.device.is_empty() {
        // Fails before the measurements, not after some of them.
        let most = arguments.ranks.iter().map(|size| size.get()).max().unwrap_or(1);
        Device::cuda(most - 1)?;
    }
    let mut rows = Vec::new();
    for size in &arguments.ranks {
        bar.set_message(format!("{size} ranks"));
        rows.extend(measured(arguments, size.get())?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let first = |row: &Row| first_of(&rows, row);
    writeln!(std::io::stdout().lock(), "{}", table(&rows, &first, arguments))?;
    if let Some(mut sheet) = sheet {
        rows.iter().try_for_each(|row| sheet.row(&cells(row, first(row), arguments, &time)))?;
        sheet.finish()?;
    }
    if let Some(folder) = &arguments.plots {
        figure(&rows, &first, arguments, &time).log_log(&folder.join("ranks.svg"))?;
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
    let each = ranks::each(size, false, |rank| measurements(arguments, more, rank))?;
    let row = |(case, it): (usize, &measure::Measurement)| {
        let measure::Times { median, fastest, slowest, .. } = it.times;
        let measure::Size { i, n } = it.size;
        Row {
            case,
            what: it.interaction.to_owned(),
            device: it.device.clone(),
            n: it.size.to_string(),
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
    let (options, nvdisasm, bar) = (arguments.options(), None, ProgressBar::hidden());
    let sizes = super::sizes(arguments).into_iter();
    let sizes =
        sizes.map(|it| measure::Size { i: it.i.map(|i| i * more), n: it.n * more }).collect();
    Ok(Bench { devices, sizes, options, nvdisasm, bar }.measure_all(&all)?)
}

/// Returns rows of trees, from the measurements of each rank.
fn tree_rows(each: &[Vec<trees::Row>], ranks: usize) -> Vec<Row> {
    let of_first = each.first().into_iter().flatten().enumerate();
    let row = |(case, of_first): (usize, &trees::Row)| {
        let all = || each.iter().filter_map(|of_rank| of_rank.get(case)).map(|row| &row.stages);
        let longest =
            |stage: fn(&TreeTimes) -> Duration| all().map(stage).max().unwrap_or_default();
        let mut stages = TreeTimes::new(
            longest(|times| times.order),
            longest(|times| times.build),
            longest(|times| times.walk),
        );
        stages.exchange = longest(|times| times.exchange);
        let sum: Duration = all().map(|times| times.walk).sum();
        let balance = sum.as_secs_f64() / each.len() as f64 / stages.walk.as_secs_f64();
        Row {
            case,
            what: of_first.what(),
            device: of_first.device.clone(),
            n: of_first.n.to_string(),
            work: of_first.n as f64,
            ranks,
            times: of_first.times,
            stages: Some(Stages { longest: stages, balance }),
        }
    };
    of_first.map(row).collect()
}

/// Returns the row of the same case by the fewest ranks.
fn first_of<'a>(rows: &'a [Row], row: &Row) -> &'a Row {
    let same = rows.iter().filter(|it| it.case == row.case);
    same.min_by_key(|it| it.ranks).expect("the row itself is among them")
}

impl Row {
    /// Returns the pairs or walks a second in terms of the row with the fewest ranks.
    fn speed_up(&self, first: &Self) -> f64 {
        let rate = |row: &Self| row.work / row.times[0].as_secs_f64();
        rate(self) / rate(first)
    }

    /// Returns the speed of a rank in terms of its speed among the fewest ranks.
    fn efficiency(&self, first: &Self) -> f64 {
        self.speed_up(first) * first.ranks as f64 / self.ranks as f64
    }
}

fn table<'a>(rows: &'a [Row], first: &impl Fn(&Row) -> &'a Row, arguments: &Arguments) -> String {
    let mut header = vec!["evaluation", ">N", ">ranks", ">median / ms", ">fastest", ">slowest"];
    header.extend([">speed-up", ">efficiency"]);
    if arguments.tree {
        header.extend([">sort / ms", ">build", ">walk", ">exchange", ">rest", ">balance"]);
    }
    let mut table = Table::new(&header);
    let ms = |time: Duration| format!("{:.3}", 1e3 * time.as_secs_f64());
    for row in rows {
        let mut cells = vec![row.what.clone(), row.n.clone(), row.ranks.to_string()];
        cells.extend(row.times.map(ms));
        cells.push(format!("{:.2}", row.speed_up(first(row))));
        cells.push(format!("{:.2}", row.efficiency(first(row))));
        if let Some(Stages { longest, balance }) = &row.stages {
            let TreeTimes { order, build, walk, exchange, .. } = *longest;
            cells.extend([order, build, walk, exchange].map(ms));
            cells.push(ms(row.times[0].saturating_sub(order + build + walk + exchange)));
            cells.push(format!("{balance:.2}"));
        }
        table.row(cells);
    }
    let devices = rows.first().map(|row| row.device.clone()).unwrap_or_default();
    let of_what =
        if arguments.weak { "Weak scaling: N particles for each rank." } else { "Strong scaling." };
    let stages = if arguments.tree {
        "\nStages: the medians of the slowest rank; rest: agreement, waiting and launches. Balance: the mean \
         time of walks, in terms\nof the longest."
    } else {
        ""
    };
    format!(
        "{of_what} Ranks are threads of this process with a device each, the first {devices}; one rank is the \
         device without\nranks. Speed-up and efficiency: of the pairs or walks a second, against the fewest ranks.\
         {stages}\n\n{}",
        table.lines().join("\n")
    )
}

fn cells(row: &Row, first: &Row, arguments: &Arguments, time: &str) -> Cells {
    let seconds = |time: Duration| time.as_secs_f64().to_string();
    let mut cells = vec![
        ("date", time.to_owned()),
        ("device", row.device.clone()),
        ("evaluation", row.what.clone()),
        ("n", row.n.clone()),
        ("scaling", if arguments.weak { "weak" } else { "strong" }.to_owned()),
        ("ranks", row.ranks.to_string()),
        ("median_s", seconds(row.times[0])),
        ("fastest_s", seconds(row.times[1])),
        ("slowest_s", seconds(row.times[2])),
        ("speed_up", row.speed_up(first).to_string()),
        ("efficiency", row.efficiency(first).to_string()),
    ];
    if let Some(Stages { longest, balance }) = &row.stages {
        cells.extend([
            ("sort_s", seconds(longest.order)),
            ("build_s", seconds(longest.build)),
            ("walk_s", seconds(longest.walk)),
            ("exchange_s", seconds(longest.exchange)),
            ("balance", balance.to_string()),
        ]);
    }
    cells
}

/// Plots the speed-up against the ranks.
fn figure<'a>(
    rows: &'a [Row],
    first: &impl Fn(&Row) -> &'a Row,
    arguments: &Arguments,
    time: &str,
) -> Figure {
    let mut lines: Vec<Line> = Vec::new();
    for row in rows {
        let name = format!("{}, N = {}", row.what, first(row).n);
        let point = (row.ranks as f64, row.speed_up(first(row)));
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Line::new(name, vec![point])),
        }
    }
    let kind = if arguments.weak { "Weak" } else { "Strong" };
    let more = if arguments.weak { " on one rank, and as many for each further one" } else { "" };
    Figure {
        title: format!("{kind} scaling over ranks, {}", date::day(time)),
        caption: vec![format!("N particles{more}; medians, against the fewest ranks.")],
        x: "ranks",
        y: "speed-up",
        lines,
    }
}
