//! Tuples of one to four particles, which together use the whole language of tuples.

pub use beads::{
    Anchor, Bead, Bend, Counts, Link, Marked, MarkedPull, Pairs, Pin, Pull, Rod, Turn, Twist,
};

#[nbody::interaction]
pub mod beads {
    /// Holds a particle at a place.
    pub struct Anchor {
        pub stiffness: Real,
        pub table: [Real; 3],
    }
    /// A pair with every reduction, and more results than a block of a GPU passes on at once.
    pub struct Link;
    /// Three particles without a record.
    pub struct Bend {
        pub scale: Real,
    }
    /// Four particles, with a table of parameters.
    pub struct Twist {
        pub rates: [[Real; 2]; 2],
    }

    pub struct Bead {
        pub pos: Point,
        pub kind: u32,
        pub charge: Real,
        pub spin: Vector,
        pub weights: [Real; 2],
    }
    /// The same fields in another order, among others.
    pub struct Marked {
        pub id: u32,
        pub weights: [Real; 2],
        pub charge: Real,
        pub start: Point,
        pub pos: Point,
        pub spin: Vector,
        pub mark: Real,
        pub kind: u32,
    }
    pub struct Pin {
        pub kind: u32,
        pub place: Point,
    }
    pub struct Rod {
        pub length: Real,
        pub k: Real,
    }
    pub struct Turn {
        pub axis: Vector,
        pub n: u32,
    }
    pub struct Pull {
        pub force: Vector,
        pub pot: Real,
    }
    /// The same fields in another order, among others.
    pub struct MarkedPull {
        pub near: Count,
        pub pot: Real,
        pub rest: [Real; 2],
        pub force: Vector,
        pub least: Min<Real>,
    }
    pub struct Counts {
        pub force: Vector,
        pub least: Min<Real>,
        pub near: Count,
        pub most: Max<Real>,
        pub parts: [Real; 12],
        pub stress: Tensor,
    }

    /// Pairs, whose results tuples are added to.
    pub struct Pairs;

    impl Interaction for Pairs {
        type I = Marked;
        type J = Bead;
        type F = MarkedPull;
        fn pair(&self, i: &Marked, j: &Bead, f: &mut MarkedPull) {
            let d = j.pos - i.pos;
            f.force += j.charge * d;
            f.pot += d.norm2();
            f.least.min(d.norm2());
            f.rest[0] += j.weights[0];
            f.rest[1] -= i.weights[1];
            if j.kind > i.kind {
                f.near += 1;
            }
        }
    }

    impl Tuple for Anchor {
        type P = Bead;
        type T = Pin;
        type F = Pull;
        fn tuple(&self, t: &Pin, [a]: [&Bead; 1], [f]: [&mut Pull; 1]) {
            let d = a.pos - t.place;
            let k = self.stiffness * self.table[t.kind];
            f.force -= k * d;
            f.pot += 0.5 * k * d.norm2();
        }
    }

    impl Tuple for Link {
        type T = Rod;
        type P = Bead;
        type F = Counts;
        fn tuple(&self, t: &Rod, [a, b]: [&Bead; 2], [f, g]: [&mut Counts; 2]) {
            let d = a.pos - b.pos;
            let r = d.norm2().sqrt();
            let pull = t.k * (r - t.length) / r;
            f.force -= pull * d;
            g.force += pull * d;
            f.stress -= pull * Tensor::outer(d);
            g.stress += Tensor::symmetric(d, a.spin);
            f.least.min(r);
            g.least.min(r - b.charge);
            f.most.max(r * a.charge);
            g.most.max(r);
            if r < t.length {
                f.near += 1;
                g.near += a.kind;
            }
            if a.kind > b.kind {
                f.parts[1] += a.weights[0];
                return;
            }
            g.parts[0] += b.weights[1] * r;
            f.parts[0] -= a.charge;
            g.parts[11] += 1.0;
        }
    }

    impl Tuple for Bend {
        type P = Bead;
        type F = Pull;
        fn tuple(&self, [a, b, c]: [&Bead; 3], [fa, fb, fc]: [&mut Pull; 3]) {
            let p = a.pos - b.pos;
            let q = c.pos - b.pos;
            let e = self.scale * p.dot(q) * b.charge;
            let of_a = e.gradient(a.pos);
            let of_c = e.gradient(c.pos);
            fa.force -= of_a;
            fc.force -= of_c;
            fb.force += of_a + of_c;
            fa.pot += e;
            fb.pot += p.norm2();
            fc.pot -= q.norm2();
        }
    }

    impl Tuple for Twist {
        type P = Bead;
        type T = Turn;
        type F = Pull;
        fn tuple(&self, t: &Turn, [a, b, c, d]: [&Bead; 4], [fa, fb, fc, fd]: [&mut Pull; 4]) {
            let ends = d.pos - a.pos;
            let axis = c.pos - b.pos;
            let turn = t.axis.cross(ends) + axis.cross(b.spin);
            let rate = self.rates[a.kind & 1][t.n % 2];
            let mut sum = 0.0;
            for k in 0..2 {
                sum += a.weights[k] * d.weights[1 - k];
            }
            fa.force += rate * turn;
            fb.force -= sum * axis;
            fc.force += sum * axis;
            fd.force -= rate * turn;
            fa.pot += rate;
            fb.pot += turn.dot(axis);
            fc.pot += t.n as Real;
            fd.pot -= sum;
        }
    }
}
