//! `nbody accuracy`: the experiment of Hamada & Iitaka 2007, table 2; with interactions, the same of
//! their results; with `--tree`, the errors of trees.
//!
//! Measures accelerations in Plummer spheres of equal masses in virial equilibrium, with ε² = 0.01
//! (figure 10), and the error of equation 3, |a − a'| / |a'|, where a' is computed in double
//! precision. Both a and a' start from the same particles, rounded to `f32`, so that only the
//! evaluation has an error; or from particles in `f64`, so that the error of rounding them is
//! included. Other interactions have uniform particles in the unit cube, which are exact in `f32`.

mod subject;
mod trees;

use std::error::Error;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::ProgressBar;
use nbody::check::{FieldReport, Report};
use nbody::cuda::{Schedule, Walk};
use nbody::{Accumulation, Device, DeviceName, Math, Options, Pairs, Precision};
use nbody_plots::{Axis, Curve, Figure};

use crate::files::{self, Reserved, Sheet};
use crate::interactions::{InteractionOrFile, Setting, choose, parameter_record, parameters_of};
use crate::progress::Reporting;
use crate::record::{self, Record, record};
use crate::select;
use crate::table::{Page, Table, sections};
use crate::wrong::Wrong;
use crate::{Outcome, cache, date, numbers};

pub use subject::Subject;
use subject::{EPS2, Particles};
pub use trees::Model;
use trees::Trees;

/// Largest number of compared particles, which bounds the time of the reference. The particles of
/// a Plummer sphere are in random order, so the first ones are a fair sample.
const TARGETS: usize = 16384;

/// Options that trees have no use for. Options of trees conflict with them, too: clap does not ask
/// for a required option that conflicts with a given one.
const NOT_OF_TREES: [&str; 3] = ["interactions", "pairs", "unrounded"];

#[derive(clap::Args)]
pub struct Arguments {
    /// Interactions to measure on uniform particles instead, field by field: names of ready ones,
    /// or files of declarations that end in .rs, for each of their interactions.
    #[arg(value_parser = InteractionOrFile)]
    interactions: Vec<String>,
    /// Set a parameter of the interactions, NAME=NUMBER, or all its numbers, NAME=X,Y,Z. By default
    /// a ready interaction has parameters that suit particles in the unit cube; an interaction of a
    /// file has random ones: numbers from 0 to 1, integers from 0 to 3.
    #[arg(long, value_name = "NAME=NUMBER", requires = "interactions", conflicts_with = "tree")]
    set: Vec<Setting>,
    /// The devices: cpu, cpu:LEVEL, emulator, cuda:N or best; by default the first GPU, or the CPU.
    #[arg(long, value_delimiter = ',')]
    device: Vec<DeviceName>,
    /// The numbers of particles; by default the numbers of the papers: 2048 to 131072, for trees
    /// 10000, 100000 and 500000.
    #[arg(short, value_parser = numbers::particles, value_delimiter = ',')]
    n: Vec<NonZeroUsize>,
    /// Measure trees instead, with far particles of both orders: errors of accelerations and
    /// potentials against the angle or the share that opens cells, evaluations and times, beside
    /// all pairs of up to 131072 particles on the CPU and 1048576 on a GPU.
    #[arg(long, conflicts_with_all = NOT_OF_TREES)]
    tree: bool,
    /// The walks through trees: by groups, or by particles on a GPU.
    #[arg(long, default_value_t, requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    walk: Walk,
    /// The particles that trees are measured on.
    #[arg(long, default_value = "plummer", value_delimiter = ',')]
    #[arg(requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    model: Vec<Model>,
    /// The opening angles.
    #[arg(
        long,
        default_values = ["1.0", "0.8", "0.6", "0.4", "0.2"],
        value_delimiter = ',',
        value_parser = numbers::positive,
        requires = "tree",
        conflicts_with_all = NOT_OF_TREES
    )]
    theta: Vec<f64>,
    /// The greatest errors of cells, as shares of the results.
    #[arg(
        long,
        default_values = ["0.1", "0.03", "0.01", "0.003", "0.001"],
        value_delimiter = ',',
        value_parser = numbers::positive,
        requires = "tree",
        conflicts_with_all = NOT_OF_TREES
    )]
    share: Vec<f64>,
    /// The squared softening length of trees.
    #[arg(long, default_value_t = 0.0, value_parser = numbers::zero_or_more)]
    #[arg(requires = "tree", conflicts_with_all = NOT_OF_TREES)]
    eps2: f64,
    /// The arithmetic of a pair: single (with a column for mixed), double, mixed.
    #[arg(long, default_value_t)]
    precision: Precision,
    /// Start from particles in f64: the errors then include the rounding errors of particles.
    #[arg(long, conflicts_with = "interactions")]
    unrounded: bool,
    /// The arithmetic: fast (approximate division and roots, contraction), exact (IEEE).
    #[arg(long, default_value_t)]
    math: Math,
    /// Evaluate ordered pairs (ordered), both directions of a pair at once (symmetric), or
    /// whichever is expected to be faster (auto).
    #[arg(long, default_value_t)]
    pairs: Pairs,
    /// Write the errors to this file, as CSV in full precision.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw error.svg in this folder; of trees, the error against the time, for each model and N.
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    #[command(flatten)]
    reporting: Reporting,
}

/// The numbers of particles of Hamada & Iitaka 2007, table 2.
const SIZES: [usize; 7] = [2048, 4096, 8192, 16384, 32768, 65536, 131_072];
/// The numbers of particles of Nakasato 2012, tables 6 and 7.
const TREE_SIZES: [usize; 3] = [10_000, 100_000, 500_000];

impl Arguments {
    /// Returns the given numbers of particles, or `default`.
    fn sizes(&self, default: &[usize]) -> Vec<usize> {
        let given = self.n.iter().map(|n| n.get());
        if self.n.is_empty() { default.to_vec() } else { given.collect() }
    }
}

fn run_trees(arguments: &Arguments) -> Outcome {
    Wrong::if_so(
        arguments.device.len() > 1,
        "trees are measured on one device: give one --device, or one run for each",
    )?;
    let &Arguments { precision, math, eps2, .. } = arguments;
    let Arguments { model: models, theta: angles, share: shares, .. } = arguments;
    let (sizes, options) = (arguments.sizes(&TREE_SIZES), Options::default().precision(precision));
    let device =
        &arguments.device.first().map_or_else(|| Ok(Device::best()), |name| name.open())?;
    cache::warn(std::slice::from_ref(device), &[]);
    let sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    let (walk, sizes, options) = (arguments.walk, &sizes[..], options.math(math));
    let trees = Trees { device, walk, sizes, models, angles, shares, eps2, options };
    trees.run(arguments.reporting, sheet, arguments.plots.as_deref())
}

pub fn run(arguments: &Arguments) -> Outcome {
    if arguments.tree {
        return run_trees(arguments);
    }
    let chosen = match &arguments.interactions[..] {
        [] => Vec::new(),
        names => choose(names, &arguments.set)?,
    };
    let devices = select::devices_or_best(&arguments.device)?;
    cache::warn(&devices, &chosen);
    let sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    let _folder = arguments.plots.as_deref().map(Reserved::new).transpose()?;
    let &Arguments { precision, math, pairs, unrounded, .. } = arguments;
    let options = Options::default().precision(precision).math(math).pairs(pairs);
    let sizes = arguments.sizes(&SIZES);
    let time = date::now();
    let (parameters, parameter_values) = (parameters_of(&chosen), parameter_record(&chosen));
    let subjects = if chosen.is_empty() {
        vec![Subject::of_the_paper(unrounded)]
    } else {
        chosen.into_iter().map(Subject::uniform).collect()
    };
    let (subjects, devices, sizes) = (&subjects[..], &devices[..], &sizes[..]);
    let progress = arguments.reporting.progress()?;
    let rows = Accuracy { subjects, devices, sizes, options }.rows(&progress)?;
    drop(progress);
    let records: Vec<_> = rows.iter().map(|row| row.record(options, &time)).collect();
    if arguments.reporting.json {
        let found = record! { mode: "pairs", parameters: parameter_values, rows: records.clone() };
        record::print("accuracy", found)?;
    } else {
        writeln!(std::io::stdout().lock(), "{}", page(&rows, options, &parameters))?;
    }
    if let Some(mut sheet) = sheet {
        records.iter().try_for_each(|record| sheet.row(record))?;
        sheet.finish()?;
    }
    if let Some(folder) = &arguments.plots {
        files::write(&folder.join("error.svg"), &figure(&rows, options, &time).svg()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Parameters of a measurement.
pub struct Accuracy<'a> {
    pub subjects: &'a [Subject],
    pub devices: &'a [Device],
    pub sizes: &'a [usize],
    /// Options other than the accumulation: every accumulation is measured.
    pub options: Options,
}

/// The relative errors of a field of the results.
#[derive(Debug, PartialEq)]
pub struct Row {
    interaction: &'static str,
    particles: Particles,
    field: &'static str,
    device: String,
    n: usize,
    /// Number of compared particles.
    targets: usize,
    precision: Precision,
    accumulation: Accumulation,
    schedule: Schedule,
    max: f64,
    rms: f64,
}

impl Accuracy<'_> {
    /// Measures the rows, grouped by interaction, size, device and field, in the order of
    /// [`columns`].
    pub fn rows(&self, bar: &ProgressBar) -> Result<Vec<Row>, Box<dyn Error>> {
        let columns = columns(self.options);
        let steps =
            self.subjects.len() * self.sizes.len() * (1 + self.devices.len() * columns.len());
        bar.inc_length(steps as u64);
        let mut rows = Vec::new();
        for subject in self.subjects {
            for &n in self.sizes {
                bar.set_message(format!("reference of {n}, {}", subject.name()));
                let sample = subject.sample(n)?;
                let truth = sample.reference(n.min(TARGETS), self.options.domain)?;
                bar.inc(1);
                for device in self.devices {
                    let mut of_columns = Vec::new();
                    for &options in &columns {
                        bar.set_message(format!("{} on {device}, {n}", options.accumulation));
                        let (schedule, report) = sample.compare(device, options, &truth)?;
                        let of_column = subject.rows(device, n, (options, schedule), report);
                        of_columns.push(of_column.into_iter());
                        bar.inc(1);
                    }
                    // Field by field, each with its columns.
                    for _ in subject.fields() {
                        rows.extend(of_columns.iter_mut().filter_map(Iterator::next));
                    }
                }
            }
        }
        Ok(rows)
    }
}

impl Subject {
    /// Returns a row for each field of a report.
    fn rows(
        &self,
        device: &Device,
        n: usize,
        (options, schedule): (Options, Schedule),
        report: Report,
    ) -> Vec<Row> {
        let targets = report.n;
        let row = |field: FieldReport| Row {
            interaction: self.name(),
            particles: self.particles,
            field: field.name,
            device: device.name(),
            n,
            targets,
            precision: options.precision,
            accumulation: options.accumulation,
            schedule,
            max: field.max,
            rms: field.rms,
        };
        report.fields.into_iter().map(row).collect()
    }
}

/// Lists the measured options: all accumulations and, for single precision, the default
/// accumulation in mixed precision.
fn columns(options: Options) -> Vec<Options> {
    let column = |&accumulation| options.accumulation(accumulation);
    let mut columns: Vec<_> = Accumulation::ALL.iter().map(column).collect();
    if options.precision == Precision::Single {
        let accumulation = Accumulation::default();
        columns.push(options.precision(Precision::Mixed).accumulation(accumulation));
    }
    columns
}

/// Formats a table for each interaction and device: the largest and the rms error of each field, by
/// each of [`columns`].
fn page(rows: &[Row], options: Options, parameters: &str) -> Page {
    let Options { precision, math, pairs, .. } = options;
    let (title, source) = match particles(rows) {
        Particles::Uniform => ("results", "uniform in the unit cube"),
        _ => (
            "accelerations",
            "Plummer spheres, eps2 0.01 (Hamada & Iitaka 2007, table 2 and equation 3)",
        ),
    };
    let mut page = Page::new(&format!(
        "Relative errors of {title} against f64 on {}: {source}; {precision} precision, {math} mathematics, \
         pairs {pairs}.",
        particles(rows).name()
    ));
    let columns = columns(options).len();
    let lines: Vec<_> = rows.chunks(columns).collect();
    let title = |line: &&[Row]| format!("{} on {}", line[0].interaction, line[0].device);
    for (title, lines) in sections(&lines, title) {
        page.table(&title, &table(&lines, options));
    }
    page.legend(&LEGEND);
    if rows.iter().any(|row| row.targets < row.n) {
        page.words(&format!(
            "Of more than {TARGETS} particles a sample is compared; its sources are all particles."
        ));
    }
    page.words(parameters);
    page
}

const LEGEND: [(&str, &str); 6] = [
    ("error", "the largest of all particles, and the root of the mean square"),
    ("direct", "one running sum"),
    ("blocked", "sums of blocks, added in the precision of a pair"),
    ("blocked-f64", "the same, added in f64"),
    ("compensated", "running sums with their rounding errors"),
    ("mixed", "mixed precision, with the default accumulation"),
];

fn table(lines: &[&&[Row]], options: Options) -> Table {
    let names: Vec<_> = lines.first().iter().flat_map(|line| line.iter()).collect();
    let names: Vec<_> = names.iter().map(|row| format!(">{}", row.name(options))).collect();
    let mut header = vec![">N", "field", "error"];
    header.extend(names.iter().map(String::as_str));
    let mut table = Table::new(&header);
    for line in lines {
        let names = [line[0].n.to_string(), line[0].field.to_owned()];
        for (name, of) in [("max", (|row| row.max) as fn(&Row) -> f64), ("rms", |row| row.rms)] {
            let errors = line.iter().map(|row| format!("{:.1e}", of(row)));
            let mut cells = names.to_vec();
            cells.push(name.to_owned());
            cells.extend(errors);
            table.row(cells);
        }
    }
    table
}

/// Returns the kind of particles.
fn particles(rows: &[Row]) -> Particles {
    rows.first().map_or(Particles::Rounded, |row| row.particles)
}

impl Row {
    /// Names the accumulation, or the precision if it differs from the options.
    fn name(&self, options: Options) -> &'static str {
        if self.precision == options.precision {
            self.accumulation.name()
        } else {
            self.precision.name()
        }
    }

    /// Returns a row in full precision.
    fn record(&self, options: Options, time: &str) -> Record {
        let Options { math, pairs, .. } = options;
        let is_of_the_paper = self.particles != Particles::Uniform;
        record! {
            date: time,
            interaction: self.interaction,
            field: self.field,
            device: &self.device,
            n: self.n,
            compared: self.targets,
            eps2: is_of_the_paper.then_some(EPS2),
            particles: if self.particles == Particles::Unrounded { "f64" } else { "f32" },
            precision: self.precision.name(),
            math: math.name(),
            pairs: pairs.to_string(),
            schedule: self.schedule.name(),
            accumulation: self.accumulation.name(),
            max: self.max,
            rms: self.rms,
        }
    }
}

/// Plots the rms errors against N, a line for each accumulation and device.
pub fn figure(rows: &[Row], options: Options, time: &str) -> Figure {
    let mut devices: Vec<&str> = rows.iter().map(|row| &row.device[..]).collect();
    devices.sort_unstable();
    devices.dedup();
    let point = |row: &Row| {
        let mut name = row.name(options).to_owned();
        if devices.len() > 1 {
            name = format!("{name}, {}", row.device);
        }
        if row.particles == Particles::Uniform {
            name = format!("{}, {}, {name}", row.interaction, row.field);
        }
        (name, (row.n as f64, row.rms))
    };
    let Options { precision, math, pairs, .. } = options;
    let sampled = rows.iter().any(|row| row.targets < row.n);
    let sample =
        if sampled { format!(", of which at most {TARGETS} are compared") } else { String::new() };
    let (of, subject) = match particles(rows) {
        Particles::Uniform => ("results", "Results of uniform particles"),
        _ => ("gravity", "Accelerations of Plummer spheres, eps2 0.01"),
    };
    Figure::new(
        format!("Error of {of} by accumulation: {}, {}", devices.join(" and "), date::day(time)),
        Axis::logarithmic("particles N").at_values(),
        Axis::logarithmic("rms relative error"),
    )
    .caption(format!("{precision} precision, {math} mathematics, pairs {pairs}"))
    .caption(format!("{subject}, against f64 on {}{sample}.", particles(rows).name()))
    .curves(Curve::by_name(rows.iter().map(point)))
}

#[cfg(test)]
mod tests;
