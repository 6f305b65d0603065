//! Counts of particles within a cutoff, for tests of neighbour lists: the results are exact.

/// Constant cutoffs, and cutoffs that depend on one or both particles.
#[nbody::interaction]
pub mod contact {
    /// A constant cutoff.
    pub struct Uniform {
        pub cutoff: Real,
    }
    /// A cutoff by the i-particle.
    pub struct Gather {
        pub factor: Real,
    }
    /// A cutoff by the larger of two particles.
    pub struct Either {
        pub factor: Real,
    }
    /// No cutoff.
    pub struct Everywhere;
    /// The nearest one within a constant cutoff.
    pub struct Nearest {
        pub cutoff: Real,
    }
    pub struct Ball {
        pub pos: Point,
        pub h: Real,
        /// An integer.
        pub mass: Real,
    }
    pub struct Near {
        pub count: Count,
        pub mass: Real,
    }

    impl Interaction for Uniform {
        type I = Ball;
        type J = Ball;
        type F = Near;

        fn cutoff(&self, _i: &Ball, _j: &Ball) -> Real {
            self.cutoff
        }

        fn pair(&self, _i: &Ball, j: &Ball, f: &mut Near) {
            f.count += 1;
            f.mass += j.mass;
        }
    }

    impl Interaction for Gather {
        type I = Ball;
        type J = Ball;
        type F = Near;

        fn cutoff(&self, i: &Ball, _j: &Ball) -> Real {
            self.factor * i.h
        }

        fn pair(&self, _i: &Ball, j: &Ball, f: &mut Near) {
            f.count += 1;
            f.mass += j.mass;
        }
    }

    impl Interaction for Either {
        type I = Ball;
        type J = Ball;
        type F = Near;

        fn cutoff(&self, i: &Ball, j: &Ball) -> Real {
            self.factor * i.h.max(j.h)
        }

        fn pair(&self, _i: &Ball, j: &Ball, f: &mut Near) {
            f.count += 1;
            f.mass += j.mass;
        }
    }

    pub struct Found {
        pub nearest: ArgMin<Real>,
        pub count: Count,
    }

    impl Interaction for Nearest {
        type I = Ball;
        type J = Ball;
        type F = Found;

        fn cutoff(&self, _i: &Ball, _j: &Ball) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Ball, j: &Ball, f: &mut Found) {
            f.nearest.min((i.pos - j.pos).norm2());
            f.count += 1;
        }
    }

    impl Interaction for Everywhere {
        type I = Ball;
        type J = Ball;
        type F = Near;

        fn pair(&self, _i: &Ball, j: &Ball, f: &mut Near) {
            f.count += 1;
            f.mass += j.mass;
        }
    }
}

use contact::Ball;

/// Unit of coordinates: differences and squared distances are exact in `f32`.
pub const UNIT: f64 = 1.0 / 1024.0;

/// Pseudo-random integers.
pub struct Random(pub u64);

impl Random {
    /// Returns an integer below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) % n
    }

    /// Returns a coordinate between `-n` and `n` units.
    pub fn around(&mut self, n: u64) -> f64 {
        (self.below(2 * n + 1) as f64 - n as f64) * UNIT
    }

    /// Returns balls in a box of length 2, with h from 1/16 to 1/8.
    pub fn balls(&mut self, n: usize) -> Vec<Ball> {
        let ball = |_| {
            let [x, y, z] = [0; 3].map(|_| self.below(2048) as f64 * UNIT);
            let h = (64 + self.below(65)) as f64 * UNIT;
            Ball { pos: nbody::Point::new(x, y, z), h, mass: (1 + self.below(100)) as f64 }
        };
        (0..n).map(ball).collect()
    }
}
