//! Particles with several points: over given pairs, and in programs per particle.

/// Particles with points at various places of their records.
#[nbody::interaction]
pub mod points {
    pub struct Moved {
        pub pos: Point,
        pub was: Point,
        pub im: Real,
    }
    pub struct Bare {
        pub was: Point,
        pub pos: Point,
    }
    pub struct Flat {
        pub kind: u32,
        pub at: Point<2>,
        pub weight: Real,
        pub was: Point<2>,
        pub next: Point<2>,
    }
    /// A particle with only one point, which acts on particles with two.
    pub struct Anchor {
        pub weight: Real,
        pub at: Point,
    }
    /// Fields of `Moved` and others, in another order.
    pub struct Atom {
        pub kind: u32,
        pub im: Real,
        pub was: Point,
        pub vel: Vector,
        pub pos: Point,
    }
    /// A particle without a point.
    pub struct Placeless {
        pub weight: Real,
        pub kind: u32,
    }
    pub struct Sums {
        pub by: Real,
        pub across: Real,
        pub was: Vector,
        pub count: Count,
    }
    pub struct FlatSums {
        pub by: Real,
        pub was: Vector<2>,
    }

    pub struct ByMoved;
    pub struct ByBare;
    pub struct ByFlat;
    pub struct ByAnchor;
    /// Acts from nowhere on particles with points.
    pub struct FromPlaceless;
    /// Points in a plane act on points in space.
    pub struct ByPlane;
    /// Acts with the distance from a fixed point.
    pub struct ByCentre {
        pub centre: Point,
        pub factor: Real,
    }
    /// The same within a cutoff.
    pub struct NearCentre {
        pub cutoff: Real,
        pub centre: Point,
    }

    impl Interaction for ByMoved {
        type I = Moved;
        type J = Moved;
        type F = Sums;
        fn pair(&self, i: &Moved, j: &Moved, f: &mut Sums) {
            let was = i.was - j.was;
            f.by += j.im * (i.pos - j.pos).dot(was);
            f.across += (i.pos - j.was).norm2();
            f.was += was;
            f.count += 1;
        }
    }
    impl Interaction for ByBare {
        type I = Bare;
        type J = Bare;
        type F = Sums;
        fn pair(&self, i: &Bare, j: &Bare, f: &mut Sums) {
            let was = i.was - j.was;
            f.by += (i.pos - j.pos).dot(was);
            f.across += (i.was - j.pos).norm2();
            f.was += was;
            f.count += 1;
        }
    }
    impl Interaction for ByFlat {
        type I = Flat;
        type J = Flat;
        type F = FlatSums;
        fn pair(&self, i: &Flat, j: &Flat, f: &mut FlatSums) {
            f.by += j.weight * (i.at - j.at).dot(i.next - j.next);
            f.was += i.was - j.was;
        }
    }
    impl Interaction for ByAnchor {
        type I = Moved;
        type J = Anchor;
        type F = Sums;
        fn pair(&self, i: &Moved, j: &Anchor, f: &mut Sums) {
            let was = i.was - j.at;
            f.by += j.weight * (i.pos - j.at).dot(was);
            f.across += was.norm2();
            f.was += was;
            f.count += 1;
        }
    }

    impl Interaction for FromPlaceless {
        type I = Moved;
        type J = Placeless;
        type F = Sums;
        fn pair(&self, i: &Moved, j: &Placeless, f: &mut Sums) {
            let was = i.was - i.pos;
            f.by += j.weight;
            f.across += was.norm2() * j.kind as Real;
            f.was += was;
            f.count += 1;
        }
    }
    impl Interaction for ByPlane {
        type I = Moved;
        type J = Flat;
        type F = Sums;
        fn pair(&self, i: &Moved, j: &Flat, f: &mut Sums) {
            let was = i.was - i.pos;
            f.by += j.weight * was.x + (j.was - j.next).norm2();
            f.across += was.norm2() * j.kind as Real;
            f.was += was;
            f.count += 1;
        }
    }

    impl Interaction for ByCentre {
        type I = Anchor;
        type J = Anchor;
        type F = Sums;
        fn pair(&self, i: &Anchor, j: &Anchor, f: &mut Sums) {
            let from = i.at - self.centre;
            f.by += self.factor * from.dot(i.at - j.at);
            f.across += (self.centre - j.at).norm2();
            f.was += j.weight * from;
            f.count += 1;
        }
    }
    impl Interaction for NearCentre {
        type I = Anchor;
        type J = Anchor;
        type F = Sums;
        fn cutoff(&self, _i: &Anchor, _j: &Anchor) -> Real {
            self.cutoff
        }
        fn pair(&self, i: &Anchor, j: &Anchor, f: &mut Sums) {
            let from = i.at - self.centre;
            f.by += from.dot(i.at - j.at);
            f.across += (self.centre - j.at).norm2();
            f.was += j.weight * from;
            f.count += 1;
        }
    }

    /// Keeps where a particle was, and moves it towards another one.
    pub struct Step {
        pub rate: Real,
    }
    impl Update for Step {
        type P = Atom;
        type Q = Bare;
        fn update(&self, p: &mut Atom, q: &Bare) {
            let to = q.was - p.pos;
            p.im = (p.pos - p.was).norm2() + p.vel.x * p.kind as Real;
            p.was = p.pos;
            p.pos += self.rate * to;
        }
    }
}

use super::contacts::Random;
use points::{Anchor, Atom, Bare, Flat, Moved, Placeless};

impl Random {
    /// Returns a point within `n` units of the origin along each axis.
    fn point(&mut self, n: u64) -> nbody::Point {
        nbody::Point([0; 3].map(|_| self.around(n)))
    }

    /// Returns particles in a box of length 2 and in its images.
    pub fn moved(&mut self, n: usize) -> Vec<Moved> {
        let moved = |_| {
            let im = 0.25 * (1 + self.below(8)) as f64;
            Moved { pos: self.point(1024), was: self.point(3000), im }
        };
        (0..n).map(moved).collect()
    }

    /// Returns such particles with other fields.
    pub fn atoms(&mut self, n: usize) -> Vec<Atom> {
        let vel = nbody::Vector::new(0.5, 1e6, -3.0);
        let atom = |it: Moved| Atom { kind: 7, im: it.im, was: it.was, vel, pos: it.pos };
        self.moved(n).into_iter().map(atom).collect()
    }

    /// Returns such particles with no other number.
    pub fn bare(&mut self, n: usize) -> Vec<Bare> {
        (0..n).map(|_| Bare { was: self.point(3000), pos: self.point(1024) }).collect()
    }

    /// Returns such particles in two dimensions.
    pub fn flat(&mut self, n: usize) -> Vec<Flat> {
        let flat = |k| {
            let [at, was, next] = [1024, 3000, 2000].map(|n| {
                let [x, y, _] = self.point(n).0;
                nbody::Point([x, y])
            });
            Flat { kind: k as u32, at, weight: 0.5 * (1 + self.below(8)) as f64, was, next }
        };
        (0..n).map(flat).collect()
    }

    /// Returns particles without a point.
    pub fn placeless(&mut self, n: usize) -> Vec<Placeless> {
        let placeless = |k| Placeless { weight: (1 + self.below(8)) as f64, kind: k as u32 % 4 };
        (0..n).map(placeless).collect()
    }

    /// Returns particles with one point.
    pub fn anchors(&mut self, n: usize) -> Vec<Anchor> {
        let anchor = |_| Anchor { weight: (1 + self.below(8)) as f64, at: self.point(1024) };
        (0..n).map(anchor).collect()
    }
}
