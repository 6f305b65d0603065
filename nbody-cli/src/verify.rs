//! `nbody verify`.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use nbody::check::untyped::Case;
use nbody::cpu::SimdLevel;
use nbody::untyped::Engine;
use nbody::{
    Device, DeviceName, Domain, Error, Math, Opening, Options, Pairs, Precision, SummationOrder,
};
use nbody_verify::{cases, domains, ways};
use rayon::prelude::*;

use crate::interactions::{Chosen, Interactions, parameters_of};
use crate::ranks::{self, Rank};
use crate::table::Table;
use crate::{Outcome, cache, message, numbers};

/// Numbers of particles around the boundaries of blocks, bags and thread block tiles.
const SIZES: [usize; 8] = [0, 1, 2, 127, 128, 129, 1000, 2051];
/// An angle at which every cell is opened, so that a tree evaluates all pairs.
const CLOSED: f64 = 1e-12;
/// Summation order for the comparison of bits: several bags in a split, several splits, incomplete
/// bags.
const BITS: SummationOrder = SummationOrder { bag: 100, splits: 3 };

/// Name of the device whose bits the others must reproduce.
const SCALARS: &str = "cpu:scalar";

#[derive(clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    interactions: Interactions,
    /// The devices: cpu, cpu:LEVEL, emulator, cuda:N or best; by default all available ones, and the CPU
    /// at each level of its vector instructions.
    #[arg(long, value_delimiter = ',')]
    device: Vec<DeviceName>,
    /// Verify the first N GPUs of this host together, which share out the evaluations.
    #[arg(long, value_name = "N", value_parser = numbers::ranks, conflicts_with = "device")]
    gpus: Option<NonZeroUsize>,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let all = arguments.interactions.choose()?;
    ranks::run(arguments.gpus, false, |rank| run_as(rank, arguments, &all))
}

/// Runs as one of the ranks; the first one reports.
fn run_as(rank: &Rank, arguments: &Arguments, all: &[Chosen]) -> Outcome {
    let devices = match &arguments.device[..] {
        names if rank.has_device() => vec![rank.open_sharing(names.first().copied())?],
        [] => every_device()?,
        names => names.iter().map(|name| name.open()).collect::<Result<_, _>>()?,
    };
    if rank.is_first() {
        cache::warn(&devices, all);
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
    let bar = if rank.is_first() { ProgressBar::new(0) } else { ProgressBar::hidden() };
    let (domains, bar) = (domains()?, bar.with_style(style));
    let in_order = rank.has_others();
    let mut jobs = Jobs { devices, domains, all: Vec::new(), bar, in_order };
    for chosen in all {
        jobs.add(chosen)?;
    }
    let verify = jobs.run();
    let code = if verify.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if !rank.is_first() {
        return Ok(code);
    }
    let mut out = std::io::stdout().lock();
    for line in verify.table.lines() {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "\nWorst error: in units of the running error bound. Bits: compared with the scalars of \
         the CPU in the same summation order.{}\n{} passed, {} failed",
        parameters_of(all),
        verify.passed,
        verify.failed
    )?;
    Ok(code)
}

/// Lists every available device, and the CPU at each level of its vector instructions.
fn every_device() -> Result<Vec<Device>, Error> {
    let others = Device::all().into_iter().filter(|device| !device.is_cpu());
    SimdLevel::available().map(Device::cpu_with).chain(others.map(Ok)).collect()
}

/// One interaction on one device with these options, to be checked.
struct Job {
    name: &'static str,
    device: Device,
    options: Options,
    check: Box<dyn Fn() -> Checked + Send + Sync>,
}

/// The number of cases, the worst case and the comparison of bits.
type Checked = Result<(usize, Worst, Option<bool>), Error>;

/// The jobs of all interactions, run together so that compilers and devices work at the same time.
struct Jobs {
    devices: Vec<Device>,
    domains: [Domain; 3],
    all: Vec<Job>,
    bar: ProgressBar,
    /// Whether the jobs run one after the other, as ranks must call them.
    in_order: bool,
}

/// The case with the largest error in units of its bound.
#[derive(Default)]
struct Worst {
    error: f64,
    at: String,
    passed: bool,
    /// The number of cases also checked by a tree.
    by_tree: usize,
}

impl Jobs {
    /// Adds the jobs of an interaction.
    fn add(&mut self, chosen: &Chosen) -> Result<(), Error> {
        let law = chosen.law;
        self.bar.set_message(format!("reference of {}", law.name));
        // Engines refuse a periodic box for an interaction without points.
        let domains = self.domains.iter().filter(|it| law.check_domain(it).is_ok());
        for &domain in domains {
            // Cases for mixed precision have their own particles.
            let cases =
                |precision| cases(law, &chosen.parameters, domain, precision, &SIZES).map(Arc::new);
            let (others, mixed) = (cases(Precision::Single)?, cases(Precision::Mixed)?);
            for device in &self.devices {
                self.all.extend(ways(domain).into_iter().map(|options| {
                    let is_mixed = options.precision == Precision::Mixed;
                    let cases = if is_mixed { &mixed } else { &others };
                    job(device, chosen, options, cases.clone())
                }));
            }
        }
        self.bar.set_length(self.all.len() as u64);
        Ok(())
    }
}

fn job(device: &Device, chosen: &Chosen, options: Options, cases: Arc<Vec<Case>>) -> Job {
    let (of, chosen) = (device.clone(), chosen.clone());
    let name = chosen.law.name;
    let check = Box::new(move || {
        let worst = check(&of, &chosen, options, &cases)?;
        Ok((cases.len(), worst, bits(&of, &chosen, options, &cases)?))
    });
    Job { name, device: device.clone(), options, check }
}

const HEADER: [&str; 12] = [
    "interaction",
    "device",
    "domain",
    "precision",
    "accumulation",
    "math",
    ">cases",
    ">by tree",
    ">worst error",
    "in",
    "bits",
    "result",
];

impl Jobs {
    /// Runs the jobs in parallel, and reports their results in order.
    fn run(self) -> Verify {
        let bar = self.bar;
        let check = |job: &Job| {
            let checked = (job.check)();
            bar.set_message(job.name);
            bar.inc(1);
            checked
        };
        let checked: Vec<_> = if self.in_order {
            self.all.iter().map(check).collect()
        } else {
            self.all.par_iter().map(check).collect()
        };
        bar.finish_and_clear();
        let mut verify = Verify { table: Table::new(&HEADER), passed: 0, failed: 0 };
        for (job, checked) in self.all.iter().zip(checked) {
            verify.row(job, checked);
        }
        verify
    }
}

/// The table of results.
struct Verify {
    table: Table,
    passed: usize,
    failed: usize,
}

impl Verify {
    fn row(&mut self, job: &Job, checked: Checked) {
        let Job { name, device, options, .. } = job;
        let mut row = vec![(*name).to_owned(), device.name()];
        row.extend(
            [
                options.domain.name(),
                options.precision.name(),
                options.accumulation.name(),
                options.math.name(),
            ]
            .map(str::to_owned),
        );
        let passed = match checked {
            Ok((cases, worst, bits)) => {
                row.push(cases.to_string());
                row.push(worst.by_tree.to_string());
                row.push(format!("{:.3}", worst.error));
                row.push(worst.at);
                row.push(bits.map_or("-", |same| if same { "same" } else { "differ" }).to_owned());
                worst.passed && bits != Some(false)
            }
            Err(error) => {
                row.extend(["-"; 5].map(str::to_owned));
                message::print(format_args!("{name} on {device}: {error}"));
                false
            }
        };
        row.push(if passed { "passed" } else { "FAILED" }.to_owned());
        self.table.row(row);
        if passed { self.passed += 1 } else { self.failed += 1 }
    }
}

fn check(
    device: &Device,
    chosen: &Chosen,
    options: Options,
    cases: &[Case],
) -> Result<Worst, Error> {
    let mut worst = Worst { passed: true, ..Worst::default() };
    let law = chosen.law;
    // Symmetric pairs are also checked if the engine would choose ordered pairs.
    let symmetric = law.third_law.map(|_| options.pairs(Pairs::Symmetric));
    for options in [options].into_iter().chain(symmetric) {
        let mut direct = device.untyped().all_pairs(law, &chosen.parameters, options)?;
        worst.add((device, &mut *direct), "", cases)?;
    }
    // Trees refuse triclinic boxes.
    if law.charges.is_ok() && !options.domain.is_triclinic() {
        let opening = Opening::theta(CLOSED);
        let mut tree = device.untyped().tree(law, &chosen.parameters, opening, options)?;
        for case in cases {
            match worst.add((device, &mut *tree), " by a tree", std::slice::from_ref(case)) {
                // Expected: i and j are records with separate positions.
                Err(Error::OtherPositions) if !chosen.has_one_record() => {}
                added => {
                    added?;
                    worst.by_tree += 1;
                }
            }
        }
    }
    Ok(worst)
}

impl Worst {
    /// Checks these cases on an engine of a device, and keeps the worst result.
    fn add(
        &mut self,
        (device, engine): (&Device, &mut dyn Engine),
        by: &str,
        cases: &[Case],
    ) -> Result<(), Error> {
        for case in cases {
            let report = case.check(device, engine)?;
            self.passed &= report.passes();
            for field in report.fields {
                let error = field.of_bound.unwrap_or(f64::INFINITY);
                if self.at.is_empty() || error > self.error {
                    (self.error, self.at) = (error, format!("{}, {}{by}", field.name, case.name()));
                }
            }
        }
        Ok(())
    }
}

/// Compares bits with the CPU's scalars where IEEE arithmetic defines them: in exact mathematics,
/// without special functions. Returns `None` elsewhere.
fn bits(
    device: &Device,
    chosen: &Chosen,
    options: Options,
    cases: &[Case],
) -> Result<Option<bool>, Error> {
    let law = chosen.law;
    if options.math != Math::Exact || law.operations.special > 0 || device.name() == SCALARS {
        return Ok(None);
    }
    let options = options.order(BITS);
    let cpu = Device::cpu_with(SimdLevel::Scalar)?;
    let engine = |device: &Device| device.untyped().all_pairs(law, &chosen.parameters, options);
    let (mut direct, mut scalars) = (engine(device)?, engine(&cpu)?);
    for case in cases {
        if !case.same_bits((device, &mut *direct), (&cpu, &mut *scalars))? {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nbody::models::uniform_rows;
    use nbody::untyped::OwnedRows;
    use nbody_interactions::gravity::Gravity;

    const GRAVITY: Gravity = Gravity { eps2: 1.0 / 64.0 };

    /// Checks these cases; returns the numbers of passed and failed jobs and the row of the table.
    fn row(cases: Vec<Case>) -> (usize, usize, String) {
        let gravity = Chosen::new(GRAVITY);
        let job = job(&Device::cpu(), &gravity, Options::default(), Arc::new(cases));
        let (domains, bar) = (domains().unwrap(), ProgressBar::hidden());
        let verify =
            Jobs { devices: Vec::new(), domains, all: vec![job], bar, in_order: false }.run();
        let last = verify.table.lines().pop().unwrap_or_default();
        (verify.passed, verify.failed, last)
    }

    fn sizes() -> Vec<Case> {
        let Chosen { law, parameters, .. } = Chosen::new(GRAVITY);
        cases(law, &parameters, Domain::Open, Precision::Single, &SIZES).unwrap()
    }

    fn bodies(n: usize, seed: u64) -> OwnedRows {
        uniform_rows(Chosen::new(GRAVITY).law.i, n, seed)
    }

    fn two_sets(gravity: Gravity, i: OwnedRows, j: OwnedRows) -> Case {
        let Chosen { law, parameters, .. } = Chosen::new(gravity);
        Case::two_sets(law, &parameters, Domain::Open, i, j).unwrap()
    }

    #[test]
    fn right_results_pass() {
        let cases = sizes();
        assert_eq!(cases.len(), 2 * SIZES.len(), "each size as one set, and of two");
        let (passed, failed, line) = row(cases);
        assert_eq!((passed, failed), (1, 0), "{line}");
        let by_tree = line.split_whitespace().nth(7);
        assert_eq!(by_tree, Some("16"), "{line}");
    }

    #[test]
    fn one_wrong_case_fails() {
        let mut cases = sizes();
        // The result of another softening length for the same particles.
        let other = Gravity { eps2: 1.0 / 63.0 };
        cases[5] = two_sets(other, bodies(129, 1), bodies(2, 2));
        let (passed, failed, line) = row(cases);
        assert_eq!((passed, failed), (0, 1), "{line}");
        assert!(line.contains("129 x 2") && line.ends_with("FAILED"), "{line}");
    }

    #[test]
    fn nan_fails() {
        let mut words = bodies(10, 1).words().to_vec();
        // The position of the fourth body.
        words[3 * 4] = f64::NAN.to_bits();
        let law = Chosen::new(GRAVITY).law;
        let i = OwnedRows::new(law.i, words).unwrap();
        let case = two_sets(GRAVITY, i, bodies(5, 2));
        let (_, failed, line) = row(vec![case]);
        assert_eq!(failed, 1, "{line}");
    }
}
