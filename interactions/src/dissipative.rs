//! Dissipative particles.

/// Dissipative particle dynamics: soft beads of fluid whose friction and noise keep a temperature
/// and conserve momentum.
///
/// With r = rᵢ − rⱼ, its direction n, v = vᵢ − vⱼ and w = 1 − r / cutoff, the force on i is
///
/// F = (a w − γ w² (n·v) + σ w θ / √Δt) n, σ² = 2γkT,
///
/// where θ is a normally distributed number of the pair and the step, the same for both beads. The
/// potential energy of the system is half of the sum of the conservative one, a w² cutoff / 2.
/// Lengths, forces and masses are in any consistent system of units; usual are the cutoff, kT and
/// the mass of a bead (Groot & Warren 1997, J. Chem. Phys. 107, 4423).
///
/// The noise is drawn for an integrator that evaluates forces once a step, of length Δt: before each
/// evaluation `set_parameters` gives the next `step`. Friction acts at the velocities of the beads,
/// which Groot & Warren predict for the new positions.
#[nbody::interaction]
pub mod dpd {
    /// Repulsion, friction and noise.
    pub struct Dpd {
        /// Greatest repulsion a, a force.
        pub repulsion: Real,
        /// Friction γ, a force for a velocity.
        pub friction: Real,
        /// Temperature kT, an energy.
        pub temperature: Real,
        /// Step Δt of the integrator.
        pub dt: Real,
        /// Cutoff radius.
        pub cutoff: Real,
        /// Seed of the noise.
        pub seed: u32,
        /// Number of the step; each draws other noise.
        pub step: u32,
    }

    /// A bead.
    pub struct Bead {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Number of the bead, which no other bead has.
        pub id: u32,
    }

    /// The force and energy of a bead.
    pub struct Force {
        /// Force.
        pub force: Vector,
        /// Potential energy of the repulsion.
        pub pot: Real,
    }

    impl Interaction for Dpd {
        type I = Bead;
        type J = Bead;
        type F = Force;

        fn cutoff(&self, _i: &Bead, _j: &Bead) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Bead, j: &Bead, f: &mut Force) {
            let d = i.pos - j.pos;
            let r = d.norm();
            let n = d / r;
            let w = 1.0 - r / self.cutoff;
            let drag = self.friction * w * n.dot(i.vel - j.vel);
            let noise = gaussian(self.seed, self.step, i.id.min(j.id), i.id.max(j.id));
            let kick = (2.0 * self.friction * self.temperature / self.dt).sqrt() * noise;
            f.force += w * (self.repulsion - drag + kick) * n;
            f.pot += 0.5 * self.repulsion * self.cutoff * w * w;
        }
    }
}
