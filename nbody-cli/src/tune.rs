//! `nbody tune`.

use std::any::Any;
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use nbody::cuda::{KernelConfig, Tuned};
use nbody::models::uniform;
use nbody::{AllPairs, Device, DeviceName, Engine, Error, Interaction, Options, Sources};
use nbody_interactions::Visitor;

use crate::Outcome;
use crate::select::{self, Numerics};
use crate::table::Table;

#[derive(clap::Args)]
pub struct Arguments {
    /// The interactions; by default all.
    #[arg(value_parser = select::interactions())]
    interactions: Vec<String>,
    /// The device: emulator or cuda:N.
    #[arg(long, default_value = "cuda:0")]
    device: DeviceName,
    /// The numbers of particles. A result applies to all numbers that are nearest to the same power
    /// of two.
    #[arg(short, value_parser = select::number, default_values = ["2048", "16384", "131072"], value_delimiter = ',')]
    n: Vec<NonZeroUsize>,
    #[command(flatten)]
    numerics: Numerics,
    /// Print every measurement, not only the fastest for each number of particles.
    #[arg(long)]
    all: bool,
}

struct Tune<'a> {
    arguments: &'a Arguments,
    device: Device,
    options: Options,
    table: Table,
    bar: ProgressBar,
    error: Option<Error>,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
    let mut tune = Tune {
        arguments,
        device: arguments.device.open()?,
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
        error: None,
    };
    select::visit_named(&arguments.interactions, &mut tune);
    tune.bar.finish_and_clear();
    let mut out = std::io::stdout().lock();
    for line in tune.table.lines() {
        writeln!(out, "{line}")?;
    }
    match tune.error {
        Some(error) => Err(error.into()),
        None => Ok(ExitCode::SUCCESS),
    }
}

impl Visitor for Tune<'_> {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        for n in self.arguments.n.iter().map(|n| n.get()) {
            for one_set in [false, true] {
                if let Err(error) = self.tune(interaction, n, one_set) {
                    self.error = self.error.take().or(Some(error));
                }
            }
        }
    }
}

impl Tune<'_> {
    fn tune<X: Interaction>(
        &mut self,
        interaction: X,
        n: usize,
        one_set: bool,
    ) -> Result<(), Error> {
        let mut direct = AllPairs::with_options(&self.device, interaction, self.options)?;
        let i = direct.upload(&uniform::<X::I>(n, 1))?;
        let j = direct.upload(&uniform::<X::J>(n, 1))?;
        // One set needs one buffer, and so I and J of one type.
        let j = match (&i as &dyn Any).downcast_ref() {
            Some(same) if one_set => Sources::Same(same),
            _ if one_set => return Ok(()),
            _ => Sources::Others(&j),
        };
        let mut out = direct.results(n)?;
        self.bar.set_message(format!("{}, {n}, {}", X::LAW.name, sets(one_set)));
        let mut trials = Vec::new();
        let bar = self.bar.clone();
        let best = direct.tune(&i, j, &mut out, &mut |tuned, count| {
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
            self.table.row(row(X::LAW.name, n, &tuned));
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
