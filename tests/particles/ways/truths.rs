//! Plain loops over records, the truths of programs per particle.

use nbody::law::DoubleSingle;
use nbody::prelude::*;
use nbody::{ArgMax, ArgMin, Nearest};
use nbody_tests::steps::programs::{
    Course, Glow, Guide, Impulse, Item, Lamp, MarkedCourse, Pace, Paced, Pulled, Retally, Step,
    Sums, Tally,
};
use nbody_tests::ways::{difference, real};

use super::Way;

/// Rounds a position to a precision.
pub fn position(x: Point, precision: Precision) -> Point {
    Point(x.0.map(|x| match precision {
        Precision::Mixed => DoubleSingle::from(x).into(),
        _ => real(x, precision),
    }))
}

pub fn rounded(item: Item, precision: Precision) -> Item {
    Item {
        pos: position(item.pos, precision),
        vel: Vector(item.vel.0.map(|x| real(x, precision))),
        table: item.table.map(|x| real(x, precision)),
        mass: real(item.mass, precision),
        strain: Tensor(item.strain.0.map(|x| real(x, precision))),
        ..item
    }
}

/// Records that a program reads in several buffers, as each of them is stored.
pub struct Several {
    pub lamps: Vec<Lamp>,
    pub glows: Vec<Glow>,
    pub pushed: Vec<Pulled>,
    pub pace: Pace,
    pub impulse: Pulled,
}

/// Returns the position as it is stored.
pub fn stored(pos: Point, way: &Way) -> Point {
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
pub fn in_brick(pos: Point, vectors: [[f64; 3]; 3]) -> Point {
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

pub const STEP: Step = Step { dt: 0.3, rates: [0.7, 1.0 / 3.0] };
pub const TALLY: Tally = Tally { scale: 0.5 };
pub const COURSE: Course = Course { scale: 0.7 };
pub const MARKED_COURSE: MarkedCourse = MarkedCourse { scale: 0.7 };
pub const PACED: Paced = Paced { rate: 1.0 / 3.0 };
pub const MIRROR_RATE: f64 = 0.3;
pub const IMPULSE: Impulse = Impulse { dt: 0.2 };
pub const RETALLY: Retally = Retally { scale: 0.3 };

pub fn stepped(item: Item, guide: Guide, field: Pulled, way: &Way) -> Item {
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

pub fn paced(item: Item, guide: Guide, field: Pulled, all: &Pace, way: &Way) -> Item {
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
pub fn last(guides: &[Guide]) -> u32 {
    (guides.len() as u32).saturating_sub(1)
}

pub fn mirrored(
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

pub fn merged_item(
    item: Item,
    k: usize,
    guides: &[Guide],
    (of, place): (&Several, usize),
    f: Pulled,
    way: &Way,
) -> Item {
    let (mut p, q, lamp) = (item, guides[k], of.lamps[k]);
    let (glow, pushed) = (&of.glows[place], of.pushed[place]);
    let d = difference(q.pos, lamp.at, way.domain);
    let other = (p.kind + lamp.hue + glow.hits).min(last(guides)) as usize;
    let (guide, far) = (guides[other], of.lamps[other]);
    p.vel += MIRROR_RATE * (f.acc - pushed.acc) + lamp.light * d;
    p.pos += of.pace.powers[1] * p.vel + far.light * difference(far.at, guide.pos, way.domain);
    p.mass += glow.heat - of.impulse.pot;
    p.table[0] = glow.most + pushed.pot;
    p.kind = guide.flag + 2 * lamp.hue + f.near + 3 * pushed.near + of.impulse.near + of.pace.count;
    let pos = stored(p.pos, way);
    Item { pos, ..rounded(p, way.precision) }
}

/// Returns the total of the particles and of several other records.
pub fn counted(
    (items, guides, fields): (&[Item], &[Guide], &[Pulled]),
    of: &Several,
    way: &Way,
) -> Sums {
    let one = |(k, ((p, q), f)): (usize, ((&Item, &Guide), &Pulled))| {
        let (lamp, glow, pushed) = (of.lamps[k], &of.glows[k], of.pushed[k]);
        let other = (p.kind + lamp.hue + glow.hits).min(last(guides)) as usize;
        let (a, b) = (f.acc, pushed.acc);
        let half = |x: f64, y: f64| lamp.light * (0.5 * (x + y));
        let mut total = Sums {
            least: glow.most - MIRROR_RATE * of.impulse.acc.x,
            most: lamp.light,
            ..Sums::default()
        };
        total.momentum += guides[other].weight * difference(of.lamps[other].at, p.pos, way.domain);
        total.energy += glow.heat * pushed.pot + of.pace.heat * of.impulse.pot;
        total.pressure = Tensor([
            lamp.light * (a.x * b.x),
            lamp.light * (a.y * b.y),
            lamp.light * (a.z * b.z),
            half(a.x * b.y, a.y * b.x),
            half(a.x * b.z, a.z * b.x),
            half(a.y * b.z, a.z * b.y),
        ]);
        if q.flag == 1 {
            total.count += f.near + 2 * pushed.near + of.pace.count + of.impulse.near;
            let (value, index) = (glow.heat, k as u32);
            total.slowest = ArgMin { value, index };
            total.fastest = ArgMax { value, index };
            total.slow = first(lamp.light, k);
        }
        total
    };
    let totals = items.iter().zip(guides).zip(fields).enumerate().map(one).collect();
    in_tree(totals, &joined)
}

/// Returns the impulse of items.
pub fn impulse_of(items: &[Item]) -> Pulled {
    let one = |p: &Item| Pulled { acc: p.mass * p.vel, pot: IMPULSE.dt * p.mass, near: 1 };
    in_tree(items.iter().map(one).collect(), &|total, part| Pulled {
        acc: total.acc + part.acc,
        pot: total.pot + part.pot,
        near: total.near + part.near,
    })
}

/// Returns the total of the particles and of other guides.
pub fn spaced(
    (items, guides, fields): (&[Item], &[Guide], &[Pulled]),
    g: &Pace,
    way: &Way,
) -> Sums {
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
pub fn pace_of(items: &[Item]) -> Pace {
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

pub fn less(total: ArgMin, part: ArgMin) -> ArgMin {
    if (part.value, part.index) < (total.value, total.index) { part } else { total }
}

pub fn more(total: ArgMax, part: ArgMax) -> ArgMax {
    if (-part.value, part.index) < (-total.value, total.index) { part } else { total }
}

/// Returns the total of the particles after another total.
pub fn retallied(
    (items, guides, fields): (&[Item], &[Guide], &[Pulled]),
    g: &Pace,
    way: &Way,
) -> Sums {
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
pub fn tallied(items: &[Item], guides: &[Guide], fields: &[Pulled], way: &Way) -> Sums {
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
pub fn in_tree<T: Clone + Default>(mut totals: Vec<T>, join: &dyn Fn(&T, &T) -> T) -> T {
    while totals.len() > 1 {
        totals = totals.chunks(256).map(|block| merged(block, join)).collect();
    }
    totals.pop().unwrap_or_default()
}

/// Returns the least values of one particle.
pub fn first<const K: usize>(value: f64, index: usize) -> Nearest<K> {
    let mut nearest = Nearest::default();
    (nearest.values[0], nearest.indices[0]) = (value, index as u32);
    nearest
}

/// Returns the least values of both.
pub fn least<const K: usize>(a: &Nearest<K>, b: &Nearest<K>) -> Nearest<K> {
    let of = |it: &Nearest<K>| it.values.into_iter().zip(it.indices);
    let mut all: Vec<_> = of(a).chain(of(b)).collect();
    all.sort_by(|a, b| a.partial_cmp(b).unwrap());
    Nearest {
        values: std::array::from_fn(|k| all[k].0),
        indices: std::array::from_fn(|k| all[k].1),
    }
}

pub fn merged<T: Clone + Default>(block: &[T], join: &dyn Fn(&T, &T) -> T) -> T {
    let mut block = block.to_vec();
    block.resize(256, T::default());
    for half in [128, 64, 32, 16, 8, 4, 2, 1] {
        for k in 0..half {
            block[k] = join(&block[k], &block[k + half]);
        }
    }
    block.swap_remove(0)
}

pub fn joined(total: &Sums, part: &Sums) -> Sums {
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
