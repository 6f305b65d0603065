//! Programs per particle that read second particles and results, for tests in every way.

#[nbody::interaction]
pub mod programs {
    pub struct Item {
        pub pos: Point,
        pub kind: u32,
        pub vel: Vector,
        pub table: [Real; 3],
        pub active: u32,
        pub mass: Real,
        pub strain: Tensor<2>,
    }
    /// The same fields in another order, between others.
    pub struct MarkedItem {
        pub mark: Real,
        pub active: u32,
        pub mass: Real,
        pub start: Point,
        pub strain: Tensor<2>,
        pub table: [Real; 3],
        pub id: u32,
        pub pos: Point,
        pub vel: Vector,
        pub kind: u32,
    }
    pub struct Guide {
        pub flag: u32,
        pub weight: Real,
        pub pos: Point,
    }
    pub struct MarkedGuide {
        pub pos: Point,
        pub mark: u32,
        pub weight: Real,
        pub was: Point,
        pub flag: u32,
    }
    pub struct Pulled {
        pub acc: Vector,
        pub near: Count,
        pub pot: Real,
    }

    pub struct Attract {
        pub eps2: Real,
    }
    impl Interaction for Attract {
        type I = Item;
        type J = Item;
        type F = Pulled;
        fn pair(&self, i: &Item, j: &Item, f: &mut Pulled) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot -= (d.norm2() + self.eps2) * j.mass;
            if j.kind == 2 {
                f.near += 1;
            }
        }
    }

    pub struct Step {
        pub dt: Real,
        pub rates: [Real; 2],
    }
    impl Update for Step {
        type P = Item;
        type Q = Guide;
        type F = Pulled;
        fn update(&self, p: &mut Item, q: &Guide, f: &Pulled) {
            let d = q.pos - p.pos;
            p.vel += self.rates[0] / q.weight.sqrt() * d;
            p.vel += self.dt * f.acc;
            p.mass -= q.weight * self.rates[1];
            p.table[1] = d.norm2() + f.pot;
            p.pos += self.dt * p.vel;
            p.strain += self.dt * Tensor::new(f.acc.x, d.z, p.mass);
            p.strain.xy *= self.rates[0];
            if q.flag == 1 {
                p.kind += f.near + 2;
            }
        }
    }

    pub struct Tally {
        pub scale: Real,
    }
    pub struct Sums {
        pub count: Count,
        pub energy: Real,
        pub momentum: Vector,
        pub pressure: Tensor,
        pub least: Min<Real>,
        pub slowest: ArgMin<Real>,
        pub fastest: ArgMax<Real>,
        pub slow: Nearest<3>,
        pub most: Max<Real>,
    }
    impl Measure for Tally {
        type P = Item;
        type Q = Guide;
        type F = Pulled;
        type T = Sums;
        fn measure(&self, p: &Item, q: &Guide, f: &Pulled, t: &mut Sums) {
            t.energy += self.scale * p.mass * p.vel.norm2() + f.pot;
            t.momentum += p.mass * (p.pos - q.pos);
            t.pressure += p.mass * Tensor::symmetric(p.vel, f.acc);
            t.pressure.zz -= p.strain.trace();
            t.least.min(p.vel.x);
            t.most.max(f.acc.y);
            if q.flag == 1 {
                t.count += 1;
                t.slowest.min(p.table[2]);
                t.fastest.max(p.table[2]);
                t.slow.insert(p.table[2]);
            }
        }
    }

    /// A time step, and other properties of all items.
    pub struct Course {
        pub scale: Real,
    }
    pub struct Pace {
        pub dt: Min<Real>,
        pub heat: Real,
        pub drift: Vector,
        pub bins: [Count; 3],
        pub shear: Tensor<2>,
        pub count: Count,
        pub coldest: ArgMin<Real>,
        pub powers: [Real; 2],
        pub cold: Nearest<2>,
    }
    impl Measure for Course {
        type P = Item;
        type T = Pace;
        fn measure(&self, p: &Item, t: &mut Pace) {
            t.dt.min(self.scale / (1.0 + p.vel.norm2()));
            t.heat += p.mass * p.vel.norm2();
            t.drift += p.mass * p.vel;
            t.bins[p.kind] += 1;
            t.shear += p.mass * p.strain;
            t.coldest.min(p.table[2]);
            t.cold.insert(p.table[2]);
            t.powers[1] += p.mass * p.mass;
            if p.active != 0 {
                t.count += 1;
            }
        }
    }

    /// The same fields in another order, between others.
    pub struct MarkedPace {
        pub mark: Real,
        pub cold: Nearest<2>,
        pub bins: [Count; 3],
        pub powers: [Real; 2],
        pub coldest: ArgMin<Real>,
        pub others: Count,
        pub shear: Tensor<2>,
        pub drift: Vector,
        pub count: Count,
        pub heat: Real,
        pub dt: Min<Real>,
    }
    pub struct MarkedCourse {
        pub scale: Real,
    }
    impl Measure for MarkedCourse {
        type P = Item;
        type T = MarkedPace;
        fn measure(&self, p: &Item, t: &mut MarkedPace) {
            t.mark -= 77.0;
            t.others += 3;
            t.dt.min(self.scale / (1.0 + p.vel.norm2()));
            t.heat += p.mass * p.vel.norm2();
            t.drift += p.mass * p.vel;
            t.bins[p.kind] += 1;
            t.shear += p.mass * p.strain;
            t.coldest.min(p.table[2]);
            t.cold.insert(p.table[2]);
            t.powers[1] += p.mass * p.mass;
            if p.active != 0 {
                t.count += 1;
            }
        }
    }

    /// A measure whose total is a result of the interaction.
    pub struct Impulse {
        pub dt: Real,
    }
    impl Measure for Impulse {
        type P = Item;
        type T = Pulled;
        fn measure(&self, p: &Item, t: &mut Pulled) {
            t.acc += p.mass * p.vel;
            t.pot += self.dt * p.mass;
            t.near += 1;
        }
    }

    /// A step whose length all items tell.
    pub struct Paced {
        pub rate: Real,
    }
    impl Update for Paced {
        type P = Item;
        type Q = Guide;
        type F = Pulled;
        type G = Pace;
        fn update(&self, p: &mut Item, q: &Guide, f: &Pulled, all: &Pace) {
            let d = q.pos - p.pos;
            let dt = self.rate * all.dt;
            p.vel += dt * f.acc - all.drift / (1.0 + all.heat);
            p.pos += dt * p.vel;
            p.table[1] = d.norm2() + all.coldest.value + all.cold.values[1].min(8.0);
            p.mass += all.powers[1] - all.powers[0];
            p.strain += dt * all.shear;
            p.kind = all.coldest.index + all.bins[1] + 2 * all.count + 3 * all.cold.indices[1];
        }
    }

    /// A measure that reads the total of another one.
    pub struct Retally {
        pub scale: Real,
    }
    impl Measure for Retally {
        type P = Item;
        type Q = Guide;
        type F = Pulled;
        type G = Pace;
        type T = Sums;
        fn measure(&self, p: &Item, q: &Guide, f: &Pulled, g: &Pace, t: &mut Sums) {
            let v = p.vel - g.drift;
            t.energy += self.scale * p.mass * v.norm2() + g.dt * f.pot;
            t.momentum += p.mass * (p.pos - q.pos);
            t.pressure += p.mass * Tensor::symmetric(v, f.acc);
            t.least.min(v.x);
            t.most.max(f.acc.y + g.coldest.value);
            if p.kind == g.bins[2] || q.flag == 1 {
                t.count += g.count;
                t.slowest.min(p.table[2] * g.heat);
                t.fastest.max(p.table[2] * g.heat);
                t.slow.insert(p.table[2] * g.heat);
            }
        }
    }

    /// Follows the guides of other items.
    pub struct Mirror {
        pub rate: Real,
        pub last: u32,
    }
    impl Update for Mirror {
        type P = Item;
        type Q = Guide;
        type F = Pulled;
        type G = Pace;
        fn update(&self, p: &mut Item, q: &Guide, f: &Pulled, g: &Pace) {
            let other = (3 * p.kind + 7 * q.flag + g.bins[1]).min(self.last);
            let d = q[other].pos - p.pos;
            p.vel += self.rate * q[other].weight * d;
            p.kind = q[p.kind.min(self.last)].flag + f.near;
            p.table[2] = (q[0].pos - q[other].pos).norm2();
            p.pos += self.rate * d;
        }
    }
    pub struct Spacing {
        pub last: u32,
    }
    impl Measure for Spacing {
        type P = Item;
        type Q = Guide;
        type F = Pulled;
        type G = Pace;
        type T = Sums;
        fn measure(&self, p: &Item, q: &Guide, f: &Pulled, g: &Pace, t: &mut Sums) {
            let next = (p.kind * g.count + q.flag + f.near).min(self.last);
            t.momentum += q[next].weight * (q[next].pos - p.pos);
            t.energy += (q.pos - q[self.last].pos).norm2();
            if q[next].flag == 1 {
                t.count += 1;
                t.slowest.min(q[next].weight);
                t.fastest.max(q[next].weight);
                t.slow.insert(q[next].weight);
            }
            t.pressure += p.mass * Tensor::symmetric(p.vel, f.acc);
            t.least.min(p.vel.x);
            t.most.max(f.acc.y);
        }
    }

    /// Another second record.
    pub struct Lamp {
        pub light: Real,
        pub at: Point,
        pub hue: u32,
    }
    /// Results of another interaction.
    pub struct Glow {
        pub heat: Real,
        pub most: Max<Real>,
        pub hits: Count,
    }
    pub struct Shine {
        pub scale: Real,
    }
    impl Interaction for Shine {
        type I = Item;
        type J = Item;
        type F = Glow;
        fn pair(&self, i: &Item, j: &Item, f: &mut Glow) {
            let d = j.pos - i.pos;
            f.heat += self.scale * j.mass * d.norm2();
            f.most.max(j.table[2]);
            if j.active != 0 {
                f.hits += 1;
            }
        }
    }

    /// Reads several records of each kind, one struct twice.
    pub struct Merge {
        pub rate: Real,
        pub last: u32,
    }
    impl Update for Merge {
        type P = Item;
        type Q = (Guide, Lamp);
        type F = (Pulled, Glow, Pulled);
        type G = (Pace, Pulled);
        fn update(
            &self,
            p: &mut Item,
            q: &Guide,
            lamp: &Lamp,
            f: &Pulled,
            glow: &Glow,
            pushed: &Pulled,
            g: &Pace,
            all: &Pulled,
        ) {
            let d = q.pos - lamp.at;
            let other = (p.kind + lamp.hue + glow.hits).min(self.last);
            p.vel += self.rate * (f.acc - pushed.acc) + lamp.light * d;
            p.pos += g.powers[1] * p.vel + lamp[other].light * (lamp[other].at - q[other].pos);
            p.mass += glow.heat - all.pot;
            p.table[0] = glow.most + pushed.pot;
            p.kind = q[other].flag + 2 * lamp.hue + f.near + 3 * pushed.near + all.near + g.count;
        }
    }
    pub struct Census {
        pub rate: Real,
        pub last: u32,
    }
    impl Measure for Census {
        type P = Item;
        type Q = (Guide, Lamp);
        type F = (Pulled, Glow, Pulled);
        type G = (Pace, Pulled);
        type T = Sums;
        fn measure(
            &self,
            p: &Item,
            q: &Guide,
            lamp: &Lamp,
            f: &Pulled,
            glow: &Glow,
            pushed: &Pulled,
            g: &Pace,
            all: &Pulled,
            t: &mut Sums,
        ) {
            let other = (p.kind + lamp.hue + glow.hits).min(self.last);
            t.momentum += q[other].weight * (lamp[other].at - p.pos);
            t.energy += glow.heat * pushed.pot + g.heat * all.pot;
            t.pressure += lamp.light * Tensor::symmetric(f.acc, pushed.acc);
            t.least.min(glow.most - self.rate * all.acc.x);
            t.most.max(lamp.light);
            if q.flag == 1 {
                t.count += f.near + 2 * pushed.near + g.count + all.near;
                t.slowest.min(glow.heat);
                t.fastest.max(glow.heat);
                t.slow.insert(lamp.light);
            }
        }
    }

    /// Reads the second particle of any index.
    pub struct Take;
    impl Update for Take {
        type P = Item;
        type Q = Item;
        fn update(&self, p: &mut Item, q: &Item) {
            p.pos += q[p.kind].vel;
            p.table[0] = q[p.kind].mass;
            p.kind = q[p.kind].kind;
        }
    }

    /// Moves and rescales items, and reads nothing else.
    pub struct Rescale {
        pub heat: Real,
    }
    impl Update for Rescale {
        type P = Item;
        type G = Pace;
        fn update(&self, p: &mut Item, g: &Pace) {
            p.vel *= (self.heat / g.heat).sqrt();
            p.pos += g.dt * p.vel;
        }
    }

    // Each record of a module must be used by an interaction or a program.
    pub struct MarkItems;
    impl Update for MarkItems {
        type P = MarkedItem;
        type Q = MarkedGuide;
        fn update(&self, p: &mut MarkedItem, q: &MarkedGuide) {
            p.id += q.mark;
        }
    }
}

use programs::{Guide, Item, MarkedGuide, MarkedItem};

impl Item {
    /// Returns the marked record; its other fields hold numbers of particle `k`.
    pub fn marked(self, k: usize) -> MarkedItem {
        let Self { pos, kind, vel, table, active, mass, strain } = self;
        let (mark, id) = (-77.0 - k as f64, !0 - k as u32);
        let start = nbody::Point([mark; 3]);
        MarkedItem { mark, active, mass, start, strain, table, id, pos, vel, kind }
    }
}

impl Guide {
    /// Returns the marked record; its other fields hold numbers of particle `k`.
    pub fn marked(self, k: usize) -> MarkedGuide {
        let Self { flag, weight, pos } = self;
        let was = nbody::Point([-77.0 - k as f64; 3]);
        MarkedGuide { pos, mark: !0, weight, was, flag }
    }
}
