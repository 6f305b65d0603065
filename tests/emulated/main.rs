//! The CUDA programs of every interaction, run in the emulator, and its CPU kernels at each level
//! of vector instructions: compared with the reference, and in exact mathematics bit by bit with
//! one another. Each interaction is tested in a covering array of the ways to compute, or in every
//! other way of one; together the interactions of the library cover all ways.
//!
//! A kernel has a program for few i-particles, and others with one to several for each thread. In the
//! default way the emulator runs them all; in each other way it runs one [scale](SCALES) of cases, such
//! that every choice meets every scale in some interaction. The CPU runs all cases in every way.
//!
//! The last line gives the numbers of programs and kernels, and of their runs.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use libtest_mimic::{Arguments, Failed, Trial};
use nbody::check::untyped::Case;
use nbody::cpu::SimdLevel;
use nbody::law::Law;
use nbody::untyped::{Engine, Rows as _};
use nbody::{
    Accumulation, Device, Domain, Interaction, Math, Options, Pairs, Precision, SummationOrder,
};
use nbody_interactions::Visitor;
use nbody_verify::{all_ways, domains, paired_ways};

/// Numbers of particles around the boundaries of vectors, blocks, bags and thread block tiles; the
/// largest tile has 1536 i-particles.
const SIZES: [usize; 8] = [0, 1, 2, 127, 128, 129, 700, 1537];

/// The greatest numbers of i-particles of scales. Engines choose the same program for a scale, or two.
const SCALES: [usize; 4] = [2, 129, 700, 1537];

/// Number of interactions of which one has a single set of the largest size; the reference takes
/// long for it. The others have it beside [`SEVERAL`] j-particles.
const LARGEST_TURNS: usize = 4;
/// Number of j-particles beside the largest number of i-particles.
const SEVERAL: usize = 129;

/// Summation orders for the comparison of bits: with incomplete bags, and splits of different
/// lengths.
const ORDERS: [SummationOrder; 3] = [
    SummationOrder { bag: 256, splits: 1 },
    SummationOrder { bag: 100, splits: 3 },
    SummationOrder { bag: 7, splits: 20 },
];

static PROGRAMS: AtomicUsize = AtomicUsize::new(0);
static RUNS: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let arguments = Arguments::from_args();
    let domains = domains().expect("a box with room");
    let mut trials = Trials { domains, ..Trials::default() };
    nbody_interactions::visit_all(&mut trials);
    trials.others = true;
    nbody_tests::visit_others(&mut trials);
    let Trials { mut trials, all, taken, met, .. } = trials;
    if !nbody_tests::is_quick() {
        trials.push(Trial::test("every_choice_meets_every_scale", move || all_meet(&met)));
        trials.push(Trial::test("every_way_is_taken", move || {
            let missing: Vec<_> = all.difference(&taken).collect();
            if missing.is_empty() { Ok(()) } else { Err(format!("{missing:?}").into()) }
        }));
    }
    let conclusion = libtest_mimic::run(&arguments, trials);
    let (programs, runs) = (PROGRAMS.load(Ordering::Relaxed), RUNS.load(Ordering::Relaxed));
    println!("emulated: {programs} programs and kernels, {runs} runs");
    conclusion.exit();
}

#[derive(Default)]
struct Trials {
    domains: [Domain; 3],
    /// Whether the visited interactions are the tests' own, not the library's.
    others: bool,
    /// Number of visited interactions.
    turn: usize,
    /// All ways to compute.
    all: BTreeSet<String>,
    /// Ways that were tested.
    taken: BTreeSet<String>,
    /// The choice of each option in ways other than the default, with the scale that the emulator runs there.
    met: BTreeSet<(String, usize)>,
    trials: Vec<Trial>,
}

impl Visitor for Trials {
    fn visit<X: Interaction>(&mut self, interaction: X) {
        // The reference takes longer than a program, so all ways in one space share it, except in
        // mixed precision, where the particles differ.
        let expected = [(); 6].map(|()| Cases::default());
        let ways = paired_ways(X::LAW, self.domains, self.turn);
        let ways = nbody_tests::in_turn(X::LAW, !self.others, ways, self.turn);
        let ways = nbody_tests::tested(X::LAW, !self.others, ways, self.turn);
        let orders = orders(X::LAW, &ways, self.turn);
        let is_largest = self.turn.is_multiple_of(LARGEST_TURNS);
        let mut parameters = vec![0; X::DIM];
        (&&[interaction][..]).write(0..1, &mut parameters);
        self.all.extend(all_ways(X::LAW, self.domains).iter().map(name));
        self.taken.extend(ways.iter().map(name));
        for (way, options) in ways.into_iter().enumerate() {
            let Options { precision, domain, .. } = options;
            let mixed = precision == Precision::Mixed;
            let space = self.domains.iter().position(|it| *it == domain).expect("a space of all");
            let cases = expected[self.domains.len() * usize::from(mixed) + space].clone();
            let orders: Vec<_> = orders.iter().filter(|it| it.0 == way).map(|it| it.1).collect();
            let title = format!("{}/{}", X::LAW.name, name(&options));
            let parameters = parameters.clone();
            let scale = (way > 0).then_some((way + self.turn) % SCALES.len());
            if let Some(scale) = scale {
                let name = name(&options);
                let named = orders.iter().map(|order| format!("{:?}", ORDERS[*order]));
                let choices = name.split('/').map(str::to_owned).chain(named);
                self.met.extend(choices.map(|choice| (choice, scale)));
            }
            self.trials.push(Trial::test(title, move || {
                let emulator = nbody_tests::emulator();
                let all = || {
                    let cases = all_cases(X::LAW, &parameters, domain, precision, is_largest);
                    cases.expect("a domain for this interaction")
                };
                let (law, parameters, cases) = (X::LAW, &parameters[..], cases.get_or_init(all));
                let check = Check { emulator, law, parameters, options, cases, scale };
                check.all_devices()?;
                orders.iter().try_for_each(|&order| check.same_bits(order))
            }));
        }
        self.turn += 1;
    }
}

/// Tests whether each choice of a way was run with each scale.
fn all_meet(met: &BTreeSet<(String, usize)>) -> Result<(), Failed> {
    let choices: BTreeSet<_> = met.iter().map(|(choice, _)| choice).collect();
    let pairs = choices.iter().flat_map(|choice| (0..SCALES.len()).map(move |it| (*choice, it)));
    let missing: Vec<_> =
        pairs.filter(|(choice, it)| !met.contains(&((*choice).clone(), *it))).collect();
    if missing.is_empty() && choices.len() > SCALES.len() {
        return Ok(());
    }
    Err(format!("of {} choices do not meet a scale: {missing:?}", choices.len()).into())
}

/// Generates the cases of an interaction, each with its number of i-particles; `is_largest` for a single
/// set of the largest size.
fn all_cases(
    law: &'static Law,
    parameters: &[u64],
    domain: Domain,
    precision: Precision,
    is_largest: bool,
) -> Result<Vec<(usize, Case)>, nbody::Error> {
    let [smaller @ .., largest] = &SIZES;
    let sizes = if is_largest { &SIZES[..] } else { smaller };
    let cases = nbody_verify::cases(law, parameters, domain, precision, sizes)?;
    let mut cases: Vec<_> = sizes.iter().cycle().copied().zip(cases).collect();
    if !is_largest {
        let pair = [*largest, SEVERAL];
        let case = nbody_verify::two_sets(law, parameters, domain, precision, pair)?;
        cases.push((*largest, case));
    }
    Ok(cases)
}

fn name(options: &Options) -> String {
    format!("{options}/{}", options.pairs)
}

/// Assigns each of [`ORDERS`] to a way in which bits are compared, where IEEE arithmetic defines
/// them; `turn` varies the ways from one interaction to the next.
fn orders(law: &Law, ways: &[Options], turn: usize) -> Vec<(usize, usize)> {
    let exact = |way: &usize| ways[*way].math == Math::Exact && law.operations.special == 0;
    let exact: Vec<_> = (0..ways.len()).filter(exact).collect();
    let of = |order| exact.get((turn + order) % exact.len().max(1)).map(|&way| (way, order));
    (0..ORDERS.len()).filter_map(of).collect()
}

/// Cases that the first trial computes and the last one drops.
type Cases = Arc<OnceLock<Vec<(usize, Case)>>>;

/// A way to compute an interaction.
struct Check<'a> {
    emulator: Device,
    law: &'static Law,
    parameters: &'a [u64],
    options: Options,
    /// Each with its number of i-particles.
    cases: &'a [(usize, Case)],
    /// The one of [`SCALES`] that the emulator runs, or `None` for all.
    scale: Option<usize>,
}

impl Check<'_> {
    fn engine(&self, device: &Device, options: Options) -> Result<Box<dyn Engine>, nbody::Error> {
        device.untyped().all_pairs(self.law, self.parameters, options)
    }

    /// Returns the cases for the emulator: of the scale, and empty sets.
    fn emulated(&self) -> impl Iterator<Item = &Case> {
        let is_taken = |n: usize| match self.scale {
            Some(scale) => n == 0 || SCALES.iter().position(|most| n <= *most) == Some(scale),
            None => true,
        };
        self.cases.iter().filter(move |(n, _)| is_taken(*n)).map(|(_, case)| case)
    }

    /// Compares the emulator and the CPU with the reference.
    fn all_devices(&self) -> Result<(), Failed> {
        let levels = levels()?;
        // In exact mathematics all levels run the same code, the scalar one.
        let exact = self.options.math == Math::Exact;
        let checked = if exact { &levels[levels.len() - 1..] } else { &levels };
        // Compensated sums always use ordered pairs.
        let compensated = self.options.accumulation == Accumulation::Compensated;
        let symmetric = self.law.third_law.filter(|_| compensated);
        let symmetric = symmetric.map(|_| self.options.pairs(Pairs::Symmetric));
        for device in [&self.emulator].into_iter().chain(checked) {
            for options in [self.options].into_iter().chain(symmetric) {
                let mut direct = self.engine(device, options)?;
                PROGRAMS.fetch_add(1, Ordering::Relaxed);
                let cases: Vec<_> = if device.is_cpu() {
                    self.cases.iter().map(|(_, case)| case).collect()
                } else {
                    self.emulated().collect()
                };
                for case in cases {
                    RUNS.fetch_add(1, Ordering::Relaxed);
                    let report = case.check(device, &mut *direct)?;
                    if !report.passes() {
                        let (name, pairs) = (case.name(), options.pairs);
                        return Err(format!("{device}: {name}, {pairs} pairs:\n{report}").into());
                    }
                }
            }
        }
        Ok(())
    }

    /// Compares the bits of the emulator with the CPU at some levels of vector instructions, and
    /// at every level over all orders.
    fn same_bits(&self, order: usize) -> Result<(), Failed> {
        let options = self.options.order(ORDERS[order]);
        let mut emulated = self.engine(&self.emulator, options)?;
        let levels = levels()?;
        let several = levels.len().max(ORDERS.len());
        for k in (order..several).step_by(ORDERS.len()) {
            let level = &levels[k % levels.len()];
            let mut other = self.engine(level, options)?;
            for case in self.emulated() {
                RUNS.fetch_add(1, Ordering::Relaxed);
                let emulated = (&self.emulator, &mut *emulated);
                if !case.same_bits(emulated, (level, &mut *other))? {
                    let (name, order) = (case.name(), options.order);
                    return Err(format!("emulator, {level}: {name}, {order:?}: bits differ").into());
                }
            }
        }
        Ok(())
    }
}

/// Lists the CPU at each level of its vector instructions.
fn levels() -> Result<Vec<Device>, nbody::Error> {
    SimdLevel::available().map(Device::cpu_with).collect()
}
