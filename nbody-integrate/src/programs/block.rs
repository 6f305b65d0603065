//! Programs of the Hermite integrator with block time steps.

pub use programs::{Begin, BlockStar, Correct, Predict};

#[nbody::interaction]
pub mod programs {
    /// The state of a particle at its own time.
    pub struct BlockStar {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Acceleration.
        pub acc: Vector,
        /// Time derivative of the acceleration.
        pub jerk: Vector,
        /// Mass.
        pub mass: Real,
        /// The time of the state in ticks, modulo 2³².
        pub time: u32,
        /// The step in ticks, a power of two; zero where none is short enough.
        pub step: u32,
        /// The time at which the step ends.
        pub due: u32,
    }

    /// Results of an interaction.
    pub struct Field {
        /// Acceleration.
        pub acc: Vector,
        /// Time derivative of the acceleration.
        pub jerk: Vector,
    }

    /// The parts of an interaction's particle that move.
    pub struct Mover {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
    }

    /// Predicts particles from their own times (Makino & Aarseth 1992, equation 2).
    pub struct Predict {
        /// The time in ticks.
        pub due: u32,
        /// The length of a tick.
        pub tick: Real,
        /// The time since then.
        pub dt: Real,
    }

    impl Update for Predict {
        type P = Mover;
        type Q = BlockStar;
        fn update(&self, p: &mut Mover, q: &BlockStar) {
            let dt = (self.due - q.time) as Real * self.tick + self.dt;
            p.pos = q.pos;
            p.pos += dt * (q.vel + 0.5 * dt * (q.acc + dt / 3.0 * q.jerk));
            p.vel = q.vel + dt * (q.acc + 0.5 * dt * q.jerk);
        }
    }

    /// The longest step, a power of two of ticks, that is no longer than is wanted; zero if there is none.
    fn longest(wanted: Real, tick: Real) -> u32 {
        let mut fits = 0;
        let mut step = 1;
        for _k in 0..31 {
            if step as Real * tick <= wanted {
                fits = step;
            }
            step *= 2;
        }
        fits
    }

    /// Takes accelerations and their derivatives from the results of an interaction, and chooses the
    /// first step: eta |a| / |j|, with a the acceleration and j its derivative.
    pub struct Begin {
        /// The length of a tick.
        pub tick: Real,
        /// The accuracy.
        pub eta: Real,
    }

    impl Update for Begin {
        type P = BlockStar;
        type F = Field;
        fn update(&self, p: &mut BlockStar, f: &Field) {
            p.acc = f.acc;
            p.jerk = f.jerk;
            p.step = longest(self.eta * f.acc.norm() / f.jerk.norm(), self.tick);
            p.due = p.time + p.step;
        }
    }

    /// Corrects particles at the end of their steps (Hut et al. 1995, equation 2), and chooses their next
    /// ones by the criterion of Aarseth (1985): the square root of eta (|a| |s| + |j|²) / (|j| |c| + |s|²),
    /// with the second and third derivatives s and c of the acceleration a. A step is shorter than the one
    /// before, the same, or twice as long where the time is a multiple of that.
    pub struct Correct {
        /// The time in ticks.
        pub now: u32,
        /// The length of a tick.
        pub tick: Real,
        /// The accuracy.
        pub eta: Real,
        /// The largest step in ticks.
        pub largest: u32,
    }

    impl Update for Correct {
        type P = BlockStar;
        type F = Field;
        fn update(&self, p: &mut BlockStar, f: &Field) {
            let dt = p.step as Real * self.tick;
            let half = 0.5 * dt;
            let twelfth = dt * dt / 12.0;
            let before = p.vel;
            let da = f.acc - p.acc;
            p.vel += half * (p.acc + f.acc) + twelfth * (p.jerk - f.jerk);
            p.pos += half * (before + p.vel) - twelfth * da;

            let crackle = (6.0 * dt * (p.jerk + f.jerk) - 12.0 * da) / (dt * dt * dt);
            let snap = (6.0 * da - dt * (4.0 * p.jerk + 2.0 * f.jerk)) / (dt * dt) + dt * crackle;
            let a = f.acc.norm();
            let j = f.jerk.norm();
            let s = snap.norm();
            let c = crackle.norm();
            let wanted = (self.eta * (a * s + j * j) / (j * c + s * s)).sqrt();
            let fits = longest(wanted, self.tick);
            let twice = 2 * p.step;
            let may_grow = twice <= self.largest && (self.now & (twice - 1)) == 0;
            if fits < p.step {
                p.step = fits;
            } else if fits >= twice && may_grow {
                p.step = twice;
            }
            p.time = self.now;
            p.due = self.now + p.step;
            p.acc = f.acc;
            p.jerk = f.jerk;
        }
    }
}
