//! `nbody verify`.

use std::any::TypeId;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use indicatif::{ProgressBar, ProgressStyle};
use nbody::check::Case;
use nbody::cpu::SimdLevel;
use nbody::{
    AllPairs, Device, DeviceName, Domain, Engine, Error, Interaction, Math, Opening, Options,
    Pairs, Precision, SummationOrder, Tree,
};
use nbody_interactions::Visitor;
use nbody_verify::{cases, domains, ways};
use rayon::prelude::*;

use crate::Outcome;
use crate::select;
use crate::table::Table;

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
    /// The interactions; by default all.
    #[arg(value_parser = select::interactions())]
    interactions: Vec<String>,
    /// The devices: cpu, cpu:LEVEL, emulator or cuda:N; by default all available ones, and the CPU
    /// at each level of its vector instructions.
    #[arg(long)]
    device: Vec<DeviceName>,
}

pub fn run(arguments: &Arguments) -> Outcome {
    let devices = match &arguments.device[..] {
        [] => every_device()?,
        names => names.iter().map(|name| name.open()).collect::<Result<_, _>>()?,
    };
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}")?;
    let bar = ProgressBar::new(0).with_style(style);
    let mut jobs = Jobs { devices, domains: domains()?, all: Vec::new(), bar };
    select::visit_named(&arguments.interactions, &mut jobs);
    let verify = jobs.run();
    let mut out = std::io::stdout().lock();
    for line in verify.table.lines() {
        writeln!(out, "{line}")?;
    }
    writeln!(
        out,
        "\nWorst error: in units of the running error bound. Bits: compared with the scalars of \
         the CPU in the same summation order.\n{} passed, {} failed",
        verify.passed, verify.failed
    )?;
    Ok(if verify.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
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
    domains: [Domain; 2],
    all: Vec<Job>,
    bar: ProgressBar,
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

impl Visitor for Jobs {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        self.bar.set_message(format!("reference of {}", X::LAW.name));
        // Engines refuse a periodic box for an interaction without points.
        let domains = self.domains.iter().filter(|it| X::LAW.check_domain(it).is_ok());
        // Cases for mixed precision have their own particles.
        let cases = domains.map(|&domain| {
            let cases = [Precision::Single, Precision::Mixed].map(|precision| {
                let cases = cases(&interaction, domain, precision, &SIZES);
                Arc::new(cases.expect("a domain for this interaction"))
            });
            (domain, cases)
        });
        let cases: Vec<_> = cases.collect();
        for device in &self.devices {
            for (domain, [others, mixed]) in &cases {
                self.all.extend(ways(*domain).into_iter().map(|options| {
                    let is_mixed = options.precision == Precision::Mixed;
                    let cases = if is_mixed { mixed } else { others };
                    job(device, interaction, options, cases.clone())
                }));
            }
        }
        self.bar.set_length(self.all.len() as u64);
    }
}

fn job<X: Interaction>(
    device: &Device,
    interaction: X,
    options: Options,
    cases: Arc<Vec<Case<X>>>,
) -> Job {
    let of = device.clone();
    let check = Box::new(move || {
        let worst = check(&of, interaction, options, &cases)?;
        Ok((cases.len(), worst, bits(&of, interaction, options, &cases)?))
    });
    Job { name: X::LAW.name, device: device.clone(), options, check }
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
        let checked = self.all.par_iter().map(|job| {
            let checked = (job.check)();
            bar.set_message(job.name);
            bar.inc(1);
            checked
        });
        let checked: Vec<_> = checked.collect();
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
                eprintln!("{name} on {device}: {error}");
                false
            }
        };
        row.push(if passed { "passed" } else { "FAILED" }.to_owned());
        self.table.row(row);
        if passed { self.passed += 1 } else { self.failed += 1 }
    }
}

fn check<X: Interaction>(
    device: &Device,
    interaction: X,
    options: Options,
    cases: &[Case<X>],
) -> Result<Worst, Error> {
    let mut worst = Worst { passed: true, ..Worst::default() };
    // Symmetric pairs are also checked if the engine would choose ordered pairs.
    let symmetric = X::LAW.third_law.map(|_| options.pairs(Pairs::Symmetric));
    for options in [options].into_iter().chain(symmetric) {
        let mut direct = AllPairs::with_options(device, interaction, options)?;
        worst.add(&mut direct, "", cases)?;
    }
    if X::LAW.charges.is_ok() {
        let mut tree = Tree::with_options(device, interaction, Opening::theta(CLOSED), options)?;
        for case in cases {
            match worst.add(&mut tree, " by a tree", std::slice::from_ref(case)) {
                // Expected: i and j are records with separate positions.
                Err(Error::OtherPositions) if !is_one_record::<X>() => {}
                added => {
                    added?;
                    worst.by_tree += 1;
                }
            }
        }
    }
    Ok(worst)
}

fn is_one_record<X: Interaction>() -> bool {
    TypeId::of::<X::I>() == TypeId::of::<X::J>()
}

impl Worst {
    /// Checks these cases, and keeps the worst result.
    fn add<X: Interaction, E: Engine<X>>(
        &mut self,
        engine: &mut E,
        by: &str,
        cases: &[Case<X>],
    ) -> Result<(), Error> {
        for case in cases {
            let report = case.check(engine)?;
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
fn bits<X: Interaction>(
    device: &Device,
    interaction: X,
    options: Options,
    cases: &[Case<X>],
) -> Result<Option<bool>, Error> {
    if options.math != Math::Exact || X::LAW.operations.special > 0 || device.name() == SCALARS {
        return Ok(None);
    }
    let options = options.order(BITS);
    let mut direct = AllPairs::with_options(device, interaction, options)?;
    let mut cpu =
        AllPairs::with_options(&Device::cpu_with(SimdLevel::Scalar)?, interaction, options)?;
    for case in cases {
        if !case.same_bits(&mut direct, &mut cpu)? {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nbody::models::uniform;
    use nbody_interactions::gravity::{Body, Gravity};

    const GRAVITY: Gravity = Gravity { eps2: 1.0 / 64.0 };

    /// Checks these cases; returns the numbers of passed and failed jobs and the row of the table.
    fn row(cases: Vec<Case<Gravity>>) -> (usize, usize, String) {
        let job = job(&Device::cpu(), GRAVITY, Options::default(), Arc::new(cases));
        let (domains, bar) = (domains().unwrap(), ProgressBar::hidden());
        let verify = Jobs { devices: Vec::new(), domains, all: vec![job], bar }.run();
        let last = verify.table.lines().pop().unwrap_or_default();
        (verify.passed, verify.failed, last)
    }

    #[test]
    fn right_results_pass() {
        let cases = cases(&GRAVITY, Domain::Open, Precision::Single, &SIZES).unwrap();
        assert_eq!(cases.len(), 2 * SIZES.len(), "each size as one set, and of two");
        let (passed, failed, line) = row(cases);
        assert_eq!((passed, failed), (1, 0), "{line}");
        let by_tree = line.split_whitespace().nth(7);
        assert_eq!(by_tree, Some("16"), "{line}");
    }

    #[test]
    fn one_wrong_case_fails() {
        let mut cases = cases(&GRAVITY, Domain::Open, Precision::Single, &SIZES).unwrap();
        // The result of another softening length for the same particles.
        let other = Gravity { eps2: 1.0 / 63.0 };
        cases[5] = Case::two_sets(&other, Domain::Open, uniform(129, 1), uniform(2, 2)).unwrap();
        let (passed, failed, line) = row(cases);
        assert_eq!((passed, failed), (0, 1), "{line}");
        assert!(line.contains("129 x 2") && line.ends_with("FAILED"), "{line}");
    }

    #[test]
    fn nan_fails() {
        let mut bodies = uniform::<Body>(10, 1);
        bodies[3].pos[0] = f64::NAN;
        let case = Case::two_sets(&GRAVITY, Domain::Open, bodies, uniform(5, 2)).unwrap();
        let (_, failed, line) = row(vec![case]);
        assert_eq!(failed, 1, "{line}");
    }
}
