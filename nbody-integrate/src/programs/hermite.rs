//! Programs of the Hermite integrator.

pub use programs::{Accept, Begin, Correct, End, FirstStep, Place, Predict, Shortest, Star, Step};

#[nbody::interaction]
pub mod programs {
    /// The state of a particle at the beginning of a step.
    pub struct Star {
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

    /// Predicts particles by Taylor series, to the third order in their positions (Makino &
    /// Aarseth 1992, equation 2).
    pub struct Predict {
        /// The time since the beginning of the step.
        pub dt: Real,
    }

    impl Update for Predict {
        type P = Mover;
        type Q = Star;
        fn update(&self, p: &mut Mover, q: &Star) {
            let dt = self.dt;
            p.pos = q.pos;
            p.pos += dt * (q.vel + 0.5 * dt * (q.acc + dt / 3.0 * q.jerk));
            p.vel = q.vel + dt * (q.acc + 0.5 * dt * q.jerk);
        }
    }

    /// The state of a particle at the end of a step.
    pub struct End {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Acceleration.
        pub acc: Vector,
        /// Time derivative of the acceleration.
        pub jerk: Vector,
    }

    /// Corrects particles by fourth-order interpolation of their accelerations (Hut et al. 1995,
    /// equation 2). The formula is symmetric in time.
    pub struct Correct {
        /// The step.
        pub dt: Real,
    }

    impl Update for Correct {
        type P = End;
        type Q = Star;
        type F = Field;
        fn update(&self, p: &mut End, q: &Star, f: &Field) {
            let dt = self.dt;
            let half = 0.5 * dt;
            let twelfth = dt * dt / 12.0;
            p.vel = q.vel + half * (q.acc + f.acc) + twelfth * (q.jerk - f.jerk);
            p.pos = q.pos;
            p.pos += half * (q.vel + p.vel) + twelfth * (q.acc - f.acc);
            p.acc = f.acc;
            p.jerk = f.jerk;
        }
    }

    /// Places the particles of an interaction at the end of a step.
    pub struct Place;

    impl Update for Place {
        type P = Mover;
        type Q = End;
        fn update(&self, p: &mut Mover, q: &End) {
            p.pos = q.pos;
            p.vel = q.vel;
        }
    }

    /// Begins the next step at the end of this one.
    pub struct Accept;

    impl Update for Accept {
        type P = Star;
        type Q = End;
        fn update(&self, p: &mut Star, q: &End) {
            p.pos = q.pos;
            p.vel = q.vel;
            p.acc = q.acc;
            p.jerk = q.jerk;
        }
    }

    /// Takes accelerations and their derivatives from the results of an interaction.
    pub struct Begin;

    impl Update for Begin {
        type P = Star;
        type F = Field;
        fn update(&self, p: &mut Star, f: &Field) {
            p.acc = f.acc;
            p.jerk = f.jerk;
        }
    }

    /// The shortest step of all particles.
    pub struct Shortest {
        /// The step, and the particle that wants it.
        pub step: ArgMin<Real>,
        /// The first particle with an acceleration or a jerk that is not finite, with the value 0.
        pub lost: ArgMin<Real>,
    }

    /// Returns x / y, but practically infinity if y is zero, for any x.
    fn ratio(x: Real, y: Real) -> Real {
        if y == 0.0 { 1e300 } else { x / y }
    }

    /// Finds the first steps: eta |a| / |j|, with the acceleration a and the jerk j. This is
    /// infinite for bodies at rest, so the step is at most the one by the criterion of Aarseth
    /// with the second derivative s. It is at least so long that no more than rounding errors
    /// would change in it.
    pub struct FirstStep {
        /// The accuracy of the first step.
        pub eta_start: Real,
        /// The accuracy of later steps.
        pub eta: Real,
        /// The time at which forces were evaluated again.
        pub dt: Real,
        /// The rounding error of velocities.
        pub speed: Real,
        /// The longest step chosen because of rounding errors.
        pub longest: Real,
    }

    impl Measure for FirstStep {
        type P = Star;
        type F = Field;
        type T = Shortest;
        fn measure(&self, p: &Star, f: &Field, t: &mut Shortest) {
            let a = p.acc.norm();
            let j = p.jerk.norm();
            let s = ((f.jerk - p.jerk) / self.dt).norm();
            let mut wanted = ratio(self.eta_start * a, j);
            if s > 0.0 {
                let by_snap = (self.eta * (a * s + j * j)).sqrt() / s;
                if by_snap < wanted {
                    wanted = by_snap;
                }
            }
            let by_acc = self.longest.min(ratio(self.speed, a));
            let by_jerk = by_acc.min(ratio(self.speed, j).sqrt());
            wanted = wanted.max(by_jerk.min(ratio(self.speed, s * self.longest).sqrt()));
            t.step.min(wanted);
            if a - a != 0.0 || j - j != 0.0 || wanted != wanted {
                t.lost.min(0.0);
            }
        }
    }

    /// Finds the steps of Aarseth (1985): the square root of eta (|a| |s| + |j|²) / (|j| |c| +
    /// |s|²), with the acceleration a, the jerk j, and the second and third derivatives s and c of
    /// the acceleration at the end of a step. If no more than rounding errors change in a step,
    /// the next one is not shorter, and may be twice as long.
    pub struct Step {
        /// The previous step.
        pub dt: Real,
        /// The accuracy.
        pub eta: Real,
        /// The rounding error of velocities.
        pub speed: Real,
        /// The longest step chosen because of rounding errors.
        pub longest: Real,
    }

    impl Measure for Step {
        type P = End;
        type Q = Star;
        type T = Shortest;
        fn measure(&self, p: &End, q: &Star, t: &mut Shortest) {
            let dt = self.dt;
            let da = p.acc - q.acc;
            let crackle = (6.0 * dt * (q.jerk + p.jerk) - 12.0 * da) / (dt * dt * dt);
            let snap = (6.0 * da - dt * (4.0 * q.jerk + 2.0 * p.jerk)) / (dt * dt) + dt * crackle;
            let a = p.acc.norm();
            let j = p.jerk.norm();
            let s = snap.norm();
            let c = crackle.norm();
            let mut wanted = ratio(self.eta * (a * s + j * j), j * c + s * s).sqrt();
            let once = dt * (a + dt * (j + dt * (s + dt * c)));
            if dt <= self.longest && once <= self.speed {
                wanted = wanted.max(dt);
            }
            let two = 2.0 * dt;
            let twice = two * (a + two * (j + two * (s + two * c)));
            if two <= self.longest && twice <= self.speed {
                wanted = wanted.max(two);
            }
            t.step.min(wanted);
            if a - a != 0.0 || j - j != 0.0 || wanted != wanted {
                t.lost.min(0.0);
            }
        }
    }
}
