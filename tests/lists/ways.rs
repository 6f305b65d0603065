//! Neighbour lists in every way.

use nbody::check::{ErrorBounds, compare, reference};
use nbody::law::Record;
use nbody::prelude::*;
use nbody::{Accumulation, Csr, Math, Skin, Store};
use nbody_mpi::{Ranks, threads};
use nbody_tests::contacts::UNIT;
use nbody_tests::covering::Covering;
use nbody_tests::inputs::{Digits, Inputs, particles};
use nbody_tests::listed::laws::{Flat, Pressed, Ranked, Strain, Tabled};
use nbody_tests::listed::{Listed, Particle};
use nbody_tests::ways::{DOMAINS, Failures, are_indices, domain, integers, levels};

/// Kind of lists.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lists {
    /// Pairs that the lists find.
    Found,
    /// Given rows, with some pairs twice.
    Rows,
    /// Given pairs that act both ways.
    Pairs,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sets {
    One,
    Two,
    /// One set, whose first particles are evaluated.
    First,
}

/// Whether lists or interactions exclude pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Excluded {
    Nothing,
    ByLists,
    ByInteraction,
    ByBoth,
}

/// Evaluations before the one that is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Before {
    Nothing,
    /// Particles at or near their present places.
    Near,
    /// Particles elsewhere.
    Elsewhere,
    /// More particles than now.
    More,
}

/// Records of the particles.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Records {
    OfLaw,
    Marked,
    /// The law's own records before, marked records now.
    Changed,
}

const LAWS: [&str; 5] = ["tabled", "ranked", "pressed", "flat", "strain"];
/// Index of the law without a cutoff.
const STRAIN: usize = 4;
const SETS: [Sets; 3] = [Sets::One, Sets::Two, Sets::First];
const LISTS: [Lists; 3] = [Lists::Found, Lists::Rows, Lists::Pairs];
const EXCLUDED: [Excluded; 4] =
    [Excluded::Nothing, Excluded::ByLists, Excluded::ByInteraction, Excluded::ByBoth];
const ORDERS: [Option<SummationOrder>; 3] =
    [None, Some(SummationOrder { bag: 7, splits: 3 }), Some(SummationOrder { bag: 48, splits: 1 })];
const STORES: [Store; 2] = [Store::Replace, Store::Add];
const BEFORE: [Before; 4] = [Before::Nothing, Before::Near, Before::Elsewhere, Before::More];
const RECORDS: [Records; 3] = [Records::OfLaw, Records::Marked, Records::Changed];
const INPUTS: [Inputs; 4] = [Inputs::Uniform, Inputs::Lattice, Inputs::Dense, Inputs::Plane];
const UNITS: [f64; 3] = [1.0, 1_048_576.0, 1.0 / 1_048_576.0];
const SKINS: [f64; 2] = [64.0 * UNIT, 0.0];
/// Numbers of particles around the sizes of groups, used in turn.
const SIZES: [usize; 9] = [33, 100, 1, 64, 0, 600, 31, 130, 2];
/// Numbers of particles that an emulator evaluates quickly.
const FEW: [usize; 8] = [33, 100, 1, 64, 0, 130, 31, 2];

/// Number of choices of each option of a row; devices are not included.
const OPTIONS: [usize; 15] = [
    LAWS.len(),
    LISTS.len(),
    EXCLUDED.len(),
    SETS.len(),
    Precision::ALL.len(),
    Math::ALL.len(),
    Accumulation::ALL.len(),
    ORDERS.len(),
    DOMAINS,
    STORES.len(),
    BEFORE.len(),
    RECORDS.len(),
    INPUTS.len(),
    UNITS.len(),
    SKINS.len(),
];

/// A way to evaluate lists.
#[derive(Clone, Debug)]
struct Way {
    lists: Lists,
    excluded: Excluded,
    sets: Sets,
    one_set: bool,
    options: Options,
    store: Store,
    before: Before,
    records: Records,
    inputs: Inputs,
    unit: f64,
    skin: Skin,
    n: usize,
    seed: u64,
}

impl Way {
    /// Returns the way for a row of choices.
    fn of(row: &[usize], n: usize, seed: u64) -> Self {
        let unit = UNITS[row[13]];
        let options = Options::default()
            .precision(Precision::ALL[row[4]])
            .math(Math::ALL[row[5]])
            .accumulation(Accumulation::ALL[row[6]])
            .order(ORDERS[row[7]])
            .domain(domain(row[8], unit));
        Self {
            lists: LISTS[row[1]],
            excluded: EXCLUDED[row[2]],
            sets: SETS[row[3]],
            one_set: SETS[row[3]] != Sets::Two,
            options,
            store: STORES[row[9]],
            before: BEFORE[row[10]],
            records: RECORDS[row[11]],
            inputs: INPUTS[row[12]],
            unit,
            skin: Skin::Length(unit * SKINS[row[14]]),
            n,
            seed,
        }
    }

    /// Returns the number of results of `n` i-particles.
    fn wanted(&self, n: usize) -> usize {
        if self.sets == Sets::First { n / 3 } else { n }
    }
}

/// Tests whether these choices may occur together.
fn allows(row: &[Option<usize>]) -> bool {
    let is = |option: usize, choice: usize| row[option] == Some(choice);
    let found = is(1, 0);
    // Without a cutoff, lists cannot be found.
    let without_cutoff = is(0, STRAIN) && found;
    let pairs_of_two_sets = is(1, 2) && is(3, 1);
    let more_than_given = is(10, 3) && (is(1, 1) || is(1, 2));
    !(without_cutoff || pairs_of_two_sets || more_than_given)
}

/// Number of i-particles whose pairs are counted: the reference takes long for a single pair.
const COUNTED: usize = 16;

/// Counts that show whether the cases test anything.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    cases: usize,
    /// Pairs of the first i-particles within the cutoff.
    hits: usize,
    /// Excluded pairs among them.
    excluded: usize,
    /// Integers that ties affect: several pairs have the smallest value.
    ties: usize,
}

/// Pseudo-random choices of pairs.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    /// Returns random pairs; about one pair in `every` is chosen.
    fn pairs(&mut self, [ni, nj]: [usize; 2], every: usize) -> Vec<[u32; 2]> {
        let mut pairs = Vec::new();
        for k in 0..ni {
            for l in 0..nj {
                if self.below(every) == 0 {
                    pairs.push([k as u32, l as u32]);
                }
            }
        }
        pairs
    }
}

/// Particles of a case, and their interaction.
struct Particles<X: Listed> {
    x: X,
    i: Vec<X::I>,
    j: Vec<X::J>,
}

impl<X: Listed> Particles<X> {
    /// Returns random particles: `more` beyond the number of the way.
    fn new(way: &Way, more: usize) -> Self {
        let (x, n) = (X::in_unit(way.unit), way.n + more);
        let nj = if way.one_set { n } else { 2 * n / 3 + 5 };
        let mut j: Vec<X::J> = particles(nj, way.inputs, Digits::Few, way.seed + 1);
        for j in &mut j {
            j.scale(way.unit);
        }
        let i = if way.one_set {
            j.iter().map(X::target).collect()
        } else {
            let mut i: Vec<X::I> = particles(n, way.inputs, Digits::Few, way.seed + 77);
            for i in &mut i {
                i.scale(way.unit);
            }
            i
        };
        Self { x, i, j }
    }

    /// Returns the particles displaced by fewer than `units` units along each coordinate, and in
    /// some ways with shorter cutoffs.
    fn displaced(&self, way: &Way, units: usize) -> Self {
        let mut chance = Chance(way.seed);
        let shorter = if way.seed.is_multiple_of(2) { 1.0 } else { 0.75 };
        let (mut i, mut j) = (self.i.clone(), self.j.clone());
        for j in &mut j {
            for x in j.coordinates() {
                *x += (chance.below(2 * units - 1) as f64 - units as f64 + 1.0) * UNIT * way.unit;
            }
            for x in j.reaches() {
                *x *= shorter;
            }
        }
        if way.one_set {
            i = j.iter().map(X::target).collect();
        } else {
            for x in i.iter_mut().flat_map(Particle::reaches) {
                *x *= shorter;
            }
        }
        Self { x: self.x.clone(), i, j }
    }

    /// Returns an i-particle, and the j-particles of its row.
    fn of_row(&self, k: usize, row: &[usize]) -> (&[X::I], Vec<X::J>) {
        (&self.i[k..=k], row.iter().map(|&l| self.j[l].clone()).collect())
    }
}

/// Pairs that act, with the j-particles of each i-particle in ascending order, and the pairs that
/// would act without exclusions.
struct Pairs {
    rows: Option<Csr>,
    excluded: [Vec<[u32; 2]>; 2],
    acting: Vec<Vec<usize>>,
    all: Vec<Vec<usize>>,
}

impl Pairs {
    fn new(way: &Way, [ni, nj]: [usize; 2], self_pairs: bool) -> Self {
        let mut chance = Chance(way.seed + 5);
        let rows = match way.lists {
            Lists::Found => None,
            Lists::Rows => {
                let mut rows = Csr { offsets: vec![0], indices: Vec::new() };
                for _ in 0..ni {
                    let indices = (0..chance.below(40)).map(|_| chance.below(nj) as u32);
                    rows.indices.extend(indices.collect::<Vec<_>>());
                    rows.offsets.push(rows.indices.len() as u64);
                }
                Some(rows)
            }
            Lists::Pairs => Some(Csr::from_pairs(ni, &chance.pairs([ni, nj], 5)).unwrap()),
        };
        let excluded = match way.excluded {
            Excluded::Nothing => [false, false],
            Excluded::ByLists => [true, false],
            Excluded::ByInteraction => [false, true],
            Excluded::ByBoth => [true, true],
        };
        let excluded = excluded.map(|is| if is { chance.pairs([ni, nj], 4) } else { Vec::new() });
        let mut is_excluded = vec![vec![false; nj]; ni];
        for &[k, l] in excluded.iter().flatten() {
            is_excluded[k as usize][l as usize] = true;
            if way.one_set {
                is_excluded[l as usize][k as usize] = true;
            }
        }
        let all = (0..ni).map(|k| {
            let mut row: Vec<usize> = match &rows {
                None => (0..nj).collect(),
                Some(rows) => rows.row(k).iter().map(|&l| l as usize).collect(),
            };
            row.retain(|&l| self_pairs || !way.one_set || k != l);
            row.sort_unstable();
            row
        });
        let all: Vec<_> = all.collect();
        let mut acting = all.clone();
        for (k, row) in acting.iter_mut().enumerate() {
            row.retain(|&l| !is_excluded[k][l]);
        }
        Self { rows, excluded, acting, all }
    }
}

/// Returns the reference results over the j-particles of each i-particle, and their integers.
fn expected<X: Listed>(
    particles: &Particles<X>,
    domain: Domain,
    rows: &[Vec<usize>],
) -> (Vec<X::F>, Vec<u32>) {
    let (mut results, mut all) = (Vec::new(), Vec::new());
    for (k, row) in rows.iter().enumerate() {
        let (i, j) = particles.of_row(k, row);
        let result = reference::<X, f64>(&particles.x, domain, i, &j).unwrap();
        let found = integers(&result).into_iter().zip(are_indices::<X::F>());
        // Convert an index in the row to the index of the j-particle.
        all.extend(found.map(|(found, is_index)| match row.get(found as usize) {
            Some(&l) if is_index => l as u32,
            _ => found,
        }));
        results.extend(result);
    }
    (results, all)
}

/// Returns the error bounds of these results.
fn bounds<X: Listed>(
    particles: &Particles<X>,
    options: &Options,
    rows: &[Vec<usize>],
) -> Vec<X::F> {
    let of_row = |(k, row): (usize, &Vec<usize>)| {
        let (i, j) = particles.of_row(k, row);
        ErrorBounds::new(&particles.x, options.domain, i, &j).unwrap().bounds(options)
    };
    rows.iter().enumerate().flat_map(of_row).collect()
}

/// Returns the number of integers that would differ if the last of equal values counted.
fn ties<X: Listed>(particles: &Particles<X>, domain: Domain, rows: &[Vec<usize>]) -> usize {
    let reversed: Vec<Vec<usize>> =
        rows.iter().map(|row| row.iter().rev().copied().collect()).collect();
    let [first, last] = [rows, &reversed].map(|rows| expected(particles, domain, rows).1);
    first.iter().zip(&last).filter(|(first, last)| first != last).count()
}

/// Evaluates a way, and compares it with the reference.
fn check<X: Listed>(device: &Device, way: &Way, seen: &mut Seen) -> Result<(), String> {
    let now = Particles::<X>::new(way, 0);
    let [ni, nj] = [now.i.len(), now.j.len()];
    let pairs = Pairs::new(way, [ni, nj], X::LAW.self_pairs);
    let (domain, precision) = (way.options.domain, way.options.precision);
    let mut near = match &pairs.rows {
        None => Neighbours::with_options(
            device,
            way.skin,
            Options::default().precision(precision).domain(domain),
        ),
        Some(rows) => Neighbours::with_options(
            device,
            rows.clone(),
            Options::default().precision(precision).domain(domain),
        ),
    }
    .unwrap();
    let options = way.options.domain(Domain::Open);
    let mut engine = ShortRange::with_options(device, now.x.clone(), options).unwrap();
    near.exclude(&pairs.excluded[0]);
    engine.exclude(&pairs.excluded[1]);
    let before = match way.before {
        Before::Nothing => None,
        // Without a skin, lists stay valid only if nothing moves.
        Before::Near => Some(now.displaced(way, if way.skin == Skin::Length(0.0) { 1 } else { 9 })),
        Before::Elsewhere => Some(now.displaced(way, 700)),
        Before::More => Some(Particles::new(way, 40)),
    };
    if let Some(before) = before {
        evaluate(&mut near, &mut engine, &before, way, way.records == Records::Marked);
    }
    let found = evaluate(&mut near, &mut engine, &now, way, way.records != Records::OfLaw);

    let [acting, all] = [&pairs.acting, &pairs.all].map(|rows| &rows[..way.wanted(ni)]);
    let rows: Vec<Vec<usize>> = if way.store == Store::Add {
        acting.iter().map(|row| row.iter().flat_map(|&l| [l, l]).collect()).collect()
    } else {
        acting.to_vec()
    };
    let (results, expected_integers) = expected(&now, domain, &rows);
    let bounds = bounds(&now, &way.options, &rows);
    let report = compare::<X::F, f64>(&found, &results, Some(&bounds)).unwrap();
    if !report.passes() {
        return Err(report.to_string());
    }
    let found = integers(&found);
    if found != expected_integers {
        let differ = found.iter().zip(&expected_integers).position(|(a, b)| a != b);
        let of_each = are_indices::<X::F>().len();
        let both = format!("found {found:?}, expected {expected_integers:?}");
        return Err(format!("integer {differ:?}, {of_each} a result: {both}"));
    }

    seen.cases += 1;
    let within = |rows: &[Vec<usize>]| -> usize {
        let row = |(k, row): (usize, &Vec<usize>)| {
            row.iter().filter(|&&l| acts(&now, domain, k, l)).count()
        };
        rows.iter().enumerate().take(COUNTED).map(row).sum()
    };
    let hits = within(acting);
    seen.hits += hits;
    seen.excluded += within(all) - hits;
    seen.ties += ties(&now, domain, acting);
    Ok(())
}

/// Tests whether a pair is within the cutoff, that is, whether it changes a result.
fn acts<X: Listed>(particles: &Particles<X>, domain: Domain, k: usize, l: usize) -> bool {
    let Particles { x, i, j } = particles;
    let one = reference::<X, f64>(x, domain, &i[k..=k], &j[l..=l]).unwrap();
    integers(&one) != integers(&[X::F::default()])
}

/// Updates the lists, evaluates (twice if results are added), and downloads.
fn evaluate<X: Listed>(
    near: &mut Neighbours,
    engine: &mut ShortRange<X>,
    particles: &Particles<X>,
    way: &Way,
    marked: bool,
) -> Vec<X::F> {
    let Particles { i, j, .. } = particles;
    if marked {
        let i: Vec<_> = i.iter().enumerate().map(|(k, i)| i.marked(k)).collect();
        let j: Vec<_> = j.iter().enumerate().map(|(k, j)| j.marked(k)).collect();
        evaluate_records(near, engine, &i, &j, way)
    } else {
        evaluate_records(near, engine, i, j, way)
    }
}

fn evaluate_records<X, P, Q>(
    near: &mut Neighbours,
    engine: &mut ShortRange<X>,
    i: &[P],
    j: &[Q],
    way: &Way,
) -> Vec<X::F>
where
    X: Listed,
    P: Record<Lane = f64, Host = P>,
    Q: Record<Lane = f64, Host = Q>,
{
    let (i, j) = (near.upload(i).unwrap(), near.upload(j).unwrap());
    let sources = match way.sets {
        Sets::One => Sources::Same(&j),
        Sets::Two => Sources::Others(&j),
        Sets::First => Sources::First(&j),
    };
    near.update_with(&i, sources, &[&*engine]).unwrap();
    let mut out = engine.results(way.wanted(i.len())).unwrap();
    engine.evaluate_over_with(near, &i, sources, &mut out, Store::Replace).unwrap();
    if way.store == Store::Add {
        engine.evaluate_over_with(near, &i, sources, &mut out, Store::Add).unwrap();
    }
    out.download::<f64>().unwrap()
}

/// Checks a way with a law.
type Check = fn(&Device, &Way, &mut Seen) -> Result<(), String>;

/// The check with each law.
const CHECKS: [Check; LAWS.len()] =
    [check::<Tabled>, check::<Ranked>, check::<Pressed>, check::<Flat>, check::<Strain>];

/// Checks each row of a covering array of this strength, on one of these devices or on all of
/// them, with some numbers of particles.
fn check_all(strength: usize, devices: &[Device], on_all: bool, sizes: &[usize], per_row: usize) {
    let with_devices: Vec<_> = OPTIONS.into_iter().chain([devices.len()]).collect();
    let choices = if on_all { &OPTIONS[..] } else { &with_devices };
    let covering = Covering { choices, strength, allows: &allows };
    let rows = covering.rows();
    let (mut seen, mut failures) = (Seen::default(), Failures::default());
    for (turn, row) in rows.iter().enumerate() {
        let device = row.get(OPTIONS.len()).map_or(devices, |&k| &devices[k..=k]);
        for (case, device) in (0..per_row).flat_map(|case| device.iter().map(move |it| (case, it)))
        {
            let seed = turn * per_row + case;
            let way = Way::of(row, sizes[seed % sizes.len()], seed as u64);
            let of_law = CHECKS[row[0]];
            let name = || format!("{} {device} {way:?}", LAWS[row[0]]);
            failures.check(name, || of_law(device, &way, &mut seen));
        }
    }
    failures.conclude();
    assert_eq!(covering.faults(&rows), [""; 0]);
    let least = rows.len() * per_row * if on_all { devices.len() } else { 1 };
    assert_eq!(seen.cases, least, "{seen:?}");
    println!("{seen:?} in {} rows", rows.len());
    assert!(seen.hits > 50 * least && seen.excluded > 20 * least && seen.ties > least, "{seen:?}");
}

/// Any three choices occur together; the vector instructions count as a choice.
#[test]
fn lists_on_the_cpu_agree_with_the_reference() {
    check_all(if nbody_tests::is_quick() { 2 } else { 3 }, &levels(), false, &SIZES, 4);
}

#[test]
fn lists_of_cuda_programs_agree_with_the_reference() {
    let devices = nbody_tests::cuda_devices();
    check_all(2, &devices, true, &FEW, 2);
}

/// Any two choices occur together, the number of ranks and the vector instructions among them.
/// Where ranks distribute the particles, and where each of them has all.
#[test]
fn lists_over_ranks_agree_with_the_reference() {
    const RANKS: [usize; 4] = [2, 3, 4, 7];
    let levels = levels();
    let mut choices: Vec<_> = OPTIONS.into_iter().chain([RANKS.len(), levels.len()]).collect();
    choices[8] = DOMAINS - 1; // lists over ranks refuse triclinic boxes
    let covering = Covering { choices: &choices, strength: 2, allows: &allows };
    let rows = covering.rows();
    assert_eq!(covering.faults(&rows), [""; 0]);
    let (mut seen, mut failures) = (Seen::default(), Failures::default());
    for (turn, row) in rows.iter().enumerate() {
        let [ranks, device] = [RANKS[row[OPTIONS.len()]], row[OPTIONS.len() + 1]];
        for case in 0..2 {
            let seed = turn * 2 + case;
            let way = Way::of(row, SIZES[seed % SIZES.len()], seed as u64);
            let name = || format!("{} {ranks} ranks {way:?}", LAWS[row[0]]);
            let run = |all| {
                let device = Ranks::new(all, &levels[device]).unwrap().share_from(0).device();
                let mut seen = Seen::default();
                CHECKS[row[0]](&device, &way, &mut seen).map(|()| seen)
            };
            failures.check(name, || {
                let found = threads(ranks, run).into_iter().collect::<Result<Vec<_>, _>>()?;
                seen.cases += found.len() / ranks;
                seen.hits += found[0].hits;
                Ok(())
            });
        }
    }
    failures.conclude();
    assert_eq!(seen.cases, 2 * rows.len(), "{seen:?}");
    assert!(seen.hits > 50 * seen.cases, "{seen:?}");
}
