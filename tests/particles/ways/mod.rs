//! Programs per particle in every way, compared bit for bit with plain loops over records.

use nbody::law::Record;
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{
    Accumulation, Engine, Inputs, Interaction, Measure, Particles, PerParticle, Results, Selection,
    Update,
};
use nbody_tests::covering::Covering;
use nbody_tests::steps::programs::{
    Attract, Census, Glow, Guide, Item, Lamp, MarkedGuide, MarkedItem, MarkedPace, Merge, Mirror,
    Pace, Pulled, Shine, Spacing, Sums,
};
use nbody_tests::ways::{DOMAINS, check_rows, domain, message, real, same};

mod truths;

use truths::{
    COURSE, IMPULSE, MARKED_COURSE, MIRROR_RATE, PACED, RETALLY, STEP, Several, TALLY, counted,
    impulse_of, merged_item, mirrored, pace_of, paced, position, retallied, rounded, spaced,
    stepped, tallied,
};

/// The kind of program, and the particles that it runs for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Run {
    All,
    /// The selected particles, which come first.
    Selected,
    /// Copies of the selected particles.
    Copies,
    /// A measure of all particles.
    Measured,
}

/// The total that the program reads.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reads {
    Nothing,
    /// The total of a measure before it.
    Total,
    /// The total of a measure before it, whose record has other fields, too.
    Marked,
    /// The total of a measure before it, and second particles of other indices.
    Others,
    /// Several second particles, also of other indices, several results and several totals.
    Several,
}

const READS: [Reads; 5] =
    [Reads::Nothing, Reads::Total, Reads::Marked, Reads::Others, Reads::Several];
const RUNS: [Run; 4] = [Run::All, Run::Selected, Run::Copies, Run::Measured];
/// Accumulations with results in single and in double precision.
const ACCUMULATIONS: [Accumulation; 2] = [Accumulation::Direct, Accumulation::BlockedF64];
/// Numbers of particles around the sizes of blocks.
const SIZES: [usize; 8] = [257, 31, 1, 1000, 0, 256, 2, 600];

/// Number of choices of each option of a row: the program, the precisions of particles, second
/// particles and results, the space, wrapping of positions, records with other fields for particles
/// and second particles, and the total that is read.
const OPTIONS: [usize; 9] = [
    RUNS.len(),
    Precision::ALL.len(),
    Precision::ALL.len(),
    ACCUMULATIONS.len(),
    DOMAINS,
    2,
    2,
    2,
    READS.len(),
];

#[derive(Clone, Debug)]
struct Way {
    run: Run,
    precision: Precision,
    of_guides: Precision,
    accumulation: Accumulation,
    domain: Domain,
    wraps: bool,
    marked: [bool; 2],
    reads: Reads,
    n: usize,
}

impl Way {
    fn of(row: &[usize], turn: usize) -> Self {
        Self {
            run: RUNS[row[0]],
            precision: Precision::ALL[row[1]],
            of_guides: Precision::ALL[row[2]],
            accumulation: ACCUMULATIONS[row[3]],
            domain: domain(row[4], 0.375),
            wraps: row[5] == 1,
            marked: [row[6] == 1, row[7] == 1],
            reads: READS[row[8]],
            n: SIZES[turn % SIZES.len()],
        }
    }
}

/// Leaves out measures with wrapping, since a measure stores no positions, and wrapping in open
/// space, which is refused.
fn allows(row: &[Option<usize>]) -> bool {
    let wraps = row[5] == Some(1);
    !(wraps && (row[0] == Some(3) || row[4] == Some(0)))
}

/// Returns items whose numbers have all digits; two of three items take part.
fn items(n: usize) -> Vec<Item> {
    let mut items = uniform::<Item>(n, 1);
    for (k, item) in items.iter_mut().enumerate() {
        for x in item.pos.0.iter_mut().chain(&mut item.vel.0).chain([&mut item.mass]) {
            *x = (*x - 0.25) / 3.0;
        }
        // Several items have the smallest value.
        item.table[2] = (16.0 * item.table[2]).floor();
        item.active = u32::from(k * k % 3 == 1);
    }
    items
}

fn guides(n: usize) -> Vec<Guide> {
    let mut guides = uniform::<Guide>(n, 2);
    for (k, guide) in guides.iter_mut().enumerate() {
        guide.flag = u32::from(k % 3 == 0);
        guide.weight = (guide.weight + 0.5) / 3.0;
    }
    guides
}

fn lamps(n: usize) -> Vec<Lamp> {
    let mut lamps = uniform::<Lamp>(n, 3);
    for (k, lamp) in lamps.iter_mut().enumerate() {
        lamp.hue = k as u32 % 5;
        lamp.light = (lamp.light - 0.25) / 3.0;
    }
    lamps
}

/// Returns the precision of lamps, which is not the precision of guides.
fn of_lamps(way: &Way) -> Precision {
    let of_guides = Precision::ALL.iter().position(|it| *it == way.of_guides).unwrap();
    Precision::ALL[(of_guides + 1) % Precision::ALL.len()]
}

/// Runs a program in a way, and compares its results. Returns the number of particles that
/// changed.
fn check(device: &Device, way: &Way) -> Result<usize, String> {
    let (items, guides) = (items(way.n), guides(way.n));
    if way.marked[0] {
        let marked: Vec<_> = items.iter().enumerate().map(|(k, item)| item.marked(k)).collect();
        let of = |marked: &MarkedItem| {
            let &MarkedItem { active, mass, strain, table, pos, vel, kind, .. } = marked;
            Item { pos, kind, vel, table, active, mass, strain }
        };
        check_items(device, way, (&items, &marked), &guides, &of, &|marked, item| {
            let Item { pos, kind, vel, table, active, mass, strain } = *item;
            let MarkedItem { mark, start, id, .. } = *marked;
            let (mark, start) = (real(mark, way.precision), position(start, way.precision));
            MarkedItem { mark, active, mass, start, strain, table, id, pos, vel, kind }
        })
    } else {
        check_items(device, way, (&items, &items), &guides, &|item| *item, &|_, item| *item)
    }
}

/// Checks particles that are given both as items and as records. `item_of` converts a record to an
/// item, and `record_of` writes an item into a record and keeps the record's other numbers.
fn check_items<P: Record<Lane = f64, Host = P>>(
    device: &Device,
    way: &Way,
    (items, records): (&[Item], &[P]),
    guides: &[Guide],
    item_of: &dyn Fn(&P) -> Item,
    record_of: &dyn Fn(&P, &Item) -> P,
) -> Result<usize, String> {
    let particles = device.upload(records, way.precision).map_err(message)?;
    // Every particle, or only the selected ones.
    let (mut selection, mut count) = (None, items.len());
    let mut order: Vec<usize> = (0..items.len()).collect();
    if matches!(way.run, Run::Selected | Run::Copies) {
        let mut new = Selection::new(device).map_err(message)?;
        count = new.select(&particles, "active").map_err(message)?;
        order.sort_by_key(|&k| items[k].active == 0);
        order.truncate(count);
        if count != items.iter().filter(|item| item.active != 0).count() {
            return Err(format!("{count} particles take part"));
        }
        selection = Some(new);
    }
    let selected: Vec<_> = order.iter().map(|&k| items[k]).collect();
    let (results, fields) = sums(device, Attract { eps2: 0.25 }, &selected, way.accumulation)?;
    let items: Vec<_> = items.iter().map(|it| rounded(*it, way.precision)).collect();
    let of_guides: Vec<_> = guides
        .iter()
        .map(|it| Guide {
            pos: position(it.pos, way.of_guides),
            weight: real(it.weight, way.of_guides),
            ..*it
        })
        .collect();
    let others = match way.accumulation {
        Accumulation::Direct => Accumulation::BlockedF64,
        _ => Accumulation::Direct,
    };
    let (glow, glows) = sums(device, Shine { scale: 0.7 }, &selected, way.accumulation)?;
    let (push, pushed) = sums(device, Attract { eps2: 1.5 }, &selected, others)?;
    let all = [results, push];
    let pair = (particles, count);
    let found = if way.marked[1] {
        let marked: Vec<MarkedGuide> =
            guides.iter().enumerate().map(|(k, guide)| guide.marked(k)).collect();
        run(device, way, pair, selection.as_ref(), &marked, (&all, &glow))
    } else {
        run(device, way, pair, selection.as_ref(), guides, (&all, &glow))
    };
    let (found, copies, total) = found.map_err(message)?;

    let is_changed = matches!(way.run, Run::All | Run::Selected);
    let mut after = items.clone();
    let pace = pace_of(&items);
    let lamps = lamps(way.n).into_iter().map(|lamp| Lamp {
        light: real(lamp.light, of_lamps(way)),
        at: position(lamp.at, of_lamps(way)),
        ..lamp
    });
    let lamps = lamps.collect();
    let several = Several { lamps, glows, pushed, pace, impulse: impulse_of(&items) };
    let mut expected_copies = Vec::new();
    for (place, (&k, field)) in order.iter().zip(&fields).enumerate() {
        let new = match way.reads {
            Reads::Several => merged_item(items[k], k, &of_guides, (&several, place), *field, way),
            Reads::Nothing => stepped(items[k], of_guides[k], *field, way),
            Reads::Others => mirrored(items[k], (of_guides[k], &of_guides), *field, &pace, way),
            _ => paced(items[k], of_guides[k], *field, &pace, way),
        };
        if is_changed {
            after[k] = new;
        }
        expected_copies.push(record_of(&records[k], &new));
    }
    let expected: Vec<_> = records.iter().zip(&after).map(|(a, b)| record_of(a, b)).collect();
    same("particles", &found, &expected)?;
    if way.run == Run::Copies {
        same("copies", &copies, &expected_copies)?;
    }
    if way.run == Run::Measured {
        let expected = match way.reads {
            Reads::Nothing => tallied(&items, &of_guides, &fields, way),
            Reads::Others => spaced((&items, &of_guides, &fields), &pace, way),
            Reads::Several => counted((&items, &of_guides, &fields), &several, way),
            _ => retallied((&items, &of_guides, &fields), &pace, way),
        };
        same("totals", &[total.expect("a measure has a total")], &[expected])?;
        return Ok(items.len());
    }
    let all = found.iter().chain(&copies).map(item_of);
    Ok(all.zip(items.iter().chain(&selected)).filter(|(new, old)| new != *old).count())
}

/// Results on the device and on the host.
type Summed<F> = (Results<F>, Vec<F>);

/// Returns the results of an interaction for these items.
fn sums<X: Interaction<I = Item, J = Item>>(
    device: &Device,
    law: X,
    items: &[Item],
    accumulation: Accumulation,
) -> Result<Summed<X::F>, String> {
    let options = Options::default().accumulation(accumulation);
    let run = || -> Result<_, nbody::Error> {
        let mut engine = AllPairs::with_options(device, law, options)?;
        let (i, j) = (engine.upload(items)?, engine.upload(&self::items(5))?);
        let mut out = engine.results(items.len())?;
        engine.evaluate_into(&i, &j, &mut out)?;
        let fields = out.download::<f64>()?;
        Ok((out, fields))
    };
    run().map_err(message)
}

type Found<P> = (Vec<P>, Vec<P>, Option<Sums>);

/// Runs the program, and returns the particles afterwards, the copies and the total.
fn run<P, Q>(
    device: &Device,
    way: &Way,
    (particles, count): (Particles<P>, usize),
    selection: Option<&Selection>,
    guides: &[Q],
    ([results, push], glow): (&[Results<Pulled>; 2], &Results<Glow>),
) -> Result<Found<P>, nbody::Error>
where
    P: Record<Lane = f64, Host = P>,
    Q: Record<Lane = f64, Host = Q>,
{
    let guides = device.upload(guides, way.of_guides)?;
    let all = (particles, count, selection);
    match way.reads {
        Reads::Nothing => run_programs(device, way, all, (&guides, results), (STEP, TALLY)),
        Reads::Total => {
            let mut course = PerParticle::new(device, COURSE)?;
            let mut total = course.total()?;
            // The total of other particles is replaced.
            total.write(&Pace { dt: -1.0, heat: 7.0, ..Pace::default() })?;
            course.measure_into_by_name(&all.0, (), &mut total)?;
            run_programs(device, way, all, (&guides, results, &total), (PACED, RETALLY))
        }
        Reads::Others => {
            let mut course = PerParticle::new(device, COURSE)?;
            let mut total = course.total()?;
            course.measure_into_by_name(&all.0, (), &mut total)?;
            let last = (guides.len() as u32).saturating_sub(1);
            let programs = (Mirror { rate: MIRROR_RATE, last }, Spacing { last });
            run_programs(device, way, all, (&guides, results, &total), programs)
        }
        Reads::Several => {
            let mut course = PerParticle::new(device, MARKED_COURSE)?;
            let mut impulse = PerParticle::new(device, IMPULSE)?;
            let (mut total, mut moved) = (course.total()?, impulse.total()?);
            course.measure_into_by_name(&all.0, (), &mut total)?;
            impulse.measure_into_by_name(&all.0, (), &mut moved)?;
            let last = (guides.len() as u32).saturating_sub(1);
            let (rate, lamps) = (MIRROR_RATE, device.upload(&lamps(guides.len()), of_lamps(way))?);
            let inputs = (&guides, &lamps, results, glow, push, &total, &moved);
            run_programs(device, way, all, inputs, (Merge { rate, last }, Census { rate, last }))
        }
        Reads::Marked => {
            let mut course = PerParticle::new(device, MARKED_COURSE)?;
            let mut total = course.total()?;
            course.measure_into_by_name(&all.0, (), &mut total)?;
            let MarkedPace { mark, others, .. } = total.download()?;
            assert_eq!((mark, others), (-77.0 * way.n as f64, 3 * way.n as u32));
            run_programs(device, way, all, (&guides, results, &total), (PACED, RETALLY))
        }
    }
}

/// Runs an update or a measure.
fn run_programs<U, M, P>(
    device: &Device,
    way: &Way,
    (mut particles, count, selection): (Particles<P>, usize, Option<&Selection>),
    inputs: impl Inputs,
    (update, measure): (U, M),
) -> Result<Found<P>, nbody::Error>
where
    U: Update,
    M: Measure<T = Sums>,
    P: Record<Lane = f64, Host = P>,
{
    let mut step = PerParticle::new(device, update)?;
    step.set_domain(way.domain)?;
    step.set_wrap(way.wraps);
    let (mut copies, mut total) = (Vec::new(), None);
    match (way.run, selection) {
        (Run::Selected, Some(selection)) => {
            step.update_selected(selection, count, &mut particles, inputs)?;
        }
        (Run::Copies, Some(selection)) => {
            let mut of = device.upload::<P>(&[], way.precision)?;
            step.update_copies(selection, count, &particles, &mut of, inputs)?;
            copies = of.download()?;
        }
        (Run::Measured, _) => {
            let mut tally = PerParticle::new(device, measure)?;
            tally.set_domain(way.domain)?;
            total = Some(tally.measure_by_name(&particles, inputs)?);
        }
        _ => step.update_by_name(&mut particles, inputs)?,
    }
    Ok((particles.download()?, copies, total))
}

/// Checks each row of a covering array of this strength on these devices.
fn check_all(strength: usize, devices: &[Device]) {
    let covering = Covering { choices: &OPTIONS, strength, allows: &allows };
    check_rows(&covering, devices, 100, &Way::of, &check);
}

/// Programs per particle have the same arithmetic at every level of vector instructions.
#[test]
fn programs_on_the_cpu_agree_with_plain_loops() {
    check_all(4, &[Device::cpu()]);
}

#[test]
fn programs_of_cuda_agree_with_plain_loops() {
    let devices = nbody_tests::cuda_devices();
    check_all(2, &devices);
}
