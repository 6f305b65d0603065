//! Vortex particles.

/// The law of Biot and Savart for vortex particles of strength Γ (circulation times length),
/// smoothed over a core σ: velocity u = −(1/4π) Σⱼ (r² + 5σ²/2) / (r² + σ²)^(5/2) d × Γⱼ, d from
/// j to i, and the stretching of the strength, (Γᵢ·∇)u in the transposed form, Σⱼ ∇uⱼᵀ Γᵢ
/// (Winckelmans & Leonard 1993, J. Comput. Phys. 109, 247; the high order algebraic kernel).
#[nbody::interaction]
pub mod biot_savart {
    const FOUR_PI_INV: Real = 0.25 / core::f64::consts::PI;

    /// Smoothed vortex particles.
    pub struct BiotSavart {
        /// Squared core radius σ².
        pub core2: Real,
    }

    /// A vortex particle.
    pub struct Vortex {
        /// Position.
        pub pos: Point,
        /// Strength: vorticity times volume.
        pub strength: Vector,
    }

    /// The rates of change of a vortex particle.
    pub struct Motion {
        /// Velocity.
        pub velocity: Vector,
        /// Rate of change of the strength.
        pub stretching: Vector,
    }

    impl Interaction for BiotSavart {
        type I = Vortex;
        type J = Vortex;
        type F = Motion;

        fn pair(&self, i: &Vortex, j: &Vortex, f: &mut Motion) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let inv2 = (r2 + self.core2).recip();
            let inv5 = inv2 * inv2 * inv2.sqrt();
            let near = FOUR_PI_INV * (r2 + 2.5 * self.core2) * inv5;
            f.velocity -= near * d.cross(j.strength);
            let far = 3.0 * FOUR_PI_INV * (r2 + 3.5 * self.core2) * inv5 * inv2;
            let turn = i.strength.cross(j.strength);
            f.stretching += near * turn + far * i.strength.dot(d.cross(j.strength)) * d;
        }
    }
}
