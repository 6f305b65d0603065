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

use indicatif::{ProgressBar, ProgressStyle};
use nbody::check::{FieldReport, Report};
use nbody::cuda::{Schedule, Walk};
use nbody::{Accumulation, Device, DeviceName, Math, Options, Pairs, Precision};
use nbody_plots::{Axis, Curve, Figure};

use crate::files::{self, Cells, Reserved, Sheet};
use crate::interactions::{InteractionOrFile, Setting, choose, parameters_of};
use crate::select;
use crate::table::Table;
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
    trees.run(sheet, arguments.plots.as_deref())
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
    let parameters = parameters_of(&chosen);
    let subjects = if chosen.is_empty() {
        vec![Subject::of_the_paper(unrounded)]
    } else {
        chosen.into_iter().map(Subject::uniform).collect()
    };
    let (subjects, devices, sizes) = (&subjects[..], &devices[..], &sizes[..]);
    let rows = Accuracy { subjects, devices, sizes, options }.rows()?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}{parameters}", report(&rows, options))?;
    if let Some(mut sheet) = sheet {
        rows.iter().try_for_each(|row| sheet.row(&row.cells(options, &time)))?;
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
    pub fn rows(&self) -> Result<Vec<Row>, Box<dyn Error>> {
        let columns = columns(self.options);
        let steps =
            self.subjects.len() * self.sizes.len() * (1 + self.devices.len() * columns.len());
        let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
        let bar = ProgressBar::new(steps as u64).with_style(style);
        let mut rows = Vec::new();
        for subject in self.subjects {
            for &n in self.sizes {
                bar.set_message(format!("reference of {n}"));
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
        bar.finish_and_clear();
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

/// Formats a line for each size, device and field, with a pair of columns for each of [`columns`].
fn report(rows: &[Row], options: Options) -> String {
    let columns = columns(options).len();
    let names: Vec<_> = rows
        .iter()
        .take(columns)
        .flat_map(|row| ["max", "rms"].map(|error| format!(">{} {error}", row.name(options))))
        .collect();
    let mut header = vec!["device", ">N", ">compared", "interaction", "field"];
    header.extend(names.iter().map(String::as_str));
    let mut table = Table::new(&header);
    for line in rows.chunks(columns) {
        let mut cells = vec![line[0].device.clone(), line[0].n.to_string()];
        cells.push(line[0].targets.to_string());
        cells.extend([line[0].interaction, line[0].field].map(str::to_owned));
        cells.extend(line.iter().flat_map(|row| [row.max, row.rms].map(|e| format!("{e:.1e}"))));
        table.row(cells);
    }
    let Options { precision, math, pairs, .. } = options;
    let sampled = if rows.iter().any(|row| row.targets < row.n) {
        format!(
            "\n\nOf more than {TARGETS} particles a sample is compared; its sources are all particles."
        )
    } else {
        String::new()
    };
    let (title, source) = match particles(rows) {
        Particles::Uniform => ("results", "uniform in the unit cube."),
        _ => (
            "accelerations",
            "Plummer spheres, eps2 0.01\n(Hamada & Iitaka 2007, table 2 and equation 3).",
        ),
    };
    format!(
        "Relative errors of {title} against f64 on {}: {source} {precision} precision, {math} \
         mathematics, pairs {pairs}.\n\n{}{sampled}",
        particles(rows).name(),
        table.lines().join("\n")
    )
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

    /// Lists all cells of a row, in full precision.
    fn cells(&self, options: Options, time: &str) -> Cells {
        let Options { math, pairs, .. } = options;
        let is_of_the_paper = self.particles != Particles::Uniform;
        let eps2 = is_of_the_paper.then_some(EPS2);
        let digits = if self.particles == Particles::Unrounded { "f64" } else { "f32" };
        let how = self.schedule.name();
        vec![
            ("date", time.to_owned()),
            ("interaction", self.interaction.to_owned()),
            ("field", self.field.to_owned()),
            ("device", self.device.clone()),
            ("n", self.n.to_string()),
            ("compared", self.targets.to_string()),
            ("eps2", files::number(eps2)),
            ("particles", digits.to_owned()),
            ("precision", self.precision.to_string()),
            ("math", math.to_string()),
            ("pairs", pairs.to_string()),
            ("how", how.to_owned()),
            ("accumulation", self.accumulation.to_string()),
            ("max", self.max.to_string()),
            ("rms", self.rms.to_string()),
        ]
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
