//! `nbody tune`.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use nbody::cuda::{KernelConfig, Tuned, programs};
use nbody::models::uniform_rows;
use nbody::{Device, DeviceName, Error, Options, Sources};

use crate::interactions::{Chosen, Interactions, parameter_record, parameters_of};
use crate::progress::{Progress, Reporting};
use crate::record::{self, Record, record};
use crate::select::Numerics;
use crate::table::{Page, Table, sections};
use crate::{Outcome, cache, numbers};

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    interactions: Interactions,
    /// The device: emulator or cuda:N.
    #[arg(long, default_value = "cuda:0", value_parser = tuned_device)]
    device: DeviceName,
    /// The numbers of particles. A result applies to all numbers that are nearest to the same
    /// power of two.
    #[arg(short, value_parser = numbers::particles, default_values = ["2048", "16384", "131072"], value_delimiter = ',')]
    n: Vec<NonZeroUsize>,
    #[command(flatten)]
    numerics: Numerics,
    /// Print every measurement, not only the fastest for each number of particles.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    reporting: Reporting,
}

/// Parses the name of a device that has kernel configurations.
fn tuned_device(text: &str) -> Result<DeviceName, String> {
    match text.parse().map_err(|error: Error| error.to_string())? {
        DeviceName::Cpu(_) => {
            Err("the CPU has nothing to tune: expected emulator or cuda:N".to_owned())
        }
        DeviceName::Best => Err("expected emulator or cuda:N".to_owned()),
        name => Ok(name),
    }
}

struct Tune<'a> {
    arguments: &'a Arguments,
    device: Device,
    options: Options,
    rows: Vec<Row>,
    bar: Progress,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let all = arguments.interactions.choose()?;
    let device = arguments.device.open()?;
    cache::warn(std::slice::from_ref(&device), &all);
    let mut tune = Tune {
        arguments,
        device,
        options: arguments.numerics.options(),
        rows: Vec::new(),
        bar: arguments.reporting.progress()?,
    };
    let mut first = None;
    for chosen in &all {
        first = first.or(tune.tune_all(chosen));
    }
    let Tune { device, options, rows, bar, .. } = tune;
    drop(bar);
    let device = device.name();
    if arguments.reporting.json {
        let rows: Vec<_> = rows.iter().map(|row| row.record(&device, options)).collect();
        record::print("tune", record! { parameters: parameter_record(&all), rows: rows })?;
    } else {
        let page = page(&device, options, &rows, &parameters_of(&all));
        writeln!(std::io::stdout().lock(), "{page}")?;
    }
    first.map_or(Ok(ExitCode::SUCCESS), |error| Err(error.into()))
}

impl Tune<'_> {
    /// Measures every number of particles, as two sets and as one; returns the first error.
    fn tune_all(&mut self, chosen: &Chosen) -> Option<Error> {
        let mut first = None;
        // One set needs one buffer.
        let sets = if chosen.has_one_record() { &[false, true][..] } else { &[false] };
        for n in self.arguments.n.iter().map(|n| n.get()) {
            for &one_set in sets {
                first = first.or(self.tune(chosen, n, one_set).err());
            }
        }
        first
    }

    fn tune(&mut self, chosen: &Chosen, n: usize, one_set: bool) -> Result<(), Error> {
        let (law, device) = (chosen.law, self.device.untyped());
        let mut direct = device.all_pairs(law, &chosen.parameters, self.options)?;
        let upload = |fields| device.upload(&uniform_rows(fields, n, 1), self.options.precision);
        let (i, j) = (upload(law.i)?, upload(law.j)?);
        let j = if one_set { Sources::Same(&*i) } else { Sources::Others(&*j) };
        let mut out = direct.results(n)?;
        self.bar.set_message(format!("{}, {n}, {}", law.name, sets(one_set)));
        let mut trials = Vec::new();
        let bar = &self.bar;
        let best = programs::tune(&mut *direct, &*i, j, &mut *out, &mut |tuned, count| {
            if trials.is_empty() {
                bar.inc_length(count as u64);
            }
            bar.inc(1);
            trials.push(*tuned);
        })?;
        if !self.arguments.all {
            trials = best.into_iter().collect();
        }
        trials.sort_by_key(|tuned| tuned.time);
        self.rows.extend(trials.into_iter().map(|tuned| Row { law: law.name, n, tuned }));
        Ok(())
    }
}

fn sets(one_set: bool) -> &'static str {
    if one_set { "one" } else { "two" }
}

/// A measurement.
struct Row {
    law: &'static str,
    n: usize,
    tuned: Tuned,
}

const HEADER: [&str; 10] = [
    ">N",
    "sets",
    "schedule",
    ">i",
    ">bag",
    ">unroll",
    ">resident",
    ">parts",
    ">Gpairs/s",
    ">time/ms",
];
const LEGEND: [(&str, &str); 6] = [
    ("sets", "one set with itself, or i and j apart"),
    ("i", "i-particles of a thread"),
    ("bag", "j-particles between two folds"),
    ("unroll", "j-particles in a turn of the innermost loop"),
    ("resident", "thread blocks of a multiprocessor; 0 leaves the number to the compiler"),
    ("parts", "parts of the j-particles, which are summed at the same time"),
];

/// Formats a table for each interaction.
fn page(device: &str, options: Options, rows: &[Row], parameters: &str) -> Page {
    let Options { precision, accumulation, math, .. } = options;
    let mut page = Page::new(&format!(
        "The fastest kernel configurations of {device}: {precision} precision, {accumulation} accumulation, \
         {math} mathematics."
    ));
    for (law, rows) in sections(rows, |row| row.law.to_owned()) {
        page.table(&law, &Table::of(&HEADER, rows.into_iter().map(Row::cells)));
    }
    page.legend(&LEGEND);
    page.words(parameters);
    page
}

impl Row {
    fn pairs_per_second(&self) -> f64 {
        (self.n as f64) * (self.n as f64) / self.tuned.time.as_secs_f64()
    }

    fn cells(&self) -> Vec<String> {
        let Tuned { one_set, config, parts, time, .. } = self.tuned;
        let KernelConfig { schedule, i_per_thread, bag, unroll, resident, .. } = config;
        vec![
            self.n.to_string(),
            sets(one_set).to_owned(),
            schedule.name().to_owned(),
            i_per_thread.to_string(),
            bag.to_string(),
            unroll.to_string(),
            resident.to_string(),
            parts.to_string(),
            format!("{:.1}", self.pairs_per_second() / 1e9),
            format!("{:.4}", time.as_secs_f64() * 1e3),
        ]
    }

    fn record(&self, device: &str, options: Options) -> Record {
        let Tuned { one_set, config, parts, time, .. } = self.tuned;
        let KernelConfig { schedule, i_per_thread, bag, unroll, resident, .. } = config;
        let Options { precision, accumulation, math, .. } = options;
        record! {
            interaction: self.law,
            device: device,
            n: self.n,
            sets: sets(one_set),
            precision: precision.name(),
            accumulation: accumulation.name(),
            math: math.name(),
            schedule: schedule.name(),
            i_per_thread: i_per_thread,
            bag: bag,
            unroll: unroll,
            resident: resident,
            parts: parts,
            pairs_per_s: self.pairs_per_second(),
            seconds: time,
        }
    }
}
