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

    /// Predicts particles by Taylor series, to the third order in their positions (Makino & Aarseth
    /// 1992, equation 2).
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

    /// Corrects particles by the interpolation of their accelerations, which is of fourth order (Hut et
    /// al. 1995, equation 2). The formula is symmetric in time.
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
        /// The first particle whose acceleration is no finite number, with the value 0.
        pub lost: ArgMin<Real>,
    }

    /// The steps of the beginning: eta |a| / |j|, with a the acceleration and j its derivative.
    pub struct FirstStep {
        /// The accuracy.
        pub eta: Real,
    }

    impl Measure for FirstStep {
        type P = Star;
        type T = Shortest;
        fn measure(&self, p: &Star, t: &mut Shortest) {
            let a = p.acc.norm();
            t.step.min(self.eta * a / p.jerk.norm());
            if a - a != 0.0 {
                t.lost.min(0.0);
            }
        }
    }

    /// The steps of Aarseth (1985): the square root of eta (|a| |s| + |j|²) / (|j| |c| + |s|²), with the
    /// second and third derivatives s and c of the acceleration a at the end of a step.
    pub struct Step {
        /// The step before.
        pub dt: Real,
        /// The accuracy.
        pub eta: Real,
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
            t.step.min((self.eta * (a * s + j * j) / (j * c + s * s)).sqrt());
            if a - a != 0.0 {
                t.lost.min(0.0);
            }
        }
    }
}
