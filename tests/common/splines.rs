//! Splines in interactions, programs per particle and tuples.

use nbody::{Spline, Splines};

use alloys::Alloy;
use splines::{Bend, Embed, Tabulated};

/// Splines of all functions and their derivatives, whose arguments reach beyond both ends.
#[nbody::interaction]
pub mod splines {
    pub const KNOTS: u32 = 17;

    pub struct Tabulated {
        pub kind: u32,
        pub energy: Spline<KNOTS>,
        pub scale: Real,
        pub other: Spline<5>,
    }
    pub struct Atom {
        pub pos: Point,
        pub density: Real,
        pub kind: u32,
    }
    pub struct Sums {
        pub energy: Real,
        pub force: Vector,
        pub bend: Real,
        pub least: Min<Real>,
    }

    impl Interaction for Tabulated {
        type I = Atom;
        type J = Atom;
        type F = Sums;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Sums) {
            let r2 = (i.pos - j.pos).norm2();
            let e = self.energy.at(r2) + self.scale * self.other.at(i.density - r2);
            if j.kind != self.kind {
                f.energy += e;
            }
            f.force -= e.gradient(i.pos);
            f.bend += self.energy.curvature(j.density) + self.other.third_derivative(i.density);
            f.least.min(self.other.slope(i.density + j.density));
        }
    }

    pub struct Embed {
        pub due: u32,
        pub embedding: Spline<9>,
        pub factor: Real,
        pub until: u32,
    }

    impl Update for Embed {
        type P = Atom;

        fn update(&self, p: &mut Atom) {
            let x = p.density * self.factor;
            p.density = self.embedding.at(x) + self.embedding.slope(x);
            p.kind = self.due + self.until;
        }
    }

    pub struct Total {
        pub sum: Real,
    }
    pub struct Measured {
        pub offset: u32,
        pub embedding: [Spline<9>; 4],
    }

    impl Measure for Measured {
        type P = Atom;
        type T = Total;

        fn measure(&self, p: &Atom, t: &mut Total) {
            t.sum += self.embedding[(p.kind + self.offset) % 4].at(p.density);
        }
    }

    pub struct Bend {
        pub energy: Spline<9>,
    }
    pub struct Push {
        pub energy: Real,
        pub force: Vector,
    }

    impl Tuple for Bend {
        type P = Atom;
        type F = Push;

        fn tuple(&self, [a, b]: [&Atom; 2], [f, g]: [&mut Push; 2]) {
            let e = self.energy.at((a.pos - b.pos).norm2());
            f.energy += e;
            f.force -= e.gradient(a.pos);
            g.force -= e.gradient(b.pos);
        }
    }
}

impl Tabulated {
    /// Returns the law for particles in the unit cube.
    ///
    /// # Panics
    ///
    /// Panics if a spline is refused.
    pub fn example() -> Self {
        let energy = Spline::from_fn(0.125..=1.5, |r2| (-r2).exp() - 0.25 * r2);
        let other = Spline::linear(-0.5..=1.0, &[0.5, -0.25, 1.0, 0.75, 0.125]);
        let (energy, other) = (energy.expect("finite values"), other.expect("finite values"));
        Self { kind: 2, energy, scale: 0.75, other }
    }
}

/// Splines of types and of pairs of types, none of which is like another. Their ranges differ.
#[nbody::interaction]
pub mod alloys {
    pub const TYPES: u32 = 4;

    pub struct Alloy {
        pub offset: u32,
        pub of_pair: [[Spline<17>; TYPES]; TYPES],
        pub scale: Real,
        pub of_type: [Spline<5>; TYPES],
        pub mixed: [[Spline<3>; 2]; TYPES],
    }
    pub struct Atom {
        pub pos: Point,
        pub slope: Real,
        pub kind: u32,
    }
    pub struct Sums {
        pub energy: Real,
        pub force: Vector,
        pub bend: Real,
        pub most: Max<Real>,
    }

    impl Interaction for Alloy {
        type I = Atom;
        type J = Atom;
        type F = Sums;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Sums) {
            let r2 = (i.pos - j.pos).norm2();
            let density =
                i.slope * self.of_type[j.kind].at(r2) + j.slope * self.of_type[i.kind].at(r2);
            let e = self.of_pair[i.kind][j.kind].at(r2) + self.scale * density;
            f.energy += e;
            f.force -= e.gradient(i.pos);
            f.bend += self.of_pair[j.kind][i.kind].curvature(j.slope);
            f.bend += self.of_type[(j.kind + self.offset) % TYPES].third_derivative(i.slope);
            f.most.max(self.mixed[i.kind][j.kind % 2].slope(i.slope + j.slope));
        }
    }
}

impl Alloy {
    /// Returns the law for particles in the unit cube.
    ///
    /// # Panics
    ///
    /// Panics if a spline is refused.
    pub fn example() -> Self {
        fn of<const N: usize>(k: usize) -> Spline<N> {
            let shift = k as f64 / 16.0;
            let spline =
                Spline::from_fn(0.125 - shift..=1.5 + shift, |x| (x * (1.0 + shift)).cos());
            spline.expect("finite values")
        }
        let of_pair = std::array::from_fn(|k| std::array::from_fn(|l| of(4 * k + l)));
        let mixed = std::array::from_fn(|k| [of(2 * k + 1), of(3 * k)]);
        Self {
            offset: 1,
            of_pair: Splines::from(of_pair),
            scale: 0.75,
            of_type: Splines::from(std::array::from_fn(of)),
            mixed: Splines::from(mixed),
        }
    }
}

/// Returns a spline of nine knots between -1 and 3.
///
/// # Panics
///
/// Panics if the spline is refused.
pub fn nine(shift: f64) -> Spline<9> {
    Spline::from_fn(-1.0..=3.0, |x| (x + shift).cos()).expect("a finite function")
}

impl Embed {
    /// Returns the program for densities in the unit interval.
    pub fn example() -> Self {
        Self { due: 3, embedding: nine(0.5), factor: 5.0, until: 4 }
    }
}

impl Bend {
    /// Returns the tuple for particles in the unit cube.
    pub fn example() -> Self {
        Self { energy: nine(0.25) }
    }
}
