//! `nbody bench`.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use nbody::models::uniform;
use nbody::{Accumulation, AllPairs, Device, Engine, Error, Interaction, Math, Options, Precision};
use nbody_interactions::Visitor;

use crate::Outcome;
use crate::select::{self, DeviceName};
use crate::table::Table;

/// Runs of one measurement: at least these, and more until the time is spent.
const RUNS: usize = 5;
const TIME: Duration = Duration::from_secs(1);

#[derive(clap::Args)]
pub struct Arguments {
    /// The interactions; all without it.
    #[arg(value_parser = select::interactions())]
    interactions: Vec<String>,
    /// The devices, cpu, emulator or cuda:N; without it the GPUs and the CPU.
    #[arg(long)]
    device: Vec<DeviceName>,
    /// The numbers of particles; every ordered pair of them is evaluated.
    #[arg(short, default_values = ["2048", "16384"], value_delimiter = ',')]
    n: Vec<NonZeroUsize>,
    /// The arithmetic of a pair: single, double.
    #[arg(long, default_value_t)]
    precision: Precision,
    /// How contributions are summed: direct, blocked, blocked-f64.
    #[arg(long, default_value_t)]
    accumulation: Accumulation,
    /// What the arithmetic may trade for speed: fast, exact.
    #[arg(long, default_value_t)]
    math: Math,
}

struct Bench<'a> {
    devices: Vec<Device>,
    sizes: &'a [NonZeroUsize],
    options: Options,
    table: Table,
    bar: ProgressBar,
    error: Option<Error>,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let devices = match &arguments.device[..] {
        [] => Device::all().into_iter().filter(|device| device.name() != "emulator").collect(),
        names => names.iter().map(|name| name.open()).collect::<Result<_, _>>()?,
    };
    let &Arguments { precision, accumulation, math, .. } = arguments;
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
    let mut bench = Bench {
        devices,
        sizes: &arguments.n,
        options: Options { precision, accumulation, math, ..Options::default() },
        table: Table::new(&[
            "interaction",
            "device",
            ">N",
            ">pairs/s",
            ">flop/s",
            ">median",
            ">fastest",
            ">slowest",
            ">runs",
            ">registers",
            ">spilled",
        ]),
        bar: ProgressBar::new(0).with_style(style),
        error: None,
    };
    select::visit_named(&arguments.interactions, &mut bench);
    bench.bar.finish_and_clear();
    if let Some(error) = bench.error {
        return Err(error.into());
    }
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "{precision} precision, {accumulation} accumulation, {math} mathematics; every ordered \
         pair, resident data\n"
    )?;
    for line in bench.table.lines() {
        writeln!(out, "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}

impl Visitor for Bench<'_> {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        self.bar.inc_length((self.devices.len() * self.sizes.len()) as u64);
        for device in self.devices.clone() {
            for n in self.sizes.iter().map(|n| n.get()) {
                self.bar.set_message(format!("{} on {device}, {n}", X::NAME));
                match measure(&device, interaction, self.options, n) {
                    Ok(row) => self.table.row(row),
                    Err(error) => self.error = self.error.take().or(Some(error)),
                }
                self.bar.inc(1);
            }
        }
    }
}

fn measure<X: Interaction>(
    device: &Device,
    interaction: X,
    options: Options,
    n: usize,
) -> Result<Vec<String>, Error> {
    let mut direct = AllPairs::with_options(device, interaction, options)?;
    let i = direct.upload(&uniform::<X::I>(n, 1))?;
    let j = direct.upload(&uniform::<X::J>(n, 2))?;
    let mut out = direct.fields(n)?;
    direct.time(&i, &j, &mut out)?; // clocks and caches warm up
    let start = Instant::now();
    let mut times = Vec::new();
    while times.len() < RUNS || start.elapsed() < TIME {
        times.push(direct.time(&i, &j, &mut out)?);
    }
    times.sort();
    let median = times[times.len() / 2];
    let rate = (n as f64) * (n as f64) / median.as_secs_f64();
    let milliseconds = |time: Duration| format!("{:.3} ms", time.as_secs_f64() * 1e3);
    let usage = direct.build().and_then(|build| build.usage);
    Ok(vec![
        X::NAME.to_owned(),
        device.name(),
        n.to_string(),
        format!("{:.3} G", rate / 1e9),
        format!("{:.2} G", rate * f64::from(X::OPERATIONS.flops()) / 1e9),
        milliseconds(median),
        milliseconds(times[0]),
        milliseconds(times[times.len() - 1]),
        times.len().to_string(),
        usage.map_or("-".to_owned(), |usage| usage.registers.to_string()),
        usage.map_or("-".to_owned(), |usage| format!("{} B", usage.local)),
    ])
}
