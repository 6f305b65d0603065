//! `nbody verify`.

use std::io::Write as _;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use nbody::{
    AllPairs, Case, Device, Domain, Error, Interaction, Math, Options, Pairs, Precision, SimdLevel,
    SummationOrder,
};
use nbody_interactions::Visitor;
use nbody_verify::{cases, domains, ways};
use rayon::prelude::*;

use crate::Outcome;
use crate::select::{self, DeviceName};
use crate::table::Table;

/// Numbers of particles around the boundaries of blocks, bags and thread block tiles.
const SIZES: [usize; 8] = [0, 1, 2, 127, 128, 129, 1000, 2051];
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
    let mut verify = Verify::new(devices, domains()?, ProgressBar::new(0).with_style(style));
    select::visit_named(&arguments.interactions, &mut verify);
    verify.bar.finish_and_clear();
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

struct Verify {
    devices: Vec<Device>,
    domains: [Domain; 2],
    table: Table,
    passed: usize,
    failed: usize,
    bar: ProgressBar,
}

/// The case with the largest error in units of its bound.
#[derive(Default)]
struct Worst {
    error: f64,
    at: String,
    passed: bool,
}

impl Visitor for Verify {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        self.bar.set_message(X::LAW.name);
        // Cases for mixed precision have particles of their own.
        let precisions = [Precision::Single, Precision::Mixed];
        let domains = self.domains.map(|domain| {
            let cases = precisions.map(|precision| cases(&interaction, domain, precision, &SIZES));
            (cases, ways(domain))
        });
        let mut work = Vec::new();
        for device in &self.devices {
            for ([others, mixed], ways) in &domains {
                work.extend(ways.iter().map(|options| {
                    let is_mixed = options.precision == Precision::Mixed;
                    (device.clone(), *options, if is_mixed { &mixed[..] } else { &others[..] })
                }));
            }
        }
        self.bar.inc_length(work.len() as u64);
        // In parallel, so that compilers and devices work at the same time.
        let bar = self.bar.clone();
        let checked = work.par_iter().map(|(device, options, cases)| {
            let checked = check(device, interaction, *options, cases)
                .and_then(|worst| Ok((worst, bits(device, interaction, *options, cases)?)));
            bar.inc(1);
            checked
        });
        let checked: Vec<_> = checked.collect();
        for ((device, options, cases), checked) in work.iter().zip(checked) {
            self.row(X::LAW.name, device, *options, cases.len(), checked);
        }
    }
}

const HEADER: [&str; 11] = [
    "interaction",
    "device",
    "domain",
    "precision",
    "accumulation",
    "math",
    ">cases",
    ">worst error",
    "in",
    "bits",
    "result",
];

impl Verify {
    fn new(devices: Vec<Device>, domains: [Domain; 2], bar: ProgressBar) -> Self {
        Self { devices, domains, table: Table::new(&HEADER), passed: 0, failed: 0, bar }
    }

    fn row(
        &mut self,
        name: &str,
        device: &Device,
        options: Options,
        cases: usize,
        checked: Result<(Worst, Option<bool>), Error>,
    ) {
        let mut row = vec![name.to_owned(), device.name()];
        row.extend(
            [
                options.domain.name(),
                options.precision.name(),
                options.accumulation.name(),
                options.math.name(),
            ]
            .map(str::to_owned),
        );
        row.push(cases.to_string());
        let passed = match checked {
            Ok((worst, bits)) => {
                row.push(format!("{:.3}", worst.error));
                row.push(worst.at);
                row.push(bits.map_or("-", |same| if same { "same" } else { "differ" }).to_owned());
                worst.passed && bits != Some(false)
            }
            Err(error) => {
                row.extend(["-", "-", "-"].map(str::to_owned));
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
    // Symmetric pairs are checked also where the engine would choose ordered ones.
    let symmetric = X::LAW.third_law.map(|_| options.pairs(Pairs::Symmetric));
    for options in [options].into_iter().chain(symmetric) {
        let mut direct = AllPairs::with_options(device, interaction, options)?;
        for case in cases {
            let report = case.check(&mut direct, &options)?;
            worst.passed &= report.passes();
            for field in report.fields {
                let error = field.of_bound.unwrap_or(f64::INFINITY);
                if worst.at.is_empty() || error > worst.error {
                    let at = format!("{}, {}", field.name, case.name());
                    worst = Worst { error, at, ..worst };
                }
            }
        }
    }
    Ok(worst)
}

/// Compares the bits with those of the CPU's scalars, where IEEE arithmetic defines them: in exact
/// mathematics, without special functions. Returns `None` elsewhere.
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

    /// Checks these cases, and returns the numbers passed and failed and the row of the table.
    fn row(cases: &[Case<Gravity>]) -> (usize, usize, String) {
        let domains = domains().unwrap();
        let mut verify = Verify::new(Vec::new(), domains, ProgressBar::hidden());
        let (device, options) = (Device::cpu(), Options::default());
        let checked = check(&device, GRAVITY, options, cases).map(|worst| (worst, None));
        verify.row("gravity", &device, options, cases.len(), checked);
        let last = verify.table.lines().pop().unwrap_or_default();
        (verify.passed, verify.failed, last)
    }

    #[test]
    fn right_results_pass() {
        let cases = cases(&GRAVITY, Domain::Open, Precision::Single, &SIZES);
        assert_eq!(cases.len(), 2 * SIZES.len(), "each size as one set, and of two");
        let (passed, failed, line) = row(&cases);
        assert_eq!((passed, failed), (1, 0), "{line}");
    }

    #[test]
    fn one_wrong_case_fails() {
        let mut cases = cases(&GRAVITY, Domain::Open, Precision::Single, &SIZES);
        // The result of another softening for the same particles.
        let other = Gravity { eps2: 1.0 / 63.0 };
        cases[5] = Case::two_sets(&other, Domain::Open, uniform(129, 1), uniform(2, 2));
        let (passed, failed, line) = row(&cases);
        assert_eq!((passed, failed), (0, 1), "{line}");
        assert!(line.contains("129 x 2") && line.ends_with("FAILED"), "{line}");
    }

    #[test]
    fn nan_fails() {
        let mut bodies = uniform::<Body>(10, 1);
        bodies[3].pos[0] = f64::NAN;
        let case = Case::two_sets(&GRAVITY, Domain::Open, bodies, uniform(5, 2));
        let (_, failed, line) = row(&[case]);
        assert_eq!(failed, 1, "{line}");
    }
}
