//! Programs per particle in every way, compared bit for bit with plain loops over records.

use nbody::law::{DoubleSingle, Record};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{
    Accumulation, ArgMax, ArgMin, Engine, Inputs, Measure, Nearest, Particles, PerParticle,
    Results, Selection, Update,
};
use nbody_tests::covering::Covering;
use nbody_tests::steps::programs::{
    Attract, Course, Guide, Item, MarkedCourse, MarkedGuide, MarkedItem, MarkedPace, Mirror, Pace,
    Paced, Pulled, Retally, Spacing, Step, Sums, Tally,
};
use nbody_tests::ways::{DOMAINS, check_rows, difference, domain, message, real, same};

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
}

const READS: [Reads; 4] = [Reads::Nothing, Reads::Total, Reads::Marked, Reads::Others];
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

/// Rounds a position to a precision.
fn position(x: Point, precision: Precision) -> Point {
    Point(x.0.map(|x| match precision {
        Precision::Mixed => DoubleSingle::from(x).into(),
        _ => real(x, precision),
    }))
}

fn rounded(item: Item, precision: Precision) -> Item {
    Item {
        pos: position(item.pos, precision),
        vel: Vector(item.vel.0.map(|x| real(x, precision))),
        table: item.table.map(|x| real(x, precision)),
        mass: real(item.mass, precision),
        strain: Tensor(item.strain.0.map(|x| real(x, precision))),
        ..item
    }
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

/// Returns the position as it is stored.
fn stored(pos: Point, way: &Way) -> Point {
    if !way.wraps {
        return position(pos, way.precision);
    }
    if let Domain::Triclinic(vectors) = way.domain {
        return position(in_brick(pos, vectors.to_array()), way.precision);
    }
    let Domain::Periodic(lengths) = way.domain else { unreachable!("open space") };
    let pos = position(way.domain.wrap(pos), way.precision);
    let wrapped = pos.0.into_iter().zip(lengths.to_array());
    let mut wrapped = wrapped.map(|(x, length)| if x == length { 0.0 } else { x });
    Point([(); 3].map(|()| wrapped.next().unwrap()))
}

/// Returns the image of a position a few vectors outside the brick of a triclinic box.
fn in_brick(pos: Point, vectors: [[f64; 3]; 3]) -> Point {
    let mut x = pos.0;
    for k in [2, 1, 0] {
        let mut n = 0.0;
        let inside = |n: f64| x[k] - n * vectors[k][k];
        while inside(n) < 0.0 {
            n -= 1.0;
        }
        while inside(n) >= vectors[k][k] {
            n += 1.0;
        }
        for l in 0..=k {
            x[l] -= n * vectors[k][l];
        }
    }
    Point(x)
}

const STEP: Step = Step { dt: 0.3, rates: [0.7, 1.0 / 3.0] };
const TALLY: Tally = Tally { scale: 0.5 };
const COURSE: Course = Course { scale: 0.7 };
const MARKED_COURSE: MarkedCourse = MarkedCourse { scale: 0.7 };
const PACED: Paced = Paced { rate: 1.0 / 3.0 };
const MIRROR_RATE: f64 = 0.3;
const RETALLY: Retally = Retally { scale: 0.3 };

fn stepped(item: Item, guide: Guide, field: Pulled, way: &Way) -> Item {
    let mut p = item;
    let d = difference(guide.pos, p.pos, way.domain);
    p.vel += STEP.rates[0] / guide.weight.sqrt() * d;
    p.vel += STEP.dt * field.acc;
    p.mass -= guide.weight * STEP.rates[1];
    p.table[1] = d.norm2() + field.pot;
    p.pos += STEP.dt * p.vel;
    p.strain.xx += STEP.dt * field.acc.x;
    p.strain.yy += STEP.dt * d.z;
    p.strain.xy = (p.strain.xy + STEP.dt * p.mass) * STEP.rates[0];
    if guide.flag == 1 {
        p.kind += field.near + 2;
    }
    let pos = stored(p.pos, way);
    Item { pos, ..rounded(p, way.precision) }
}

fn paced(item: Item, guide: Guide, field: Pulled, all: &Pace, way: &Way) -> Item {
    let mut p = item;
    let d = difference(guide.pos, p.pos, way.domain);
    let dt = PACED.rate * all.dt;
    p.vel += dt * field.acc - all.drift / (1.0 + all.heat);
    p.pos += dt * p.vel;
    p.table[1] = d.norm2() + all.coldest.value + all.cold.values[1].min(8.0);
    p.mass += all.powers[1] - all.powers[0];
    p.strain = Tensor(std::array::from_fn(|k| p.strain[k] + dt * all.shear[k]));
    p.kind = all.coldest.index.wrapping_add(all.bins[1]).wrapping_add(2 * all.count);
    p.kind = p.kind.wrapping_add(all.cold.indices[1].wrapping_mul(3));
    let pos = stored(p.pos, way);
    Item { pos, ..rounded(p, way.precision) }
}

/// Returns the index of the last second particle.
fn last(guides: &[Guide]) -> u32 {
    (guides.len() as u32).saturating_sub(1)
}

fn mirrored(
    item: Item,
    (guide, guides): (Guide, &[Guide]),
    f: Pulled,
    g: &Pace,
    way: &Way,
) -> Item {
    let mut p = item;
    let of = |index: u32| guides[index.min(last(guides)) as usize];
    let other = of(3 * p.kind + 7 * guide.flag + g.bins[1]);
    let d = difference(other.pos, p.pos, way.domain);
    p.vel += MIRROR_RATE * other.weight * d;
    p.kind = of(p.kind).flag + f.near;
    p.table[2] = difference(guides[0].pos, other.pos, way.domain).norm2();
    p.pos += MIRROR_RATE * d;
    let pos = stored(p.pos, way);
    Item { pos, ..rounded(p, way.precision) }
}

/// Returns the total of the particles and of other guides.
fn spaced((items, guides, fields): (&[Item], &[Guide], &[Pulled]), g: &Pace, way: &Way) -> Sums {
    let one = |(k, ((p, q), f)): (usize, ((&Item, &Guide), &Pulled))| {
        let next = guides[(p.kind * g.count + q.flag + f.near).min(last(guides)) as usize];
        let (v, a) = (p.vel, f.acc);
        let mut total = Sums { least: p.vel.x, most: f.acc.y, ..Sums::default() };
        total.momentum += next.weight * difference(next.pos, p.pos, way.domain);
        total.energy += difference(q.pos, guides[guides.len() - 1].pos, way.domain).norm2();
        if next.flag == 1 {
            total.count += 1;
            let (value, index) = (next.weight, k as u32);
            total.slowest = ArgMin { value, index };
            total.fastest = ArgMax { value, index };
            total.slow = first(value, k);
        }
        total.pressure = Tensor([
            p.mass * (v.x * a.x),
            p.mass * (v.y * a.y),
            p.mass * (v.z * a.z),
            p.mass * (0.5 * (v.x * a.y + v.y * a.x)),
            p.mass * (0.5 * (v.x * a.z + v.z * a.x)),
            p.mass * (0.5 * (v.y * a.z + v.z * a.y)),
        ]);
        total
    };
    let totals = items.iter().zip(guides).zip(fields).enumerate().map(one).collect();
    in_tree(totals, &joined)
}

/// Returns the pace of items.
fn pace_of(items: &[Item]) -> Pace {
    let one = |(k, p): (usize, &Item)| Pace {
        dt: COURSE.scale / (1.0 + p.vel.norm2()),
        heat: p.mass * p.vel.norm2(),
        drift: p.mass * p.vel,
        bins: std::array::from_fn(|bin| u32::from(p.kind as usize == bin)),
        shear: Tensor(p.strain.0.map(|x| p.mass * x)),
        count: p.active,
        coldest: ArgMin { value: p.table[2], index: k as u32 },
        powers: [0.0, p.mass * p.mass],
        cold: first(p.table[2], k),
    };
    in_tree(items.iter().enumerate().map(one).collect(), &|total, part| Pace {
        dt: total.dt.min(part.dt),
        heat: total.heat + part.heat,
        drift: total.drift + part.drift,
        bins: std::array::from_fn(|bin| total.bins[bin] + part.bins[bin]),
        shear: Tensor(std::array::from_fn(|k| total.shear[k] + part.shear[k])),
        count: total.count + part.count,
        coldest: less(total.coldest, part.coldest),
        powers: std::array::from_fn(|k| total.powers[k] + part.powers[k]),
        cold: least(&total.cold, &part.cold),
    })
}

fn less(total: ArgMin, part: ArgMin) -> ArgMin {
    if (part.value, part.index) < (total.value, total.index) { part } else { total }
}

fn more(total: ArgMax, part: ArgMax) -> ArgMax {
    if (-part.value, part.index) < (-total.value, total.index) { part } else { total }
}

/// Returns the total of the particles after another total.
fn retallied((items, guides, fields): (&[Item], &[Guide], &[Pulled]), g: &Pace, way: &Way) -> Sums {
    let one = |(k, ((p, q), f)): (usize, ((&Item, &Guide), &Pulled))| {
        let (v, a) = (p.vel - g.drift, f.acc);
        let half = |x: f64, y: f64| p.mass * (0.5 * (x + y));
        let mut total = Sums { least: v.x, most: a.y + g.coldest.value, ..Sums::default() };
        total.energy += RETALLY.scale * p.mass * v.norm2() + g.dt * f.pot;
        total.momentum += p.mass * difference(p.pos, q.pos, way.domain);
        total.pressure = Tensor([
            p.mass * (v.x * a.x),
            p.mass * (v.y * a.y),
            p.mass * (v.z * a.z),
            half(v.x * a.y, v.y * a.x),
            half(v.x * a.z, v.z * a.x),
            half(v.y * a.z, v.z * a.y),
        ]);
        if p.kind == g.bins[2] || q.flag == 1 {
            total.count += g.count;
            let (value, index) = (p.table[2] * g.heat, k as u32);
            total.slowest = ArgMin { value, index };
            total.fastest = ArgMax { value, index };
            total.slow = first(value, k);
        }
        total
    };
    let totals = items.iter().zip(guides).zip(fields).enumerate().map(one).collect();
    in_tree(totals, &joined)
}

/// Returns the total of the particles.
fn tallied(items: &[Item], guides: &[Guide], fields: &[Pulled], way: &Way) -> Sums {
    let one = |(k, ((p, q), f)): (usize, ((&Item, &Guide), &Pulled))| {
        let mut total = Sums { least: p.vel.x, most: f.acc.y, ..Sums::default() };
        total.energy += TALLY.scale * p.mass * p.vel.norm2() + f.pot;
        total.momentum += p.mass * difference(p.pos, q.pos, way.domain);
        let (v, a) = (p.vel, f.acc);
        total.pressure = Tensor([
            p.mass * (v.x * a.x),
            p.mass * (v.y * a.y),
            p.mass * (v.z * a.z) - (p.strain.xx + p.strain.yy),
            p.mass * (0.5 * (v.x * a.y + v.y * a.x)),
            p.mass * (0.5 * (v.x * a.z + v.z * a.x)),
            p.mass * (0.5 * (v.y * a.z + v.z * a.y)),
        ]);
        if q.flag == 1 {
            total.count += 1;
            let (value, index) = (p.table[2], k as u32);
            total.slowest = ArgMin { value, index };
            total.fastest = ArgMax { value, index };
            total.slow = first(value, k);
        }
        total
    };
    let totals = items.iter().zip(guides).zip(fields).enumerate().map(one).collect();
    in_tree(totals, &joined)
}

/// Merges totals in a tree of blocks of 256.
fn in_tree<T: Clone + Default>(mut totals: Vec<T>, join: &dyn Fn(&T, &T) -> T) -> T {
    while totals.len() > 1 {
        totals = totals.chunks(256).map(|block| merged(block, join)).collect();
    }
    totals.pop().unwrap_or_default()
}

/// Returns the least values of one particle.
fn first<const K: usize>(value: f64, index: usize) -> Nearest<K> {
    let mut nearest = Nearest::default();
    (nearest.values[0], nearest.indices[0]) = (value, index as u32);
    nearest
}

/// Returns the least values of both.
fn least<const K: usize>(a: &Nearest<K>, b: &Nearest<K>) -> Nearest<K> {
    let of = |it: &Nearest<K>| it.values.into_iter().zip(it.indices);
    let mut all: Vec<_> = of(a).chain(of(b)).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    Nearest {
        values: std::array::from_fn(|k| all[k].0),
        indices: std::array::from_fn(|k| all[k].1),
    }
}

fn merged<T: Clone + Default>(block: &[T], join: &dyn Fn(&T, &T) -> T) -> T {
    let mut block = block.to_vec();
    block.resize(256, T::default());
    for half in [128, 64, 32, 16, 8, 4, 2, 1] {
        for k in 0..half {
            block[k] = join(&block[k], &block[k + half]);
        }
    }
    block.swap_remove(0)
}

fn joined(total: &Sums, part: &Sums) -> Sums {
    Sums {
        energy: total.energy + part.energy,
        momentum: total.momentum + part.momentum,
        pressure: Tensor(std::array::from_fn(|k| total.pressure[k] + part.pressure[k])),
        count: total.count.wrapping_add(part.count),
        least: total.least.min(part.least),
        most: total.most.max(part.most),
        slowest: less(total.slowest, part.slowest),
        slow: least(&total.slow, &part.slow),
        fastest: more(total.fastest, part.fastest),
    }
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
    let (results, fields) = attraction(device, &selected, way.accumulation)?;
    let items: Vec<_> = items.iter().map(|it| rounded(*it, way.precision)).collect();
    let of_guides: Vec<_> = guides
        .iter()
        .map(|it| Guide {
            pos: position(it.pos, way.of_guides),
            weight: real(it.weight, way.of_guides),
            ..*it
        })
        .collect();
    let pair = (particles, count);
    let found = if way.marked[1] {
        let marked: Vec<MarkedGuide> =
            guides.iter().enumerate().map(|(k, guide)| guide.marked(k)).collect();
        run(device, way, pair, selection.as_ref(), &marked, &results)
    } else {
        run(device, way, pair, selection.as_ref(), guides, &results)
    };
    let (found, copies, total) = found.map_err(message)?;

    let is_changed = matches!(way.run, Run::All | Run::Selected);
    let mut after = items.clone();
    let pace = pace_of(&items);
    let mut expected_copies = Vec::new();
    for (&k, field) in order.iter().zip(&fields) {
        let new = match way.reads {
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
            _ => retallied((&items, &of_guides, &fields), &pace, way),
        };
        same("totals", &[total.expect("a measure has a total")], &[expected])?;
        return Ok(items.len());
    }
    let all = found.iter().chain(&copies).map(item_of);
    Ok(all.zip(items.iter().chain(&selected)).filter(|(new, old)| new != *old).count())
}

/// Returns the results of an interaction for these items.
fn attraction(
    device: &Device,
    items: &[Item],
    accumulation: Accumulation,
) -> Result<(Results<Pulled>, Vec<Pulled>), String> {
    let options = Options::default().accumulation(accumulation);
    let run = || -> Result<_, nbody::Error> {
        let mut engine = AllPairs::with_options(device, Attract { eps2: 0.25 }, options)?;
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
    results: &Results<Pulled>,
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
fn run_programs<'a, U, M, P, Q, G>(
    device: &Device,
    way: &Way,
    (mut particles, count, selection): (Particles<P>, usize, Option<&Selection>),
    inputs: impl Into<Inputs<'a, Q, Pulled, G>>,
    (update, measure): (U, M),
) -> Result<Found<P>, nbody::Error>
where
    U: Update,
    M: Measure<T = Sums>,
    P: Record<Lane = f64, Host = P>,
    Q: Record<Lane = f64, Host = Q>,
    G: Record<Lane = f64, Host = G>,
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
