//! `nbody scaling`: the experiment of Portegies Zwart, Belleman & Geldof 2007, and their
//! performance model, fitted to its measurements.

mod earlier;
mod fit;
mod model;
mod report;

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::style::TemplateError;
use nbody::{Device, DeviceName};

use crate::files::{self, Reserved, Sheet};
use crate::progress::Reporting;
use crate::record::{self, record};
use crate::select::{self, Numerics};
use crate::sphere::{self, EPS, Experiment, Progress, SEED};
use crate::wrong::Wrong;
use crate::{Outcome, cache, date, numbers};
use report::{Report, Row};

const AFTER_HELP: &str = "\
Lengths and times are in N-body units, wall times in seconds. The last quarter of the time unit is \
timed, from time 3/4 to 1; the energy error is of the whole, (E - E0) / |E0|, with the total energies E \
at its end, E0 at its beginning.

The model has a block step of t0 + t1 N + n N / r: t0 for launches, latency and the host, t1 to \
predict a particle and to search the next block, r pairs per second. The constants are fitted by \
least squares of relative errors, none of them negative: r is unlimited where 1/r is zero. That takes \
at least three different N. Beside it S = A N^a, the block steps of a time unit (four times the ones \
of its last quarter), and n = B N^b, the particles in them on average, are fitted by regression of \
logarithms.";

#[derive(clap::Args)]
#[command(after_help = AFTER_HELP, allow_negative_numbers = true)]
pub struct Arguments {
    /// The devices: cpu, cpu:LEVEL, emulator, cuda:N or best; by default the first GPU, or the CPU.
    #[arg(long, value_delimiter = ',')]
    device: Vec<DeviceName>,
    /// The numbers of particles of the spheres, two or more [default: 1024 2048 4096 8192 16384].
    #[arg(short, value_parser = numbers::sphere, value_delimiter = ',')]
    n: Vec<u32>,
    /// The softening length, in N-body units.
    #[arg(long, value_parser = numbers::softening, default_value_t = EPS)]
    eps: f64,
    /// The accuracy of the steps: Aarseth's eta.
    #[arg(long, value_parser = numbers::positive, default_value_t = 0.02)]
    eta: f64,
    #[command(flatten)]
    numerics: Numerics,
    /// Take measurements of earlier runs from this file, which --csv wrote, perhaps on another
    /// machine; without --device nothing else is measured.
    #[arg(long, value_name = "FILE")]
    from: Vec<PathBuf>,
    /// Write each measurement to this file when it is done, as CSV in full precision.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Draw scaling.svg in this folder: measured and predicted seconds against N.
    #[arg(long, value_name = "FOLDER")]
    plots: Option<PathBuf>,
    #[command(flatten)]
    reporting: Reporting,
}

/// The numbers of particles where none is given.
const SIZES: [u32; 5] = [1024, 2048, 4096, 8192, 16384];

impl Arguments {
    /// Returns whether anything is measured.
    fn measures(&self) -> bool {
        self.from.is_empty() || !self.device.is_empty()
    }

    /// Refuses to replace earlier measurements, and options of measurements where there are none.
    fn check(&self) -> Result<(), Wrong> {
        Wrong::if_so(
            !self.n.is_empty() && !self.measures(),
            "-n is of measurements, and --from without --device makes none: leave it out, or give a --device",
        )?;
        let Some(csv) = &self.csv else { return Ok(()) };
        if self.from.iter().any(|from| files::is_same(from, csv)) {
            let csv = csv.display();
            return Err(Wrong(format!(
                "--csv {csv} is a file of --from too: give another for --csv"
            )));
        }
        Wrong::if_so(
            !self.measures(),
            "--csv writes measurements, and --from without --device makes none: leave it out, or give a \
             --device",
        )
    }
}

pub fn run(arguments: &Arguments) -> Outcome {
    let &Arguments { eps, eta, numerics, .. } = arguments;
    let experiment = Experiment { eps, eta, options: numerics.options(), limit: u64::MAX };
    arguments.check()?;
    let earlier = arguments.from.iter().map(|path| earlier::read(path, &experiment));
    let mut rows = earlier.collect::<Result<Vec<_>, _>>()?.concat();
    let devices =
        if arguments.measures() { select::devices_or_best(&arguments.device)? } else { Vec::new() };
    cache::warn(&devices, &[]);
    let mut sheet = arguments.csv.as_deref().map(Sheet::create).transpose()?;
    let _folder = arguments.plots.as_deref().map(Reserved::new).transpose()?;
    let time = date::now();
    let sizes = if arguments.n.is_empty() { &SIZES[..] } else { &arguments.n };
    let sizes: Vec<_> = sizes.iter().map(|&n| n as usize).collect();
    let mut write = |row: &Row| match &mut sheet {
        Some(sheet) => sheet.row(&record! { date: &time }.and(row.record(&experiment))),
        None => Ok(()),
    };
    let progress = |length| Progress::new(length, arguments.reporting);
    rows.extend(measure(&devices, &sizes, &experiment, &progress, &mut write)?);
    sheet.map_or(Ok(()), Sheet::finish)?;
    let report = Report::new(rows, experiment);
    if arguments.reporting.json {
        record::print("scaling", report.record())?;
    } else {
        writeln!(std::io::stdout().lock(), "{}", report.page())?;
    }
    if let Some(folder) = &arguments.plots {
        let figure = report.figure(date::day(&time));
        files::write(&folder.join("scaling.svg"), &figure.svg()?)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Integrates a sphere of each size on each device.
fn measure(
    devices: &[Device],
    sizes: &[usize],
    experiment: &Experiment,
    progress: &dyn Fn(f64) -> Result<Progress, TemplateError>,
    write: &mut impl FnMut(&Row) -> Result<(), Box<dyn Error>>,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let expected = |device, n| sphere::expected(device, n, experiment.eta);
    let all = sizes.iter().flat_map(|&n| devices.iter().map(move |device| expected(device, n)));
    let mut rows = Vec::new();
    if devices.is_empty() {
        return Ok(rows);
    }
    let mut progress = progress(all.sum())?;
    for &n in sizes {
        progress.prepare(format!("sphere of {n}"));
        let sphere = sphere::in_equilibrium(n, SEED)?;
        for device in devices {
            progress.begin(expected(device, n), format!("N = {n} on {device}"));
            let done = experiment.integrate(device, &sphere, |time| progress.show(time))?;
            let row = Row { device: device.name(), n, done };
            write(&row)?;
            rows.push(row);
        }
    }
    Ok(rows)
}
