//! `nbody energy`: the energy error of block time steps against their accuracy.

use std::error::Error;
use std::io::Write as _;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::style::TemplateError;
use nbody::{Accumulation, Device, DeviceName, Math, Options, Precision};
use nbody_plots::{Axis, Curve, Figure};

use crate::files::{self, Reserved, Sheet};
use crate::progress::Reporting;
use crate::record::{self, Record, record};
use crate::select;
use crate::sphere::{self, EPS, Experiment, Integrated, LARGEST, Progress, SEED};
use crate::table::{Page, Table, sections};
use crate::{Outcome, cache, date, numbers};

const AFTER_HELP: &str = "\
A Plummer sphere of equal masses in virial equilibrium is integrated over one time unit. Lengths and \
times are in N-body units, seconds are wall time of the integration. The energy error is (E - E0) / \
|E0|, with the total energies E at the end and E0 at the beginning.

In single precision the third derivative of the acceleration, a difference of forces divided by the \
third power of the step, is noise where steps are short; the criterion makes them shorter still. An \
integration of --limit block steps that has not reached the end is given up: it has no error, and no \
point in the plot.";

#[derive(clap::Args)]
#[command(after_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Arguments {
    /// The devices: cpu, cpu:LEVEL, emulator, cuda:N or best; by default the first GPU, or the CPU.
    #[arg(long, value_delimiter = ',')]
    device: Vec<DeviceName>,
    /// The number of particles, two or more.
    #[arg(short, value_parser = numbers::sphere, default_value_t = 4096)]
    n: u32,
    /// The softening length, in N-body units.
    #[arg(long, value_parser = numbers::softening, default_value_t = EPS)]
    eps: f64,
    /// The accuracies of the steps: Aarseth's eta.
    #[arg(
        long,
        value_parser = numbers::positive,
        default_values_t = [0.04, 0.02, 0.01, 0.005, 0.0025],
        value_delimiter = ','
    )]
    eta: Vec<f64>,
    /// The arithmetic of a pair: single, mixed, double.
    #[arg(
        long,
        default_values_t = [Precision::Single, Precision::Mixed, Precision::Double],
        value_delimiter = ','
    )]
    precision: Vec<Precision>,
    /// The accumulation of sums: direct, blocked, blocked-f64, compensated.
    #[arg(long, default_value_t)]
    accumulation: Accumulation,
    /// The arithmetic: fast (approximate division and roots, contraction), exact (IEEE).
    #[arg(long, default_value_t)]
    math: Math,
    /// The number of block steps after which an integration is given up.
    #[arg(long, value_name = "STEPS", default_value = "100000")]
    limit: NonZeroU64,
    /// Write each integration to this file when it is done, as CSV in full precision.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw energy.svg in this folder: the error against eta.
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    #[command(flatten)]
    reporting: Reporting,
}

impl Arguments {
    /// Returns the integrations on a device, by precision.
    fn experiments(&self) -> Vec<Experiment> {
        let options = Options::default().accumulation(self.accumulation).math(self.math);
        let experiment = |precision, eta| Experiment {
            eps: self.eps,
            eta,
            options: options.precision(precision),
            limit: self.limit.get(),
        };
        let precisions = self.precision.iter();
        precisions.flat_map(|&p| self.eta.iter().map(move |&eta| experiment(p, eta))).collect()
    }
}

pub fn run(arguments: &Arguments) -> Outcome {
    let experiments = arguments.experiments();
    let devices = select::devices_or_best(&arguments.device)?;
    cache::warn(&devices, &[]);
    let mut sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    let _folder = arguments.plots.as_deref().map(Reserved::new).transpose()?;
    let (time, n) = (date::now(), arguments.n as usize);
    let mut write = |row: &Row| match &mut sheet {
        Some(sheet) => sheet.row(&row.record(n, &time)),
        None => Ok(()),
    };
    let progress = |length| Progress::new(length, arguments.reporting);
    let rows = measure(&devices, n, &experiments, &progress, &mut write)?;
    sheet.map_or(Ok(()), Sheet::finish)?;
    if arguments.reporting.json {
        let rows: Vec<_> = rows.iter().map(|row| row.record(n, &time)).collect();
        record::print("energy", record! { rows: rows })?;
    } else {
        writeln!(std::io::stdout().lock(), "{}", page(&arguments.head(), &rows))?;
    }
    if let Some(folder) = &arguments.plots {
        let figure = figure(&rows, arguments.head(), date::day(&time));
        files::write(&folder.join("energy.svg"), &figure.svg()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Arguments {
    /// Describes the integrations.
    fn head(&self) -> String {
        let Self { n, eps, accumulation, math, .. } = self;
        format!(
            "Plummer sphere of {n} in virial equilibrium, softening length {eps}, largest step {LARGEST}; \
             {accumulation} accumulation, {math} mathematics"
        )
    }
}

/// An integration on a device.
struct Row {
    device: String,
    experiment: Experiment,
    done: Integrated,
}

/// Integrates the sphere with all parameters on all devices.
fn measure(
    devices: &[Device],
    n: usize,
    experiments: &[Experiment],
    progress: &dyn Fn(f64) -> Result<Progress, TemplateError>,
    write: &mut impl FnMut(&Row) -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let expected = |device, it: &Experiment| sphere::expected(device, n, it.eta);
    let all =
        devices.iter().flat_map(|device| experiments.iter().map(move |it| expected(device, it)));
    let mut progress = progress(all.sum())?;
    progress.prepare(format!("sphere of {n}"));
    let sphere = sphere::in_equilibrium(n, SEED)?;
    let mut rows = Vec::new();
    for device in devices {
        for experiment in experiments {
            let Experiment { eta, options, .. } = experiment;
            let name = format!("eta = {eta}, {} precision on {device}", options.precision);
            progress.begin(expected(device, experiment), name);
            let done = experiment.integrate(device, &sphere, |time| progress.show(time))?;
            let row = Row { device: device.name(), experiment: *experiment, done };
            write(&row)?;
            rows.push(row);
        }
    }
    Ok(rows)
}

const HEADER: [&str; 6] =
    ["precision", ">eta", ">block steps", ">mean block", ">seconds", ">energy error"];
const LEGEND: [(&str, &str); 4] = [
    ("eta", "the accuracy of the steps"),
    ("mean block", "particles that a block step advances"),
    ("seconds", "wall time of the integration"),
    ("energy error", "(E - E0) / |E0|, or the time that an integration reached that was given up"),
];

/// Formats a table for each device, with a line for each integration.
fn page(head: &str, rows: &[Row]) -> Page {
    let mut page = Page::new(&format!("{head}."));
    for (device, rows) in sections(rows, |row| row.device.clone()) {
        page.table(&device, &Table::of(&HEADER, rows.into_iter().map(Row::cells)));
    }
    page.legend(&LEGEND);
    page
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let Self { experiment, done: Integrated { time, whole, error, .. }, .. } = self;
        vec![
            experiment.options.precision.to_string(),
            experiment.eta.to_string(),
            whole.steps.to_string(),
            format!("{:.1}", whole.particle_steps as f64 / whole.steps as f64),
            format!("{:.3}", whole.seconds),
            error.map_or_else(|| format!("ended at {time:.3}"), |error| format!("{error:.2e}")),
        ]
    }

    /// Returns a row in full precision.
    fn record(&self, n: usize, date: &str) -> Record {
        let Self { device, experiment, done } = self;
        let Experiment { eps, eta, options, .. } = *experiment;
        let Options { precision, accumulation, math, .. } = options;
        let Integrated { time, whole, error, .. } = *done;
        record! {
            date: date,
            device: device,
            n: n,
            eps: eps,
            eta: eta,
            precision: precision.name(),
            accumulation: accumulation.name(),
            math: math.name(),
            time: time,
            block_steps: whole.steps,
            particle_steps: whole.particle_steps,
            seconds: whole.seconds,
            energy_error: error,
        }
    }
}

/// Plots the absolute errors against eta, with a line for each precision and device.
fn figure(rows: &[Row], caption: String, day: &str) -> Figure {
    let mut devices: Vec<&str> = rows.iter().map(|row| &row.device[..]).collect();
    devices.dedup();
    let point = |Row { device, experiment, done }: &Row| {
        let name = format!("{}, {device}", experiment.options.precision);
        Some((name, (experiment.eta, done.error?.abs())))
    };
    Figure::new(
        format!("Error of the energy after one time unit: {}, {day}", devices.join(" and ")),
        Axis::logarithmic("accuracy of the steps, eta").at_values(),
        Axis::logarithmic("relative error of the energy"),
    )
    .caption(caption)
    .curves(Curve::by_name(rows.iter().filter_map(point)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::history::Counts;

    fn row(precision: Precision, eta: f64, error: Option<f64>) -> Row {
        let options = Options::default().precision(precision);
        let whole = Counts { steps: 40, particle_steps: 100, seconds: 0.25 };
        let time = if error.is_some() { 1.0 } else { 0.125 };
        Row {
            device: "cpu".to_owned(),
            experiment: Experiment { eps: 0.0, eta, options, limit: 40 },
            done: Integrated { time, whole, quarter: Counts::default(), error },
        }
    }

    fn rows() -> Vec<Row> {
        vec![
            row(Precision::Single, 0.02, Some(-3e-8)),
            row(Precision::Single, 0.01, None),
            row(Precision::Double, 0.02, Some(2e-8)),
            row(Precision::Double, 0.01, Some(-1e-9)),
        ]
    }

    #[test]
    fn integrations_that_were_given_up_are_in_the_table_alone() {
        let text = page("Head", &rows()).to_string();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[..3], ["Head.", "", "cpu"], "{text}");
        let row = "single     0.02           40         2.5    0.250        -3.00e-8";
        assert_eq!(lines[5], row, "{text}");
        assert!(lines[6].ends_with("  ended at 0.125"), "{text}");
        let figure = figure(&rows(), String::new(), "today");
        let points: Vec<_> =
            figure.curves.iter().map(|curve| (&curve.name[..], &curve.points[..])).collect();
        let double = [(0.01, 1e-9), (0.02, 2e-8)];
        assert_eq!(points, [("single, cpu", &[(0.02, 3e-8)][..]), ("double, cpu", &double)]);
        let error = |row: &Row| row.record(64, "now").0.pop();
        let all = rows();
        let errors = all.iter().filter_map(error).map(|(_, value)| value.to_string());
        let errors: Vec<_> = errors.collect();
        assert_eq!(errors, ["-3e-8", "", "2e-8", "-1e-9"]);
    }
}
