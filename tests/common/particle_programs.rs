//! Programs per particle: a kick by the results of an interaction, a drift, an update with second
//! particles, and a measure with every reduction.

pub use programs::{
    Advance, Announce, Body, Drift, Energy, Field, Kick, Mark, Moments, Pull, Relax, Runner,
    Spread, Star, Total,
};

#[nbody::interaction]
pub mod programs {
    pub struct Pull {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
        pub kind: u32,
        pub table: [Real; 3],
    }
    pub struct Star {
        pub flag: u32,
        pub weight: Real,
        pub pos: Point,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
        pub near: Count,
    }

    impl Interaction for Pull {
        type I = Body;
        type J = Body;
        type F = Field;
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot -= (d.norm2() + self.eps2) * j.mass;
            if d.norm2() < 0.25 {
                f.near += 1;
            }
        }
    }

    pub struct Kick {
        pub dt: Real,
    }
    impl Update for Kick {
        type P = Body;
        type F = Field;
        fn update(&self, p: &mut Body, f: &Field) {
            p.vel += self.dt * f.acc;
            p.kind = f.near;
        }
    }

    pub struct Drift {
        pub dt: Real,
    }
    impl Update for Drift {
        type P = Body;
        fn update(&self, p: &mut Body) {
            p.pos += self.dt * p.vel;
        }
    }

    pub struct Relax {
        pub rate: Real,
    }
    impl Update for Relax {
        type P = Body;
        type Q = Star;
        fn update(&self, p: &mut Body, q: &Star) {
            let d = q.pos - p.pos;
            p.vel += self.rate / q.weight.sqrt() * d;
            p.mass -= q.weight / 3.0;
            p.table[1] = d.norm2();
            p.pos -= self.rate * d;
            if q.flag == 1 {
                p.kind += q.flag + 2;
            }
        }
    }

    /// A particle that takes part or not.
    pub struct Runner {
        pub id: u32,
        pub pos: Point,
        pub active: u32,
        pub due: u32,
        pub x: Real,
    }

    pub struct Advance {
        pub dt: Real,
    }
    impl Update for Advance {
        type P = Runner;
        type Q = Runner;
        fn update(&self, p: &mut Runner, q: &Runner) {
            p.x += self.dt * q.x;
        }
    }

    /// Tells the time of a selection.
    pub struct Announce {
        pub unit: Real,
        pub due: u32,
    }
    impl Update for Announce {
        type P = Runner;
        fn update(&self, p: &mut Runner) {
            p.x = self.unit * self.due as Real;
        }
    }

    pub struct Mark;
    impl Update for Mark {
        type P = Runner;
        type Q = Runner;
        fn update(&self, p: &mut Runner, q: &Runner) {
            p.x = q.id as Real;
        }
    }

    pub struct Energy {
        pub scale: Real,
    }
    pub struct Total {
        pub kinetic: Real,
        pub momentum: Vector,
        pub least: Min<Real>,
        pub most: Max<Real>,
        pub count: Count,
        pub slowest: ArgMin<Real>,
        pub fastest: ArgMax<Real>,
    }
    impl Measure for Energy {
        type P = Body;
        type Q = Star;
        type F = Field;
        type T = Total;
        fn measure(&self, p: &Body, q: &Star, f: &Field, t: &mut Total) {
            t.kinetic += self.scale * p.mass * p.vel.norm2() + f.pot;
            t.momentum += p.mass * (p.pos - q.pos);
            t.least.min(p.vel.x);
            t.most.max(f.acc.y);
            if q.flag == 1 {
                t.count += 1;
                t.slowest.min(p.table[2]);
                t.fastest.max(p.table[2]);
            }
        }
    }

    /// A measure whose totals exceed the shared memory of a block.
    pub struct Spread {
        pub scale: Real,
    }
    pub struct Moments {
        pub moments: [Real; 160],
    }
    impl Measure for Spread {
        type P = Star;
        type T = Moments;
        fn measure(&self, p: &Star, t: &mut Moments) {
            for k in 0..160 {
                t.moments[k] += (self.scale + k as Real) * p.weight;
            }
        }
    }
}
