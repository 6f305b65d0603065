//! Trees in every way: with all cells opened they give the results of the reference, otherwise
//! errors within known limits.

use nbody::check::{ErrorBounds, compare, reference, reference_self};
use nbody::cpu::SimdLevel;
use nbody::cuda::Walk;
use nbody::law::{Reader, Record};
use nbody::prelude::*;
use nbody::trees::TreeReport;
use nbody::{Accumulation, Engine, Expansion, Interaction, Math, Opening, Store};
use nbody_interactions::gravity::Gravity;
use nbody_mpi::{Ranks, threads};
use nbody_tests::charged::{currents::Currents, kinds::Kinds, planar::Planar, plasma::Plasma};
use nbody_tests::covering::Covering;
use nbody_tests::inputs::{Digits, Inputs, Random};
use nbody_tests::ways::{Failures, bits, domain, levels, numbers, records};

/// The laws; the last two have particles of two types.
const LAWS: [&str; 5] = ["gravity", "planar", "currents", "plasma", "kinds"];
const OF_ONE_TYPE: usize = 3;
/// Index of the law with charges of both signs.
const PLASMA: usize = 3;
/// Number of laws, the first ones, whose errors can be estimated from results.
const ESTIMATED: usize = 2;

/// Criterion for opening cells.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Opened {
    All,
    ByAngle,
    ByEstimate,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sets {
    Two,
    One,
    /// One set, whose first particles are evaluated.
    First,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Before {
    Nothing,
    Same,
    /// Fewer particles than now.
    Fewer,
}

const OPENED: [Opened; 3] = [Opened::All, Opened::ByAngle, Opened::ByEstimate];
const EXPANSIONS: [Expansion; 2] = [Expansion::Second, Expansion::Monopole];
const SETS: [Sets; 3] = [Sets::Two, Sets::One, Sets::First];
const ORDERS: [Option<SummationOrder>; 3] = [
    None,
    Some(SummationOrder { bag: 7, splits: 1 }),
    Some(SummationOrder { bag: 100, splits: 3 }),
];
const STORES: [Store; 2] = [Store::Replace, Store::Add];
const BEFORE: [Before; 3] = [Before::Nothing, Before::Same, Before::Fewer];
const INPUTS: [Inputs; 4] = [Inputs::Uniform, Inputs::Dense, Inputs::Slab, Inputs::Plane];
const UNITS: [f64; 3] = [1.0, 1024.0, 1.0 / 1024.0];
const WALKS: [Walk; 2] = [Walk::Groups, Walk::Particles];
/// Numbers of particles with all cells opened.
const FEW: [usize; 6] = [33, 130, 1, 31, 0, 65];
/// Numbers of particles with other criteria.
const MANY: [usize; 3] = [1100, 700, 1500];

/// Number of choices of each option of a row; walks and devices are not included.
const OPTIONS: [usize; 12] = [
    LAWS.len(),
    OPENED.len(),
    EXPANSIONS.len(),
    SETS.len(),
    Precision::ALL.len(),
    Math::ALL.len(),
    Accumulation::ALL.len(),
    ORDERS.len(),
    3,
    STORES.len(),
    BEFORE.len(),
    INPUTS.len(),
];

/// A way to evaluate trees.
#[derive(Clone, Debug)]
struct Way {
    opened: Opened,
    expansion: Expansion,
    sets: Sets,
    options: Options,
    store: Store,
    before: Before,
    inputs: Inputs,
    unit: f64,
    walk: Walk,
    n: usize,
    seed: u64,
    is_distributed: bool,
}

impl Way {
    /// Returns the way for a row of choices, with a walk for devices that have several.
    fn of(row: &[usize], walk: Walk, turn: usize) -> Self {
        let opened = OPENED[row[1]];
        let unit = UNITS[turn % UNITS.len()];
        let options = Options::default()
            .precision(Precision::ALL[row[4]])
            .math(Math::ALL[row[5]])
            .accumulation(Accumulation::ALL[row[6]])
            .order(ORDERS[row[7]])
            .domain(domain(row[8], unit));
        Self {
            opened,
            expansion: EXPANSIONS[row[2]],
            sets: SETS[row[3]],
            options,
            store: STORES[row[9]],
            before: BEFORE[row[10]],
            inputs: INPUTS[row[11]],
            unit,
            walk,
            n: match opened {
                Opened::All => FEW[turn % FEW.len()],
                _ => MANY[turn % MANY.len()],
            },
            seed: turn as u64,
            is_distributed: false,
        }
    }

    fn opening(&self) -> Opening {
        let opening = match self.opened {
            Opened::All => Opening::theta(1e-12),
            Opened::ByAngle => Opening::theta(0.5),
            Opened::ByEstimate => Opening::relative(0.003),
        };
        opening.expansion(self.expansion)
    }
}

/// Tests whether these choices may occur together.
fn allows(row: &[Option<usize>]) -> bool {
    let is_among = |option: usize, from: usize| row[option].is_some_and(|choice| choice >= from);
    let types_differ = is_among(0, OF_ONE_TYPE) && is_among(3, 1);
    let has_no_estimate = is_among(0, ESTIMATED) && row[1] == Some(2);
    !(types_differ || has_no_estimate)
}

/// Counts that show whether the cases test anything.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    cases: usize,
    /// Cases in which cells acted from afar, and their largest errors by order.
    far: usize,
    errors: [f64; 2],
    /// Cases whose bits were compared with the CPU.
    bits: usize,
}

/// Random numbers, with coordinates in a unit of length.
struct InUnit {
    random: Random,
    unit: f64,
}

impl Reader<f64> for InUnit {
    fn real(&mut self) -> f64 {
        self.random.real()
    }
    fn index(&mut self) -> u32 {
        self.random.index()
    }
    fn coordinate(&mut self) -> f64 {
        self.unit * self.random.coordinate()
    }
}

fn particles<P: Record<Lane = f64>>(n: usize, way: &Way, seed: u64) -> Vec<P> {
    let random = Random::new(way.inputs, Digits::Few, way.seed + seed);
    let mut random = InUnit { random, unit: way.unit };
    (0..n).map(|_| P::read(&mut random)).collect()
}

/// Evaluates a way, and compares it with the reference, and with the bits of the CPU, which trees of
/// distributed particles do not have.
fn check<X: Interaction>(device: &Device, way: &Way, x: X, seen: &mut Seen) -> Result<(), String> {
    let i: Vec<X::I> = particles(way.n, way, 1);
    let one_set = way.sets != Sets::Two;
    // One set has one type of particle.
    let j: Vec<X::J> =
        particles(if one_set { way.n } else { way.n / 2 + 9 }, way, if one_set { 1 } else { 2 });
    let n = if way.sets == Sets::First { way.n.div_ceil(3) } else { way.n };
    let (found, report) = evaluate(device, way, x.clone(), (&i, &j), n)?;

    let Options { domain, .. } = way.options;
    let mut expected = if one_set {
        reference_self::<X, f64>(&x, domain, &i, &j).unwrap()
    } else {
        reference::<X, f64>(&x, domain, &i, &j).unwrap()
    };
    expected.truncate(n);
    let times = if way.store == Store::Add { 2.0 } else { 1.0 };
    let expected = scaled(&expected, times);
    if way.opened == Opened::All {
        let bounds = if one_set {
            ErrorBounds::one_set(&x, domain, &i, &j).unwrap()
        } else {
            ErrorBounds::new(&x, domain, &i, &j).unwrap()
        };
        let mut bounds = bounds.bounds(&way.options);
        bounds.truncate(n);
        let bounds = scaled(&bounds, times);
        let report = compare::<X::F, f64>(&found, &expected, Some(&bounds)).unwrap();
        if !report.passes() {
            return Err(report.to_string());
        }
    } else {
        let order = usize::from(way.expansion == Expansion::Second);
        let worst = error(&found, &expected);
        // With charges of both signs, monopoles have errors of first order in the opening angle.
        let most = if X::LAW.name == LAWS[PLASMA] { [0.3, 0.03] } else { [0.05, 0.02] }[order];
        // NaN is not a small error.
        if worst.is_nan() || worst > most {
            return Err(format!("an error of {worst:e}"));
        }
        seen.errors[order] = seen.errors[order].max(worst);
        let pairs = (n * j.len()) as u64;
        seen.far += usize::from(report.evaluations < pairs * 9 / 10);
    }
    let is_on_gpu = device.properties().is_some();
    let has_bits_of_cpu = way.options.math == Math::Exact && way.walk == Walk::Groups;
    if has_bits_of_cpu
        && !way.is_distributed
        && !(is_on_gpu && (X::LAW.operations.special > 0 || way.opened == Opened::ByEstimate))
    {
        let cpu = Device::cpu_with(SimdLevel::Scalar).unwrap();
        let (of_cpu, _) = evaluate(&cpu, way, x, (&i, &j), n)?;
        if bits(&found) != bits(&of_cpu) {
            return Err("bits of the CPU differ".to_owned());
        }
        seen.bits += 1;
    }
    seen.cases += 1;
    Ok(())
}

/// Evaluates the first `n` i-particles, twice if results are added.
fn evaluate<X: Interaction>(
    device: &Device,
    way: &Way,
    x: X,
    (i, j): (&[X::I], &[X::J]),
    n: usize,
) -> Result<(Vec<X::F>, TreeReport), String> {
    let message = |error: nbody::Error| error.to_string();
    let mut tree = Tree::with_options(device, x, way.opening(), way.options).map_err(message)?;
    if !device.is_cpu() {
        tree.set_walk(way.walk).map_err(message)?;
    }
    let mut run = |[ni, nj, n]: [usize; 3]| -> Result<_, nbody::Error> {
        let (i, j) = (tree.upload(&i[..ni])?, tree.upload(&j[..nj])?);
        let mut out = tree.results(n)?;
        let sources = match way.sets {
            Sets::Two => Sources::Others(&j),
            Sets::One => Sources::Same(&j),
            Sets::First => Sources::First(&j),
        };
        tree.evaluate_with(&i, sources, &mut out, Store::Replace)?;
        if way.store == Store::Add {
            tree.evaluate_with(&i, sources, &mut out, Store::Add)?;
        }
        Ok((out.download::<f64>()?, tree.report()?))
    };
    let all = [i.len(), j.len(), n];
    match way.before {
        Before::Nothing if way.opened != Opened::ByEstimate => {}
        Before::Fewer => {
            run(all.map(|n| n / 2)).map_err(message)?;
            if way.opened == Opened::ByEstimate {
                run(all).map_err(message)?;
            }
        }
        // Estimates need earlier results.
        Before::Nothing | Before::Same => {
            run(all).map_err(message)?;
        }
    }
    run(all).map_err(message)
}

fn scaled<F: Record<Lane = f64>>(results: &[F], factor: f64) -> Vec<F> {
    records(numbers(results).into_iter().map(|x| factor * x).collect())
}

/// Returns the root mean square error of the worst field, in units of the root mean square of the
/// field.
fn error<F: Record<Lane = f64>>(found: &[F], expected: &[F]) -> f64 {
    let [found, expected] = [found, expected].map(numbers);
    let (mut first, mut worst) = (0, 0.0_f64);
    for field in F::FIELDS {
        let of_field = first..first + field.kind.components();
        first = of_field.end;
        let square = |rows: [&[f64]; 2]| -> f64 {
            let [a, b] = rows.map(|row| &row[of_field.clone()]);
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let nothing = vec![0.0; F::DIM];
        let (mut error2, mut value2) = (0.0, 0.0);
        for (found, expected) in found.chunks(F::DIM).zip(expected.chunks(F::DIM)) {
            error2 += square([found, expected]);
            value2 += square([expected, &nothing]);
        }
        let error = (error2 / value2).sqrt();
        worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
    }
    worst
}

/// Checks a way with the law of this index.
fn check_law(law: usize, device: &Device, way: &Way, seen: &mut Seen) -> Result<(), String> {
    let core2 = 0.0625 * way.unit * way.unit;
    match law {
        0 => check(device, way, Gravity { eps2: core2 }, seen),
        1 => check(device, way, Planar { core2 }, seen),
        2 => check(device, way, Currents { core2 }, seen),
        3 => check(device, way, Plasma, seen),
        _ => check(device, way, Kinds { eps2: [0.5, 1.0, 2.0, 4.0].map(|k| k * core2) }, seen),
    }
}

/// Checks each row of a covering array of this strength, on one of these devices or on all of
/// them.
fn check_all(strength: usize, devices: &[Device], on_all: bool, per_row: usize) {
    let beside = if on_all { WALKS.len() } else { devices.len() };
    let choices: Vec<_> = OPTIONS.into_iter().chain([beside]).collect();
    let covering = Covering { choices: &choices, strength, allows: &allows };
    let rows = covering.rows();
    let (mut seen, mut failures) = (Seen::default(), Failures::default());
    for (turn, row) in rows.iter().enumerate() {
        let last = row[OPTIONS.len()];
        let (walk, device) =
            if on_all { (WALKS[last], devices) } else { (Walk::Groups, &devices[last..=last]) };
        for (case, device) in (0..per_row).flat_map(|case| device.iter().map(move |it| (case, it)))
        {
            let way = Way::of(row, walk, turn * per_row + case);
            let name = || format!("{} {device} {way:?}", LAWS[row[0]]);
            failures.check(name, || check_law(row[0], device, &way, &mut seen));
        }
    }
    failures.conclude();
    assert_eq!(covering.faults(&rows), [""; 0]);
    let least = rows.len() * per_row * if on_all { devices.len() } else { 1 };
    println!("{seen:?} in {} rows", rows.len());
    assert_eq!(seen.cases, least, "{seen:?}");
    // The rows, and so the shares, depend on the vector instructions of the machine.
    assert!(5 * seen.far > least && 20 * seen.bits > least, "{seen:?}");
    assert!(seen.errors.iter().all(|&error| error > 1e-4), "{seen:?}");
}

/// Any three choices occur together; the vector instructions count as a choice.
#[test]
fn trees_on_the_cpu_agree_with_the_reference() {
    check_all(3, &levels(), false, 1);
}

/// Any two choices occur together; the walk counts as a choice.
#[test]
fn trees_of_cuda_programs_agree_with_the_reference() {
    let devices = nbody_tests::cuda_devices();
    check_all(2, &devices, true, 1);
}

/// Any two choices occur together, the number of ranks, the walk and the device among them. The
/// particles are distributed, unless only some results are wanted.
fn check_over_ranks(devices: &[Device], per_row: usize) {
    const RANKS: [usize; 4] = [2, 3, 4, 7];
    let beside = [RANKS.len(), WALKS.len(), devices.len()];
    let choices: Vec<_> = OPTIONS.into_iter().chain(beside).collect();
    let covering = Covering { choices: &choices, strength: 2, allows: &allows };
    let rows = covering.rows();
    assert_eq!(covering.faults(&rows), [""; 0]);
    let (mut seen, mut failures) = (Seen::default(), Failures::default());
    for (turn, row) in rows.iter().enumerate() {
        let [ranks, walk, device] = [0, 1, 2].map(|k| row[OPTIONS.len() + k]);
        let (ranks, device) = (RANKS[ranks], &devices[device]);
        for case in 0..per_row {
            let way = Way::of(row, WALKS[walk], turn * per_row + case);
            let way = Way { is_distributed: true, ..way };
            let run = |all| {
                let ranks = Ranks::new(all, device).unwrap().share_from(0);
                let device = ranks.distribute_trees().device();
                let mut seen = Seen::default();
                check_law(row[0], &device, &way, &mut seen).map(|()| seen)
            };
            let name = || format!("{} {ranks} ranks of {device} {way:?}", LAWS[row[0]]);
            failures.check(name, || {
                let found = threads(ranks, run).into_iter().collect::<Result<Vec<_>, _>>()?;
                seen.cases += found.len() / ranks;
                seen.far += found[0].far;
                Ok(())
            });
        }
    }
    failures.conclude();
    assert_eq!(seen.cases, per_row * rows.len(), "{seen:?}");
    assert!(5 * seen.far > seen.cases, "{seen:?}");
}

#[test]
fn trees_over_ranks_agree_with_the_reference() {
    check_over_ranks(&levels(), 2);
}

#[test]
fn trees_of_cuda_programs_over_ranks_agree_with_the_reference() {
    check_over_ranks(&nbody_tests::cuda_devices(), 1);
}
