//! Thermostats: programs per particle.

/// Langevin dynamics: friction and noise of each particle, as from a solvent, keep a temperature.
///
/// m dv = F dt − γ m v dt + √(2γ m kT) dW, by the splitting BAOAB: half a kick (B), half a drift (A),
/// friction and noise of the whole step (O), half a drift and half a kick.
///
/// - B: v += F Δt / 2m
/// - A: x += v Δt / 2
/// - O: v = c v + √((1 − c²) kT / m) θ, c = exp(−γ Δt), θ normally distributed
///
/// In a harmonic potential positions have the exact temperature at any step; with strong friction
/// their errors are of fourth order. Velocities after a step are a little cold, an error of second
/// order (Leimkuhler & Matthews 2013, Appl. Math. Res. Express 2013, 34). Units are any consistent
/// system, with kT an energy and γ the inverse of a time.
///
/// A step begins with [`Baoa`](langevin::Baoa). Then forces are evaluated once, at the new positions,
/// and [`Kick`](langevin::Kick) ends the step. [`Thermostat`](langevin::Thermostat) is O alone, for
/// other integrators. They change records of any type that has these fields, by `update_by_name`.
#[nbody::interaction]
pub mod langevin {
    /// A particle.
    pub struct Particle {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Mass.
        pub mass: Real,
        /// Number of the particle, which no other particle has.
        pub id: u32,
    }

    /// The part of a particle that friction and noise change.
    pub struct Mover {
        /// Velocity.
        pub vel: Vector,
        /// Mass.
        pub mass: Real,
        /// Number of the particle, which no other particle has.
        pub id: u32,
    }

    /// The force on a particle.
    pub struct Force {
        /// Force.
        pub force: Vector,
    }

    /// The velocity after friction and noise of a step.
    fn exchanged(vel: Vector, keep: Real, spread: Real, seed: u32, step: u32, id: u32) -> Vector {
        let noise = Vector::new(
            gaussian(seed, step, id, 0),
            gaussian(seed, step, id, 1),
            gaussian(seed, step, id, 2),
        );
        keep * vel + spread * noise
    }

    /// Friction and noise of a step: O.
    pub struct Thermostat {
        /// Friction γ, the inverse of a time.
        pub friction: Real,
        /// Temperature kT, an energy.
        pub temperature: Real,
        /// Step Δt.
        pub dt: Real,
        /// Seed of the noise.
        pub seed: u32,
        /// Number of the step; each draws other noise.
        pub step: u32,
    }

    impl Update for Thermostat {
        type P = Mover;

        fn update(&self, p: &mut Mover) {
            let keep = (-self.friction * self.dt).exp();
            let spread = ((1.0 - keep * keep) * self.temperature / p.mass).sqrt();
            p.vel = exchanged(p.vel, keep, spread, self.seed, self.step, p.id);
        }
    }

    /// A step up to the new positions: B, A, O and A, with the forces at the old ones.
    pub struct Baoa {
        /// Friction γ, the inverse of a time.
        pub friction: Real,
        /// Temperature kT, an energy.
        pub temperature: Real,
        /// Step Δt.
        pub dt: Real,
        /// Seed of the noise.
        pub seed: u32,
        /// Number of the step; each draws other noise.
        pub step: u32,
    }

    impl Update for Baoa {
        type P = Particle;
        type F = Force;

        fn update(&self, p: &mut Particle, f: &Force) {
            let keep = (-self.friction * self.dt).exp();
            let spread = ((1.0 - keep * keep) * self.temperature / p.mass).sqrt();
            let before = p.vel + 0.5 * self.dt / p.mass * f.force;
            let after = exchanged(before, keep, spread, self.seed, self.step, p.id);
            p.pos += 0.5 * self.dt * (before + after);
            p.vel = after;
        }
    }

    /// The end of a step: B, with the forces at the new positions.
    pub struct Kick {
        /// Step Δt.
        pub dt: Real,
    }

    impl Update for Kick {
        type P = Particle;
        type F = Force;

        fn update(&self, p: &mut Particle, f: &Force) {
            p.vel += 0.5 * self.dt / p.mass * f.force;
        }
    }
}
