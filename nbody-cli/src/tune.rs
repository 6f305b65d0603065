//! `nbody tune`.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use nbody::cuda::{KernelConfig, Tuned, programs};
use nbody::models::uniform_rows;
use nbody::{Device, DeviceName, Error, Options, Sources};

use crate::interactions::{Chosen, Interactions, parameters_of};
use crate::select::Numerics;
use crate::table::Table;
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
    table: Table,
    bar: ProgressBar,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let all = arguments.interactions.choose()?;
    let device = arguments.device.open()?;
    cache::warn(std::slice::from_ref(&device), &all);
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
    let mut tune = Tune {
        arguments,
        device,
        options: arguments.numerics.options(),
        table: Table::new(&[
            "interaction",
            ">N",
            "sets",
            "schedule",
            ">i per thread",
            ">bag",
            ">unroll",
            ">resident",
            ">parts",
            ">pairs/s",
            ">time",
        ]),
        bar: ProgressBar::new(0).with_style(style),
    };
    let mut first = None;
    for chosen in &all {
        first = first.or(tune.tune_all(chosen));
    }
    tune.bar.finish_and_clear();
    let mut out = std::io::stdout().lock();
    for line in tune.table.lines() {
        writeln!(out, "{line}")?;
    }
    let parameters = parameters_of(&all);
    // The table ends its last line.
    if let Some(parameters) = parameters.strip_prefix('\n') {
        writeln!(out, "{parameters}")?;
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
        let bar = self.bar.clone();
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
        for tuned in trials {
            self.table.row(row(law.name, n, &tuned));
        }
        Ok(())
    }
}

fn sets(one_set: bool) -> &'static str {
    if one_set { "one" } else { "two" }
}

fn row(name: &str, n: usize, tuned: &Tuned) -> Vec<String> {
    let Tuned { one_set, config, parts, time, .. } = *tuned;
    let KernelConfig { schedule, i_per_thread, bag, unroll, resident, .. } = config;
    let rate = (n as f64) * (n as f64) / time.as_secs_f64();
    vec![
        name.to_owned(),
        n.to_string(),
        sets(one_set).to_owned(),
        schedule.name().to_owned(),
        i_per_thread.to_string(),
        bag.to_string(),
        unroll.to_string(),
        resident.to_string(),
        parts.to_string(),
        format!("{:.1} G", rate / 1e9),
        format!("{:.4} ms", time.as_secs_f64() * 1e3),
    ]
}
