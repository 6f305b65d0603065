//! Gravity as the GRAPE-6 computes it, and the prediction of its j-particles.

pub use grape::{Field, Forces, Found, Nearest, Predict, Source, State, Target};

/// Softened gravity between particles with identities: a particle does not act on a particle with
/// its own identity, wherever both are. Units are the units of the caller, with G = 1.
#[nbody::interaction]
pub mod grape {
    /// Accelerations, jerks and potentials.
    pub struct Forces {
        /// Squared softening length.
        pub eps2: Real,
    }

    /// Accelerations, jerks and potentials, and the nearest particle.
    pub struct Nearest {
        /// Squared softening length.
        pub eps2: Real,
    }

    /// An i-particle.
    pub struct Target {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Identity.
        pub id: u32,
    }

    /// A j-particle at the time of the evaluation.
    pub struct Source {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Mass.
        pub mass: Real,
        /// Identity.
        pub id: u32,
    }

    /// Results without the nearest particle.
    pub struct Field {
        /// Acceleration.
        pub acc: Vector,
        /// Time derivative of the acceleration.
        pub jerk: Vector,
        /// Potential, energy per unit mass.
        pub pot: Real,
    }

    /// Results with the nearest particle.
    pub struct Found {
        /// Acceleration.
        pub acc: Vector,
        /// Time derivative of the acceleration.
        pub jerk: Vector,
        /// Potential, energy per unit mass.
        pub pot: Real,
        /// Squared distance to the nearest particle, without softening, and the particle's place.
        pub near: ArgMin<Real>,
    }

    impl Interaction for Forces {
        type I = Target;
        type J = Source;
        type F = Field;

        fn pair(&self, i: &Target, j: &Source, f: &mut Field) {
            let d = j.pos - i.pos;
            let v = j.vel - i.vel;
            let rinv = if i.id != j.id { (d.norm2() + self.eps2).rsqrt() } else { 0.0 };
            let rinv2 = rinv * rinv;
            let mr = j.mass * rinv;
            let mr3 = mr * rinv2;
            let approach = 3.0 * d.dot(v) * rinv2;
            f.acc += mr3 * d;
            f.jerk += mr3 * (v - approach * d);
            f.pot -= mr;
        }
    }

    impl Interaction for Nearest {
        type I = Target;
        type J = Source;
        type F = Found;

        fn pair(&self, i: &Target, j: &Source, f: &mut Found) {
            let d = j.pos - i.pos;
            let v = j.vel - i.vel;
            let r2 = d.norm2();
            let rinv = if i.id != j.id { (r2 + self.eps2).rsqrt() } else { 0.0 };
            let rinv2 = rinv * rinv;
            let mr = j.mass * rinv;
            let mr3 = mr * rinv2;
            let approach = 3.0 * d.dot(v) * rinv2;
            f.acc += mr3 * d;
            f.jerk += mr3 * (v - approach * d);
            f.pot -= mr;
            if i.id != j.id {
                f.near.min(r2);
            }
        }
    }

    /// A j-particle at its own time.
    pub struct State {
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
        /// Time.
        pub time: Real,
        /// Identity.
        pub id: u32,
    }

    /// Predicts j-particles by Taylor series, to the third order in their positions (Makino &
    /// Aarseth 1992, equation 2).
    pub struct Predict {
        /// The time of the evaluation.
        pub time: Real,
    }

    impl Update for Predict {
        type P = Source;
        type Q = State;

        fn update(&self, p: &mut Source, q: &State) {
            let dt = self.time - q.time;
            p.pos = q.pos;
            p.pos += dt * (q.vel + 0.5 * dt * (q.acc + dt / 3.0 * q.jerk));
            p.vel = q.vel + dt * (q.acc + 0.5 * dt * q.jerk);
            p.mass = q.mass;
            p.id = q.id;
        }
    }
}
