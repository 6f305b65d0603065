//! Tuples in every way, compared bit for bit with plain loops over records.

use nbody::law::{DoubleSingle, Record};
use nbody::models::uniform;
use nbody::prelude::*;
use nbody::{Results, Store, Tuple};
use nbody_tests::contacts::Random;
use nbody_tests::covering::Covering;
use nbody_tests::tuples::{
    Anchor, Bead, Bend, Counts, Link, Marked, MarkedPull, Pairs, Pin, Pull, Rod, Turn, Twist,
};
use nbody_tests::ways::{
    DOMAINS, bits, check_rows, difference, domain, levels, message, real, same,
};

const PRECISIONS: [Precision; 2] = [Precision::Single, Precision::Double];
/// Numbers of particles around the sizes of blocks, with the numbers of tuples.
const SIZES: [[usize; 2]; 8] =
    [[129, 128], [600, 1000], [9, 300], [128, 129], [4, 1], [1025, 63], [17, 0], [256, 515]];

/// Number of choices of each option of a row: the particles of a tuple, the precisions of particles
/// and of results, the space, the store, and records with other fields for particles and results.
const OPTIONS: [usize; 7] = [4, Precision::ALL.len(), PRECISIONS.len(), DOMAINS, 2, 2, 2];

#[derive(Clone, Debug)]
struct Way {
    members: usize,
    precision: Precision,
    of_results: Precision,
    domain: Domain,
    store: Store,
    /// Whether particles, and results, have records with other fields.
    marked: [bool; 2],
    n: usize,
    tuples: usize,
}

impl Way {
    fn of(row: &[usize], turn: usize) -> Self {
        let [n, tuples] = SIZES[turn % SIZES.len()];
        Self {
            members: row[0] + 1,
            precision: Precision::ALL[row[1]],
            of_results: PRECISIONS[row[2]],
            domain: domain(row[3], 0.375),
            store: [Store::Replace, Store::Add][row[4]],
            marked: [row[5] == 1, row[6] == 1],
            n,
            tuples,
        }
    }

    /// Rounds a number to the precision of the results.
    fn result(&self, x: f64) -> f64 {
        real(x, self.of_results)
    }
}

/// Leaves out results with other fields for the pair, whose record has every reduction.
fn allows(row: &[Option<usize>]) -> bool {
    !(row[0] == Some(1) && row[6] == Some(1))
}

/// Returns particles whose numbers have all digits.
fn beads(n: usize) -> Vec<Bead> {
    let mut beads = uniform::<Bead>(n, 1);
    for (k, bead) in beads.iter_mut().enumerate() {
        for x in bead.pos.0.iter_mut().chain(&mut bead.spin.0).chain(&mut bead.weights) {
            *x = (*x - 0.25) / 3.0;
        }
        bead.charge /= 7.0;
        bead.kind = (k * k % 3) as u32;
    }
    beads
}

/// Returns a particle as it is stored.
fn rounded(bead: Bead, precision: Precision) -> Bead {
    let position = |x| match precision {
        Precision::Mixed => DoubleSingle::from(x).into(),
        _ => real(x, precision),
    };
    let number = |x| real(x, precision);
    Bead {
        pos: Point(bead.pos.0.map(position)),
        charge: number(bead.charge),
        spin: Vector(bead.spin.0.map(number)),
        weights: bead.weights.map(number),
        ..bead
    }
}

fn marked(k: usize, bead: &Bead) -> Marked {
    let &Bead { pos, kind, charge, spin, weights } = bead;
    Marked { id: k as u32 ^ 5, weights, charge, start: Point([9.0; 3]), pos, spin, mark: 7.0, kind }
}

/// Returns tuples whose particles differ: most particles are in several, some in none.
fn indices<const N: usize>(way: &Way) -> Vec<[u32; N]> {
    let mut random = Random(way.n as u64 * 11 + N as u64);
    let n = (way.n - way.n / 5).max(N) as u64;
    let tuple = |_| {
        let mut tuple = [0; N];
        for k in 0..N {
            let mut next = random.below(n) as u32;
            while tuple[..k].contains(&next) {
                next = random.below(n) as u32;
            }
            tuple[k] = next;
        }
        tuple
    };
    (0..way.tuples).map(tuple).collect()
}

const ANCHOR: Anchor = Anchor { stiffness: 0.7, table: [0.3, 1.1, 1.0 / 3.0] };
const BEND: Bend = Bend { scale: 0.9 };
const TWIST: Twist = Twist { rates: [[0.1, 1.0 / 3.0], [0.7, -1.9]] };

fn pins(n: usize) -> Vec<Pin> {
    let mut pins = uniform::<Pin>(n, 4);
    pins.iter_mut().enumerate().for_each(|(k, pin)| pin.kind = k as u32 % 3);
    pins
}

fn rods(n: usize) -> Vec<Rod> {
    (0..n).map(|k| Rod { length: 0.2 + k as f64 / 900.0, k: 1.0 / (k + 3) as f64 }).collect()
}

fn turns(n: usize) -> Vec<Turn> {
    let mut turns = uniform::<Turn>(n, 6);
    turns.iter_mut().enumerate().for_each(|(k, turn)| turn.n = k as u32 * 7 % 5);
    turns
}

/// The results of each particle of a tuple.
type Each<T, F, const N: usize> = dyn Fn(&Way, &T, [&Bead; N]) -> [F; N];

fn anchored(way: &Way, t: &Pin, [a]: [&Bead; 1]) -> [Pull; 1] {
    let d = difference(a.pos, t.place, way.domain);
    let k = ANCHOR.stiffness * ANCHOR.table[t.kind as usize];
    [Pull { force: -(k * d), pot: 0.5 * k * d.norm2() }]
}

fn linked(way: &Way, t: &Rod, [a, b]: [&Bead; 2]) -> [Counts; 2] {
    let d = difference(a.pos, b.pos, way.domain);
    let r = d.norm2().sqrt();
    let pull = t.k * (r - t.length) / r;
    let mut f = Counts { force: -(pull * d), least: r, most: r * a.charge, ..Counts::default() };
    let mut g = Counts { force: pull * d, least: r - b.charge, most: r, ..Counts::default() };
    f.stress = Tensor([
        -(pull * (d.x * d.x)),
        -(pull * (d.y * d.y)),
        -(pull * (d.z * d.z)),
        -(pull * (d.x * d.y)),
        -(pull * (d.x * d.z)),
        -(pull * (d.y * d.z)),
    ]);
    let s = a.spin;
    g.stress = Tensor([
        d.x * s.x,
        d.y * s.y,
        d.z * s.z,
        0.5 * (d.x * s.y + d.y * s.x),
        0.5 * (d.x * s.z + d.z * s.x),
        0.5 * (d.y * s.z + d.z * s.y),
    ]);
    if r < t.length {
        (f.near, g.near) = (1, a.kind);
    }
    if a.kind > b.kind {
        f.parts[1] = a.weights[0];
    } else {
        (f.parts[0], g.parts[0], g.parts[11]) = (-a.charge, b.weights[1] * r, 1.0);
    }
    [f, g]
}

fn bent(way: &Way, [a, b, c]: [&Bead; 3]) -> [Pull; 3] {
    let (p, q) = (difference(a.pos, b.pos, way.domain), difference(c.pos, b.pos, way.domain));
    let e = BEND.scale * p.dot(q) * b.charge;
    let factor = BEND.scale * b.charge;
    let (of_a, of_c) = (factor * q, factor * p);
    [
        Pull { force: -of_a, pot: e },
        Pull { force: of_a + of_c, pot: p.norm2() },
        Pull { force: -of_c, pot: -q.norm2() },
    ]
}

fn twisted(way: &Way, t: &Turn, [a, b, c, d]: [&Bead; 4]) -> [Pull; 4] {
    let (ends, axis) = (difference(d.pos, a.pos, way.domain), difference(c.pos, b.pos, way.domain));
    let turn = t.axis.cross(ends) + axis.cross(b.spin);
    let rate = TWIST.rates[a.kind as usize & 1][t.n as usize % 2];
    let mut sum = 0.0;
    for k in 0..2 {
        sum += a.weights[k] * d.weights[1 - k];
    }
    [
        Pull { force: rate * turn, pot: rate },
        Pull { force: -(sum * axis), pot: turn.dot(axis) },
        Pull { force: sum * axis, pot: f64::from(t.n) },
        Pull { force: -(rate * turn), pot: -sum },
    ]
}

/// Merges numbers of a later result into an earlier one.
trait Merge: Record<Lane = f64, Host = Self> + Default {
    fn merge(&mut self, later: &Self);
    fn round(self, way: &Way) -> Self;
}

impl Merge for Pull {
    fn merge(&mut self, later: &Self) {
        self.force += later.force;
        self.pot += later.pot;
    }

    fn round(self, way: &Way) -> Self {
        let number = |x| way.result(x);
        Self { force: Vector(self.force.0.map(number)), pot: number(self.pot) }
    }
}

impl Merge for Counts {
    fn merge(&mut self, later: &Self) {
        self.force += later.force;
        self.least = self.least.min(later.least);
        self.near += later.near;
        self.most = self.most.max(later.most);
        for (sum, part) in self.parts.iter_mut().zip(later.parts) {
            *sum += part;
        }
        for (sum, part) in self.stress.0.iter_mut().zip(later.stress.0) {
            *sum += part;
        }
    }

    fn round(self, way: &Way) -> Self {
        let number = |x| way.result(x);
        Self {
            force: Vector(self.force.0.map(number)),
            least: number(self.least),
            near: self.near,
            most: number(self.most),
            parts: self.parts.map(number),
            stress: Tensor(self.stress.0.map(number)),
        }
    }
}

/// Returns the expected results: a sum over tuples in their order, rounded to the precision of the
/// results.
fn expected<T, F: Merge, const N: usize>(
    way: &Way,
    (tuples, records): (&[[u32; N]], &[T]),
    before: &[F],
    each: &Each<T, F, N>,
) -> Vec<F> {
    let beads: Vec<_> = beads(way.n).into_iter().map(|it| rounded(it, way.precision)).collect();
    let mut sums = match way.store {
        Store::Replace => beads.iter().map(|_| F::default()).collect(),
        Store::Add => before.to_vec(),
    };
    for (tuple, record) in tuples.iter().zip(records) {
        let members = tuple.map(|index| &beads[index as usize]);
        for (index, part) in tuple.iter().zip(each(way, record, members)) {
            sums[*index as usize].merge(&part);
        }
    }
    sums.into_iter().map(|sum| sum.round(way)).collect()
}

/// Evaluates twice, the second time with the store of this way, and returns the results of both.
fn evaluated<X, F>(
    device: &Device,
    way: &Way,
    tuple: X,
    (tuples, records): (&[X::Members], &[X::T]),
    mut out: Results<F>,
) -> Result<[Vec<F>; 2], nbody::Error>
where
    X: Tuple,
    F: Record<Lane = f64, Host = F, With<f64> = F>,
{
    let mut engine = Tuples::new(device, tuple)?;
    engine.set_domain(way.domain)?;
    engine.set(tuples, records, way.n)?;
    assert_eq!((engine.len(), engine.domain()), (way.tuples, way.domain));
    let beads = beads(way.n);
    let mut run = |store, out: &mut Results<F>| {
        if way.marked[0] {
            let marked: Vec<_> = beads.iter().enumerate().map(|(k, it)| marked(k, it)).collect();
            engine.evaluate_by_name(&device.upload(&marked, way.precision)?, out, store)
        } else {
            engine.evaluate_by_name(&device.upload(&beads, way.precision)?, out, store)
        }
    };
    run(Store::Replace, &mut out)?;
    let first = out.download::<f64>()?;
    run(way.store, &mut out)?;
    Ok([first, out.download::<f64>()?])
}

/// Checks tuples of `N` particles. Returns the number of particles with results.
fn check<X, F, const N: usize>(
    device: &Device,
    way: &Way,
    tuple: X,
    records: &[X::T],
    each: &Each<X::T, F, N>,
) -> Result<usize, String>
where
    X: Tuple<P = Bead, F = F, Members = [u32; N]> + Copy,
    F: Merge + Record<With<f64> = F>,
{
    let tuples = indices::<N>(way);
    let replaced = Way { store: Store::Replace, ..way.clone() };
    let own = Tuples::new(device, tuple).and_then(|it| it.results(way.n, way.of_results));
    let given = (&tuples[..], if X::T::DIM == 0 { &[] } else { records });
    let found = evaluated(device, way, tuple, given, own.map_err(message)?).map_err(message)?;
    let first = expected(&replaced, (&tuples, records), &[], each);
    same("results", &found[0], &first)?;
    same("results again", &found[1], &expected(way, (&tuples, records), &first, each))?;
    Ok(first.iter().filter(|it| bits(&[(**it).clone()]) != bits(&[F::default()])).count())
}

/// Checks tuples with results in a record with other fields, which stay.
fn check_marked<X, const N: usize>(
    device: &Device,
    way: &Way,
    tuple: X,
    records: &[X::T],
    each: &Each<X::T, Pull, N>,
) -> Result<usize, String>
where
    X: Tuple<P = Bead, F = Pull, Members = [u32; N]> + Copy,
{
    let tuples = indices::<N>(way);
    let replaced = Way { store: Store::Replace, ..way.clone() };
    let own = marked_results(device, way).map_err(message)?;
    let before = own.download::<f64>().map_err(message)?;
    let given = (&tuples[..], if X::T::DIM == 0 { &[] } else { records });
    let found = evaluated(device, way, tuple, given, own).map_err(message)?;
    let merged = |pulls: &[Pull]| {
        let with = |(old, new): (&MarkedPull, &Pull)| MarkedPull {
            force: new.force,
            pot: new.pot,
            ..*old
        };
        before.iter().zip(pulls).map(with).collect::<Vec<_>>()
    };
    let first = expected(&replaced, (&tuples, records), &[], each);
    same("results", &found[0], &merged(&first))?;
    let second = expected(way, (&tuples, records), &first, each);
    same("results again", &found[1], &merged(&second))?;
    Ok(first.iter().filter(|it| bits(&[**it]) != bits(&[Pull::default()])).count())
}

/// Returns results of pairs, in a record with other fields.
fn marked_results(device: &Device, way: &Way) -> Result<Results<MarkedPull>, nbody::Error> {
    let is_single = way.of_results == Precision::Single;
    let accumulation = if is_single { Accumulation::Direct } else { Accumulation::BlockedF64 };
    let options = Options::default().accumulation(accumulation);
    let mut engine = AllPairs::with_options(device, Pairs, options)?;
    let marked: Vec<_> = beads(way.n).iter().enumerate().map(|(k, it)| marked(k, it)).collect();
    let (i, j) = (engine.upload(&marked)?, engine.upload(&beads(5))?);
    let mut out = engine.results(way.n)?;
    engine.evaluate_into(&i, &j, &mut out)?;
    assert_eq!(out.untyped().precision(), way.of_results);
    Ok(out)
}

fn check_way(device: &Device, way: &Way) -> Result<usize, String> {
    let n = way.tuples;
    let none: Vec<nbody::law::Nothing> = (0..n).map(|_| nbody::law::Nothing::default()).collect();
    let bend = |way: &Way, _: &nbody::law::Nothing, members: [&Bead; 3]| bent(way, members);
    match (way.members, way.marked[1]) {
        (1, false) => check(device, way, ANCHOR, &pins(n), &anchored),
        (1, true) => check_marked(device, way, ANCHOR, &pins(n), &anchored),
        (2, _) => check(device, way, Link, &rods(n), &linked),
        (3, false) => check(device, way, BEND, &none, &bend),
        (3, true) => check_marked(device, way, BEND, &none, &bend),
        (_, false) => check(device, way, TWIST, &turns(n), &twisted),
        (_, true) => check_marked(device, way, TWIST, &turns(n), &twisted),
    }
}

/// Checks each row of a covering array of this strength on these devices.
fn check_all(strength: usize, devices: &[Device]) {
    let covering = Covering { choices: &OPTIONS, strength, allows: &allows };
    check_rows(&covering, devices, 50, &Way::of, &check_way);
}

#[test]
fn tuples_on_the_cpu_agree_with_plain_loops() {
    check_all(4, &levels());
}

#[test]
fn tuples_of_cuda_agree_with_plain_loops() {
    check_all(2, &nbody_tests::cuda_devices());
}

/// Each thread evaluates the tuples of a range of particles: here several ranges, whose tuples name
/// particles of others.
#[test]
fn tuples_shared_among_threads_agree_with_plain_loops() {
    for members in 1..=4 {
        let way = Way {
            members,
            precision: Precision::ALL[members % 3],
            of_results: PRECISIONS[members % 2],
            domain: domain(members % DOMAINS, 0.375),
            store: Store::Add,
            marked: [false, members == 3],
            n: 3001,
            tuples: 20_001,
        };
        let found = check_way(&Device::cpu(), &way);
        assert!(matches!(found, Ok(1..)), "{way:?}: {found:?}");
    }
}
