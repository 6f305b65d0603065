//! Programs of the leapfrog integrator, and of energies.

pub use programs::{
    Drift, Energies, Energy, EnergyPerMass, Kick, Motion, PlaceMoving, PlaceStill, Push,
};

#[nbody::interaction]
pub mod programs {
    /// The motion of a particle: the state of an integrator with a shared step.
    pub struct Motion {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Mass.
        pub mass: Real,
    }

    /// Results that are accelerations.
    pub struct Acceleration {
        /// Acceleration.
        pub acc: Vector,
    }

    /// Results that are forces.
    pub struct Force {
        /// Force.
        pub force: Vector,
    }

    /// Changes velocities by accelerations.
    pub struct Kick {
        /// The step.
        pub dt: Real,
    }

    impl Update for Kick {
        type P = Motion;
        type F = Acceleration;
        fn update(&self, p: &mut Motion, f: &Acceleration) {
            p.vel += self.dt * f.acc;
        }
    }

    /// Changes velocities by forces.
    pub struct Push {
        /// The step.
        pub dt: Real,
    }

    impl Update for Push {
        type P = Motion;
        type F = Force;
        fn update(&self, p: &mut Motion, f: &Force) {
            p.vel += self.dt / p.mass * f.force;
        }
    }

    /// Changes positions by velocities.
    pub struct Drift {
        /// The step.
        pub dt: Real,
    }

    impl Update for Drift {
        type P = Motion;
        fn update(&self, p: &mut Motion) {
            p.pos += self.dt * p.vel;
        }
    }

    /// The part of an interaction's particle that moves.
    pub struct Site {
        /// Position.
        pub pos: Point,
    }

    /// Places the particles of an interaction.
    pub struct PlaceStill;

    impl Update for PlaceStill {
        type P = Site;
        type Q = Motion;
        fn update(&self, p: &mut Site, q: &Motion) {
            p.pos = q.pos;
        }
    }

    /// The parts of an interaction's particle that move.
    pub struct Mover {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
    }

    /// Places the particles of an interaction that depends on velocities.
    pub struct PlaceMoving;

    impl Update for PlaceMoving {
        type P = Mover;
        type Q = Motion;
        fn update(&self, p: &mut Mover, q: &Motion) {
            p.pos = q.pos;
            p.vel = q.vel;
        }
    }

    /// Results with a potential.
    pub struct Potential {
        /// Potential, per unit mass or not.
        pub pot: Real,
    }

    /// The part of a state that has kinetic energy.
    pub struct Moving {
        /// Velocity.
        pub vel: Vector,
        /// Mass.
        pub mass: Real,
    }

    /// Kinetic and potential energy.
    pub struct Energies {
        /// Kinetic energy.
        pub kinetic: Real,
        /// Potential energy, each pair counted once.
        pub potential: Real,
    }

    /// Energies where the potential is per unit mass.
    pub struct EnergyPerMass;

    impl Measure for EnergyPerMass {
        type P = Moving;
        type F = Potential;
        type T = Energies;
        fn measure(&self, p: &Moving, f: &Potential, t: &mut Energies) {
            t.kinetic += 0.5 * p.mass * p.vel.norm2();
            t.potential += 0.5 * p.mass * f.pot;
        }
    }

    /// Energies where the potential is an energy.
    pub struct Energy;

    impl Measure for Energy {
        type P = Moving;
        type F = Potential;
        type T = Energies;
        fn measure(&self, p: &Moving, f: &Potential, t: &mut Energies) {
            t.kinetic += 0.5 * p.mass * p.vel.norm2();
            t.potential += 0.5 * f.pot;
        }
    }
}
