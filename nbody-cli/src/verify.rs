//! `nbody verify`.

use std::io::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;

use nbody::check::untyped::Case;
use nbody::cpu::SimdLevel;
use nbody::untyped::Engine;
use nbody::{
    Device, DeviceName, Domain, Error, Math, Opening, Options, Pairs, Precision, SummationOrder,
};
use nbody_verify::{cases, domains, ways};
use rayon::prelude::*;

use crate::interactions::{Chosen, Interactions, parameter_record, parameters_of};
use crate::progress::{Progress, Reporting};
use crate::ranks::{self, Rank};
use crate::record::{self, Record, record};
use crate::table::{Page, Table, known, sections};
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
    #[command(flatten)]
    reporting: Reporting,
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
    let is_first = rank.is_first();
    let bar = if is_first { arguments.reporting.progress()? } else { Progress::hidden() };
    let domains = domains()?;
    let in_order = rank.has_others();
    let mut jobs = Jobs { devices, domains, all: Vec::new(), bar, in_order };
    for chosen in all {
        jobs.add(chosen)?;
    }
    let verify = jobs.run();
    let [_, failed] = verify.counts();
    let code = if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    if is_first && arguments.reporting.json {
        record::print("verify", verify.record(all))?;
    } else if is_first {
        let page = verify.page(&parameters_of(all));
        writeln!(std::io::stdout().lock(), "{page}")?;
    }
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
    bar: Progress,
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

const HEADER: [&str; 9] =
    ["domain", "precision", "accumulation", "math", ">cases", ">tree", ">worst", "bits", "result"];
const LEGEND: [(&str, &str); 9] = [
    ("domain", "open space, a periodic box, or a triclinic one"),
    ("precision", "the arithmetic of a pair"),
    ("accumulation", "the sums over pairs"),
    ("math", "fast: approximate division and roots; exact: IEEE"),
    ("cases", "compared sets of particles, of different sizes"),
    ("tree", "cases that are compared by a tree, too"),
    ("worst", "the largest error, in units of the running error bound"),
    ("bits", "compared with the scalars of the CPU, in the same summation order"),
    ("result", "passed: no error is above its bound, and no bits differ"),
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
        // Before the messages of failed jobs.
        drop(bar);
        let results = self.all.iter().zip(checked);
        Verify { rows: results.map(|(job, checked)| Row::new(job, checked)).collect() }
    }
}

/// The results, in the order of the jobs.
struct Verify {
    rows: Vec<Row>,
}

/// The result of a job.
struct Row {
    name: &'static str,
    device: String,
    options: Options,
    checked: Result<Figures, String>,
}

/// The number of cases, the worst of them, and whether all bits are the same.
struct Figures {
    cases: usize,
    worst: Worst,
    bits: Option<bool>,
}

impl Row {
    fn new(job: &Job, checked: Checked) -> Self {
        let Job { name, device, options, .. } = job;
        let checked = checked.map(|(cases, worst, bits)| Figures { cases, worst, bits });
        let checked = checked.map_err(|error| {
            message::print(format_args!("{name} on {device}: {error}"));
            error.to_string()
        });
        Self { name, device: device.name(), options: *options, checked }
    }

    fn passed(&self) -> bool {
        let passes = |it: &Figures| it.worst.passed && it.bits != Some(false);
        self.checked.as_ref().is_ok_and(passes)
    }

    /// Names the way to compute the interaction.
    fn way(&self) -> [&'static str; 4] {
        let Options { domain, precision, accumulation, math, .. } = self.options;
        [domain.name(), precision.name(), accumulation.name(), math.name()]
    }

    fn cells(&self) -> Vec<String> {
        let figures = self.checked.as_ref().ok();
        let error = figures.map(|it| match it.worst.error {
            error if error < 1e3 => format!("{error:.3}"),
            error => format!("{error:.1e}"),
        });
        let mut cells = self.way().map(str::to_owned).to_vec();
        cells.extend([
            known(figures.map(|it| it.cases)),
            known(figures.map(|it| it.worst.by_tree)),
            known(error),
            known(figures.and_then(|it| it.bits).map(same)),
            if self.passed() { "passed" } else { "FAILED" }.to_owned(),
        ]);
        cells
    }

    /// Describes the worst case.
    fn worst(&self) -> String {
        let [domain, precision, accumulation, math] = self.way();
        let figures = match &self.checked {
            Ok(Figures { worst, .. }) => {
                format!("{:.3} of the bound, of {}", worst.error, worst.at)
            }
            Err(error) => error.clone(),
        };
        format!("{domain}, {precision}, {accumulation}, {math}: {figures}")
    }

    fn record(&self) -> Record {
        let [domain, precision, accumulation, math] = self.way();
        let figures = self.checked.as_ref().ok();
        record! {
            interaction: self.name,
            device: &self.device,
            domain: domain,
            precision: precision,
            accumulation: accumulation,
            math: math,
            cases: figures.map(|it| it.cases),
            cases_by_tree: figures.map(|it| it.worst.by_tree),
            worst_error: figures.map(|it| it.worst.error),
            worst_case: figures.map(|it| &it.worst.at),
            bits: figures.and_then(|it| it.bits).map(same),
            error: self.checked.as_ref().err(),
            passed: self.passed(),
        }
    }
}

fn same(same: bool) -> &'static str {
    if same { "same" } else { "differ" }
}

impl Verify {
    /// Returns the numbers of passed and of failed jobs.
    fn counts(&self) -> [usize; 2] {
        let passed = self.rows.iter().filter(|row| row.passed()).count();
        [passed, self.rows.len() - passed]
    }

    /// Formats a table for each interaction and device, with the worst case, or with each failed one.
    fn page(&self, parameters: &str) -> Page {
        let mut page = Page::new("Errors against the f64 reference, in every way to compute.");
        for (title, rows) in sections(&self.rows, |row| format!("{} on {}", row.name, row.device)) {
            page.table(&title, &Table::of(&HEADER, rows.iter().map(|row| row.cells())));
            for row in rows.iter().filter(|row| !row.passed()) {
                page.words(&format!("FAILED: {}", row.worst()));
            }
            let error = |row: &&&Row| row.checked.as_ref().map_or(0.0, |it| it.worst.error);
            let worst = rows.iter().max_by(|a, b| error(a).total_cmp(&error(b)));
            if let Some(row) = worst.filter(|_| rows.iter().all(|row| row.passed())) {
                page.words(&format!("Worst: {}", row.worst()));
            }
        }
        page.legend(&LEGEND);
        page.words(parameters);
        let [passed, failed] = self.counts();
        page.words(&format!("{passed} passed, {failed} failed"));
        page
    }

    fn record(&self, all: &[Chosen]) -> Record {
        let [passed, failed] = self.counts();
        let rows: Vec<_> = self.rows.iter().map(Row::record).collect();
        record! { parameters: parameter_record(all), passed: passed, failed: failed, rows: rows }
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
        let (domains, bar) = (domains().unwrap(), Progress::hidden());
        let verify =
            Jobs { devices: Vec::new(), domains, all: vec![job], bar, in_order: false }.run();
        let [passed, failed] = verify.counts();
        let text = verify.page("").to_string();
        // The document has the figures of the table.
        let row = serde_json::to_value(verify.rows[0].record()).unwrap();
        if let Some(worst) = row["worst_error"].as_f64() {
            let case = row["worst_case"].as_str().unwrap();
            let words = format!("{worst:.3} of the bound, of {case}");
            assert!(text.replace('\n', " ").contains(&words), "{words} in {text}");
        }
        assert_eq!(row["passed"], failed == 0, "{text}");
        (passed, failed, text)
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
        assert!(line.contains("open    single     blocked-f64   fast     16    16  "), "{line}");
        assert!(line.contains("\n\nWorst: open, single, blocked-f64, fast: 0."), "{line}");
    }

    #[test]
    fn one_wrong_case_fails() {
        let mut cases = sizes();
        // The result of another softening length for the same particles.
        let other = Gravity { eps2: 1.0 / 63.0 };
        cases[5] = two_sets(other, bodies(129, 1), bodies(2, 2));
        let (passed, failed, line) = row(cases);
        assert_eq!((passed, failed), (0, 1), "{line}");
        let failed = "\n\nFAILED: open, single, blocked-f64, fast: ";
        assert!(line.contains("129 x 2") && line.contains(failed), "{line}");
        assert!(!line.contains("Worst: ") && line.contains("  FAILED\n"), "{line}");
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
