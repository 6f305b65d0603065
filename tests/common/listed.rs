//! Interactions for the tests of neighbour lists in every way, and records that hold their
//! particles among other fields.

use nbody::law::Record;
use nbody::{Interaction, Point, Spline, Vector};

use laws::{
    Disc, Flat, Grain, MarkedDisc, MarkedGrain, MarkedNode, MarkedProbe, MarkedSource, Node,
    Pressed, Probe, Ranked, Source, Strain, Tabled,
};

#[nbody::interaction]
pub mod laws {
    /// A constant cutoff, two types of particles, and a table and splines by their kinds.
    pub struct Tabled {
        pub strength: [[Real; 4]; 2],
        pub fall: [Spline<12>; 4],
        pub cutoff: Real,
        pub core2: Real,
    }
    /// A cutoff by the larger of two particles, and every reduction.
    pub struct Ranked {
        pub factor: Real,
    }
    /// A cutoff by both particles, and results that name no particle.
    pub struct Pressed {
        pub factor: Real,
    }
    /// A cutoff by the i-particle, in a plane; particles act on themselves.
    pub struct Flat {
        pub factor: Real,
    }
    /// Two positions of each particle and nothing else, without a cutoff.
    pub struct Strain {
        pub core2: Real,
    }

    pub struct Probe {
        pub kind: u32,
        pub pos: Point,
    }
    pub struct MarkedProbe {
        pub start: Point,
        pub pos: Point,
        pub mark: Real,
        pub kind: u32,
    }
    pub struct Source {
        pub charge: Real,
        pub pos: Point,
        pub kind: u32,
    }
    pub struct MarkedSource {
        pub id: u32,
        pub kind: u32,
        pub vel: Vector,
        pub pos: Point,
        pub charge: Real,
    }
    pub struct Force {
        pub force: Vector,
        pub by_kind: [Real; 4],
        pub count: Count,
    }

    pub struct Grain {
        pub h: Real,
        pub pos: Point,
        pub kind: u32,
        pub charge: Real,
    }
    // The first number is where `h` is in the other record.
    pub struct MarkedGrain {
        pub mark: Real,
        pub charge: Real,
        pub start: Point,
        pub kind: u32,
        pub pos: Point,
        pub h: Real,
    }
    pub struct Rank {
        pub nearest: ArgMin<Real>,
        pub sum: Real,
        pub near: Nearest<3>,
        pub kind: ArgMax<Real>,
        pub least: Min<Real>,
        pub count: Count,
        pub most: Max<Real>,
    }

    pub struct Press {
        pub force: Vector,
        pub virial: Tensor,
        pub least: Min<Real>,
        pub most: Max<Real>,
        pub count: Count,
    }

    pub struct Disc {
        pub pos: Point<2>,
        pub h: Real,
        pub charge: Real,
    }
    // The third number is where `h` is in the other record.
    pub struct MarkedDisc {
        pub h: Real,
        pub charge: Real,
        pub mark: Real,
        pub id: u32,
        pub pos: Point<2>,
    }
    pub struct Push {
        pub push: Vector<2>,
        pub nearest: Nearest<2>,
        pub count: Count,
    }

    pub struct Node {
        pub pos: Point,
        pub was: Point,
    }
    pub struct MarkedNode {
        pub mark: u32,
        pub was: Point,
        pub between: Point,
        pub pos: Point,
    }
    pub struct Work {
        pub pull: Vector,
        pub work: Real,
        pub count: Count,
        pub nearest: ArgMin<Real>,
    }

    impl Interaction for Tabled {
        type I = Probe;
        type J = Source;
        type F = Force;

        fn cutoff(&self, _i: &Probe, _j: &Source) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Probe, j: &Source, f: &mut Force) {
            let d = j.pos - i.pos;
            let r2 = d.norm2();
            let strength = self.strength[i.kind & 1][j.kind] * self.fall[j.kind].at(r2);
            let w = strength * j.charge / (self.core2 + r2);
            f.force += w * d;
            for k in 0..4 {
                if j.kind == k {
                    f.by_kind[k] += w;
                }
            }
            f.count += 1;
        }
    }

    impl Interaction for Ranked {
        type I = Grain;
        type J = Grain;
        type F = Rank;

        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            self.factor * i.h.max(j.h)
        }

        fn pair(&self, i: &Grain, j: &Grain, f: &mut Rank) {
            let r2 = (i.pos - j.pos).norm2();
            f.nearest.min(r2);
            f.kind.max(j.kind as Real);
            f.near.insert(r2);
            f.least.min(i.charge - j.charge);
            f.most.max(j.charge * i.charge);
            f.sum += j.charge / (r2 + j.h * i.h);
            f.count += j.kind;
        }
    }

    impl Interaction for Pressed {
        type I = Grain;
        type J = Grain;
        type F = Press;

        fn cutoff(&self, i: &Grain, j: &Grain) -> Real {
            self.factor * (i.h + j.h)
        }

        fn pair(&self, i: &Grain, j: &Grain, f: &mut Press) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let push = j.charge / (r2 + j.h * i.h) * d;
            f.force += push;
            f.virial += 0.5 * Tensor::symmetric(d, push);
            f.least.min(i.charge - j.charge);
            f.most.max(r2);
            f.count += 1;
        }
    }

    impl Interaction for Flat {
        type I = Disc;
        type J = Disc;
        type F = Push;
        const SELF_PAIRS: bool = true;

        fn cutoff(&self, i: &Disc, _j: &Disc) -> Real {
            self.factor * i.h
        }

        fn pair(&self, i: &Disc, j: &Disc, f: &mut Push) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            f.push += j.charge / (i.h * i.h + r2) * d;
            f.nearest.insert(r2);
            f.count += 1;
        }
    }

    impl Interaction for Strain {
        type I = Node;
        type J = Node;
        type F = Work;

        fn pair(&self, i: &Node, j: &Node, f: &mut Work) {
            let d = i.pos - j.pos;
            let was = i.was - j.was;
            f.work += d.dot(was);
            f.pull += (was - d) / (self.core2 + d.norm2());
            f.nearest.min(was.norm2());
            f.count += 1;
        }
    }

    // Each record of a module must be used by an interaction or a program.
    pub struct MarkPairs;
    impl Update for MarkPairs {
        type P = MarkedProbe;
        type Q = MarkedSource;
        fn update(&self, p: &mut MarkedProbe, q: &MarkedSource) {
            p.mark = q.charge;
        }
    }
    pub struct MarkGrains;
    impl Update for MarkGrains {
        type P = MarkedGrain;
        type Q = MarkedDisc;
        fn update(&self, p: &mut MarkedGrain, q: &MarkedDisc) {
            p.mark = q.mark;
        }
    }
    pub struct MarkNodes;
    impl Update for MarkNodes {
        type P = MarkedNode;
        fn update(&self, p: &mut MarkedNode) {
            p.mark += 1;
        }
    }
}

/// Particle of these interactions.
pub trait Particle: Record<Lane = f64, Host = Self> {
    /// Record with the same fields in another order, between other fields.
    type Marked: Record<Lane = f64, Host = Self::Marked>;

    /// Returns the marked record; its other fields hold numbers of particle `k`.
    fn marked(&self, k: usize) -> Self::Marked;
    /// Returns the coordinates of the position.
    fn coordinates(&mut self) -> &mut [f64];
    /// Returns the numbers that determine the cutoff.
    fn reaches(&mut self) -> &mut [f64] {
        &mut []
    }
    /// Multiplies all lengths by a factor.
    fn scale(&mut self, factor: f64);
}

/// A number that lengthens no cutoff, in the place of one that cutoffs depend on.
const NO_REACH: f64 = 0.0;

/// Returns a number of particle `k` that no test expects.
fn mark(k: usize) -> f64 {
    -77.0 - k as f64
}

fn scaled<const D: usize>(pos: Point<f64, D>, factor: f64) -> Point<f64, D> {
    Point(pos.0.map(|x| factor * x))
}

impl Particle for Probe {
    type Marked = MarkedProbe;

    fn marked(&self, k: usize) -> MarkedProbe {
        let Self { kind, pos } = *self;
        MarkedProbe { start: Point([mark(k); 3]), pos, mark: mark(k), kind }
    }
    fn coordinates(&mut self) -> &mut [f64] {
        &mut self.pos.0
    }
    fn scale(&mut self, factor: f64) {
        self.pos = scaled(self.pos, factor);
    }
}

impl Particle for Source {
    type Marked = MarkedSource;

    fn marked(&self, k: usize) -> MarkedSource {
        let Self { charge, pos, kind } = *self;
        MarkedSource { id: !0, kind, vel: Vector([mark(k); 3]), pos, charge }
    }
    fn coordinates(&mut self) -> &mut [f64] {
        &mut self.pos.0
    }
    fn scale(&mut self, factor: f64) {
        self.pos = scaled(self.pos, factor);
    }
}

impl Particle for Grain {
    type Marked = MarkedGrain;

    fn marked(&self, k: usize) -> MarkedGrain {
        let Self { h, pos, kind, charge } = *self;
        MarkedGrain { mark: NO_REACH, charge, start: Point([mark(k); 3]), kind, pos, h }
    }
    fn coordinates(&mut self) -> &mut [f64] {
        &mut self.pos.0
    }
    fn reaches(&mut self) -> &mut [f64] {
        std::slice::from_mut(&mut self.h)
    }
    fn scale(&mut self, factor: f64) {
        (self.pos, self.h) = (scaled(self.pos, factor), factor * self.h);
    }
}

impl Particle for Disc {
    type Marked = MarkedDisc;

    fn marked(&self, k: usize) -> MarkedDisc {
        let Self { pos, h, charge } = *self;
        MarkedDisc { h, charge, mark: NO_REACH, id: k as u32, pos }
    }
    fn coordinates(&mut self) -> &mut [f64] {
        &mut self.pos.0
    }
    fn reaches(&mut self) -> &mut [f64] {
        std::slice::from_mut(&mut self.h)
    }
    fn scale(&mut self, factor: f64) {
        (self.pos, self.h) = (scaled(self.pos, factor), factor * self.h);
    }
}

impl Particle for Node {
    type Marked = MarkedNode;

    fn marked(&self, k: usize) -> MarkedNode {
        let Self { pos, was } = *self;
        MarkedNode { mark: !0, was, between: Point([mark(k); 3]), pos }
    }
    fn coordinates(&mut self) -> &mut [f64] {
        &mut self.pos.0
    }
    fn scale(&mut self, factor: f64) {
        (self.pos, self.was) = (scaled(self.pos, factor), scaled(self.was, factor));
    }
}

/// One of these interactions, in a unit of length.
pub trait Listed: Interaction<I: Particle, J: Particle> {
    /// Creates the interaction in this unit of length; in a box of length 2 its cutoff is less
    /// than 1.
    fn in_unit(unit: f64) -> Self;
    /// Returns the j-particle of one set as an i-particle.
    fn target(j: &Self::J) -> Self::I;
}

impl Listed for Tabled {
    fn in_unit(unit: f64) -> Self {
        let strength = [[0.3, -0.7, 1.1, 0.9], [1.7, 0.1, -0.2, 0.6]];
        let unit2 = unit * unit;
        // Some squares of distances are before and some behind the knots.
        let fall = |k: usize| {
            let [first, rate] = [0.02 - 0.005 * k as f64, 4.0 + k as f64];
            Spline::from_fn(first * unit2..=0.15 * unit2, |r2| (-rate * r2 / unit2).exp())
                .expect("a finite function")
        };
        Self {
            strength,
            fall: std::array::from_fn(fall).into(),
            cutoff: 0.4375 * unit,
            core2: 0.0125 * unit2,
        }
    }
    fn target(j: &Source) -> Probe {
        Probe { kind: j.kind, pos: j.pos }
    }
}

impl Listed for Ranked {
    fn in_unit(_: f64) -> Self {
        Self { factor: 2.5 }
    }
    fn target(j: &Grain) -> Grain {
        *j
    }
}

impl Listed for Pressed {
    fn in_unit(_: f64) -> Self {
        Self { factor: 1.25 }
    }
    fn target(j: &Grain) -> Grain {
        *j
    }
}

impl Listed for Flat {
    fn in_unit(_: f64) -> Self {
        Self { factor: 2.0 }
    }
    fn target(j: &Disc) -> Disc {
        *j
    }
}

impl Listed for Strain {
    fn in_unit(unit: f64) -> Self {
        Self { core2: 0.0625 * unit * unit }
    }
    fn target(j: &Node) -> Node {
        *j
    }
}
