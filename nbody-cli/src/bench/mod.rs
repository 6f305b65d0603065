//! `nbody bench`.

mod head;
mod lists;
mod measure;
mod report;
mod roofline;
mod scaling;
mod trees;

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressBar;
use nbody::cuda::sass;
use nbody::{Device, DeviceName, Expansion, Options, Pairs};

use crate::accuracy::{self, Accuracy, Model, Subject};
use crate::files::{self, Reserved, Sheet};
use crate::interactions::{Chosen, Interactions, parameter_record, parameters_of};
use crate::progress::{Progress, Reporting};
use crate::ranks::{self, Rank};
use crate::record::{self, record};
use crate::select::{self, Numerics};
use crate::wrong::Wrong;
use crate::{Outcome, cache, date, numbers};
use head::Head;
use lists::Lists;
use measure::{Measurement, Size, measure};
use trees::Trees;

/// Options that trees have no use for. Options of trees conflict with them, too: clap does not ask
/// for a required option that conflicts with a given one.
const NOT_OF_TREES: [&str; 5] = ["interactions", "set", "i", "pairs", "lists"];

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    interactions: Interactions,
    /// The devices: cpu, cpu:LEVEL, emulator, cuda:N or best; by default the GPUs and the CPU.
    #[arg(long, value_delimiter = ',')]
    device: Vec<DeviceName>,
    /// Measure the first N GPUs of this host together, which share out the evaluations.
    #[arg(long, value_name = "N", value_parser = numbers::ranks, conflicts_with = "device")]
    gpus: Option<NonZeroUsize>,
    /// Measure with each of these numbers of ranks, threads of this process with a GPU each (with
    /// --device cpu they share the cores), and report the scaling.
    #[arg(long, value_name = "R", value_parser = numbers::ranks, value_delimiter = ',')]
    #[arg(conflicts_with = "gpus")]
    ranks: Vec<NonZeroUsize>,
    /// Take N particles for each rank, not for all.
    #[arg(long, requires = "ranks", conflicts_with = "gpus")]
    weak: bool,
    /// Distribute the particles of trees over the ranks; else each rank has all, and its share of the
    /// walks.
    #[arg(long, requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    distribute_trees: bool,
    /// The numbers of particles; every ordered pair of them counts.
    #[arg(short, value_parser = numbers::particles, default_values = ["2048", "16384"], value_delimiter = ',')]
    n: Vec<NonZeroUsize>,
    /// The numbers of i-particles, as in a block time step, each with all N as j-particles;
    /// without them one set of N, or two.
    #[arg(short, value_parser = numbers::particles, value_delimiter = ',')]
    i: Vec<NonZeroUsize>,
    #[command(flatten)]
    numerics: Numerics,
    /// Evaluate ordered pairs (ordered), both directions of a pair at once where the interaction
    /// allows it (symmetric), or whichever is expected to be faster (auto).
    #[arg(long, default_value_t)]
    pairs: Pairs,
    /// Measure gravity by trees instead: the time of each stage, and the pairs of walks by groups
    /// and by particle, beside all pairs of up to 65536 particles on the CPU and 1048576 on a GPU.
    #[arg(long, conflicts_with_all = NOT_OF_TREES)]
    tree: bool,
    #[command(flatten)]
    lists: lists::ListArguments,
    /// The particles that trees are measured on.
    #[arg(long, default_value = "plummer", value_delimiter = ',')]
    #[arg(requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    model: Vec<Model>,
    /// The opening angles of trees; by default 0.6, if there is no share.
    #[arg(long, value_delimiter = ',', value_parser = numbers::positive)]
    #[arg(requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    theta: Vec<f64>,
    /// The greatest errors of cells of trees, as shares of the results.
    #[arg(long, value_delimiter = ',', value_parser = numbers::positive)]
    #[arg(requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    share: Vec<f64>,
    /// The far particles of cells: monopole, second (order).
    #[arg(long, default_values = ["monopole", "second"], value_delimiter = ',')]
    #[arg(requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    far: Vec<Expansion>,
    /// The squared softening length of trees.
    #[arg(long, default_value_t = 0.0, value_parser = numbers::zero_or_more)]
    #[arg(requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    eps2: f64,
    /// Write every measurement to this file, as CSV in full precision.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw speed.svg, roofline.svg and error.svg in this folder; error.svg is the plot of `nbody
    /// accuracy` for these N. Of trees, draw tree-speed.svg, of lists list-speed.svg; of ranks,
    /// ranks.svg alone.
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    #[command(flatten)]
    reporting: Reporting,
}

struct Bench<'a> {
    devices: &'a [Device],
    sizes: Vec<Size>,
    options: Options,
    nvdisasm: Option<PathBuf>,
    bar: Progress,
}

pub fn run(arguments: &Arguments) -> Outcome {
    arguments.check()?;
    let all = arguments.interactions.choose()?;
    if !arguments.ranks.is_empty() {
        return scaling::run(arguments);
    }
    ranks::run(arguments.gpus, arguments.distribute_trees, |rank| run_as(rank, arguments, &all))
}

/// Runs as one of the ranks; the first one reports.
fn run_as(rank: &Rank, arguments: &Arguments, all: &[Chosen]) -> Outcome {
    // Fails before it opens devices.
    if arguments.lists.is_on {
        arguments.lists(&[], 1)?;
    }
    let devices = if rank.has_device() {
        vec![rank.open(arguments.device.first().copied())?]
    } else {
        select::devices(&arguments.device)?
    };
    if rank.is_first() {
        cache::warn(&devices, all);
    }
    if arguments.lists.is_on {
        return run_lists(arguments, &devices, rank.is_first());
    }
    if arguments.tree {
        return run_trees(arguments, &devices, rank.is_first());
    }
    if !rank.is_first() {
        let (sizes, options) = (sizes(arguments), arguments.options());
        let (nvdisasm, bar) = (None, Progress::hidden());
        Bench { devices: &devices, sizes, options, nvdisasm, bar }.measure_all(all)?;
        return Ok(ExitCode::SUCCESS);
    }
    // Fails before the measurement, not after it, if a path cannot be written.
    let sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    let _folder = arguments.plots.as_deref().map(Reserved::new).transpose()?;
    let bench = Bench {
        devices: &devices,
        sizes: sizes(arguments),
        options: arguments.options(),
        nvdisasm: sass::find().ok(),
        bar: arguments.reporting.progress()?,
    };
    let time = date::now();
    let measurements = bench.measure_all(all)?;
    let Bench { options, nvdisasm, .. } = bench;
    let record = |each: &Measurement| report::record(each, options, &time);
    let records: Vec<_> = measurements.iter().map(record).collect();
    if arguments.reporting.json {
        let parameters = parameter_record(all);
        record::print(
            "bench",
            record! { mode: "pairs", parameters: parameters, rows: records.clone() },
        )?;
    } else {
        let parameters = parameters_of(all);
        let page = report::page(&measurements, options, nvdisasm.is_some(), &parameters);
        writeln!(std::io::stdout().lock(), "{page}")?;
    }
    if let Some(mut sheet) = sheet {
        records.iter().try_for_each(|record| sheet.row(record))?;
        sheet.finish()?;
    }
    if let Some(folder) = &arguments.plots {
        let head = Head { day: date::day(&time), options };
        files::write(&folder.join("speed.svg"), &head.speed(&measurements).svg()?)?;
        let roofline = roofline::rows(&head, &measurements);
        files::write(&folder.join("roofline.svg"), &roofline.svg()?)?;
        let sizes: Vec<_> = arguments.n.iter().map(|n| n.get()).collect();
        let (subjects, devices) = (&[Subject::of_the_paper(false)], &devices[..]);
        let progress = arguments.reporting.progress()?;
        let rows = Accuracy { subjects, devices, sizes: &sizes, options }.rows(&progress)?;
        let figure = accuracy::figure(&rows, options, &time);
        files::write(&folder.join("error.svg"), &figure.svg()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// Refuses options without effect.
    fn check(&self) -> Result<(), Wrong> {
        let is_launched = ranks::is_launched();
        Wrong::if_so(
            is_launched && !self.ranks.is_empty(),
            "--ranks is for one process; under mpirun, measure each number of processes by itself, \
             without --ranks",
        )?;
        Wrong::if_so(
            self.device.len() > 1 && !self.ranks.is_empty(),
            "--ranks takes one --device, which each rank opens: leave out others",
        )?;
        Wrong::if_so(
            self.distribute_trees && !is_launched && self.gpus.is_none() && self.ranks.is_empty(),
            "--distribute-trees is for several ranks: give --gpus or --ranks, or start them by mpirun",
        )
    }

    fn options(&self) -> Options {
        self.numerics.options().pairs(self.pairs)
    }

    /// Returns the measurements of lists on these devices, of `more` times N particles.
    fn lists<'a>(
        &self,
        devices: &'a [Device],
        more: usize,
    ) -> Result<Lists<'a>, Box<dyn std::error::Error>> {
        let sizes = self.n.iter().map(|n| n.get() * more).collect();
        self.lists.on(devices, &self.interactions, sizes, self.numerics.options())
    }

    /// Returns the measurements of trees on these devices, of `more` times N particles.
    fn trees<'a>(&'a self, devices: &'a [Device], more: usize) -> Trees<'a> {
        let Self { n, model: models, theta, share, far, eps2, numerics, .. } = self;
        let angles = if theta.is_empty() && share.is_empty() { &[0.6][..] } else { theta };
        let openings = select::openings(angles, share, far);
        let sizes = n.iter().map(|n| n.get() * more).collect();
        let (eps2, options, compares) = (*eps2, numerics.options(), self.ranks.is_empty());
        let distributes = self.distribute_trees;
        Trees { devices, models, sizes, openings, eps2, options, compares, distributes }
    }
}

fn run_trees(arguments: &Arguments, devices: &[Device], reports: bool) -> Outcome {
    let trees = arguments.trees(devices, 1);
    if !reports {
        trees.rows(&ProgressBar::hidden())?;
        return Ok(ExitCode::SUCCESS);
    }
    let sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    trees.run(arguments.reporting, sheet, arguments.plots.as_deref())
}

fn run_lists(arguments: &Arguments, devices: &[Device], reports: bool) -> Outcome {
    let lists = arguments.lists(devices, 1)?;
    if !reports {
        lists.rows(&ProgressBar::hidden())?;
        return Ok(ExitCode::SUCCESS);
    }
    let sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    lists.run(arguments.reporting, sheet, arguments.plots.as_deref())
}

/// Returns every N, with each number of i-particles.
fn sizes(arguments: &Arguments) -> Vec<Size> {
    let n = arguments.n.iter().map(|n| n.get());
    if arguments.i.is_empty() {
        return n.map(|n| Size { i: None, n }).collect();
    }
    n.flat_map(|n| arguments.i.iter().map(move |i| Size { i: Some(i.get()), n })).collect()
}

impl Bench<'_> {
    /// Measures the interactions on every device and with every number of particles.
    fn measure_all(&self, all: &[Chosen]) -> Result<Vec<Measurement>, nbody::Error> {
        self.bar.inc_length((all.len() * self.devices.len() * self.sizes.len()) as u64);
        let mut measurements = Vec::new();
        for chosen in all {
            for device in self.devices {
                for &size in &self.sizes {
                    self.bar.set_message(format!("{} on {device}, {size}", chosen.law.name));
                    let nvdisasm = self.nvdisasm.as_deref();
                    measurements.push(measure(device, chosen, self.options, size, nvdisasm)?);
                    self.bar.inc(1);
                }
            }
        }
        Ok(measurements)
    }
}
