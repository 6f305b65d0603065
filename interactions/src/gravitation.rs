//! Newtonian gravity with Plummer softening.

/// Acceleration and potential of softened point masses, in units where G = 1.
///
/// With d the vector from i to j and ε the softening length,
/// aᵢ = Σⱼ mⱼ d / (d² + ε²)^(3/2) and φᵢ = −Σⱼ mⱼ / (d² + ε²)^(1/2)
/// (Hamada & Iitaka 2007, equation 1).
#[nbody::interaction]
pub mod gravity {
    /// Newtonian gravity with Plummer softening; G = 1.
    pub struct Gravity {
        /// Squared softening length.
        pub eps2: Real,
    }

    /// A point mass.
    pub struct Body {
        /// Position.
        pub pos: Point,
        /// Mass.
        pub mass: Real,
    }

    /// The gravitational field at a body.
    pub struct Field {
        /// Acceleration.
        pub acc: Vector,
        /// Potential, energy per unit mass.
        pub pot: Real,
    }

    impl Interaction for Gravity {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv;
            f.acc += mr * rinv * rinv * d;
            f.pot -= mr;
        }
    }

    /// Gravity without the potential, for integrators that need the acceleration alone.
    pub struct Attraction {
        /// Squared softening length.
        pub eps2: Real,
    }

    /// The acceleration of a body.
    pub struct Acceleration {
        /// Acceleration.
        pub acc: Vector,
    }

    impl Interaction for Attraction {
        type I = Body;
        type J = Body;
        type F = Acceleration;

        fn pair(&self, i: &Body, j: &Body, f: &mut Acceleration) {
            let d = j.pos - i.pos;
            f.acc += j.mass * (d.norm2() + self.eps2).rsqrt().powi(3) * d;
        }
    }
}

/// Acceleration, its time derivative (jerk) and potential, as fourth-order Hermite integrators
/// need them, in units where G = 1.
///
/// With d and v the position and velocity of j relative to i, r² = d² + ε²:
/// aᵢ = Σⱼ mⱼ d / r³, ȧᵢ = Σⱼ mⱼ (v − 3 (d·v) d / r²) / r³, φᵢ = −Σⱼ mⱼ / r
/// (Makino & Aarseth 1992; Hamada & Iitaka 2007, figure 15, where i has no mass: IDIM 6, JDIM 7,
/// FDIM 7).
#[nbody::interaction]
pub mod hermite {
    /// Newtonian gravity with Plummer softening and its time derivative; G = 1.
    pub struct Hermite {
        /// Squared softening length.
        pub eps2: Real,
    }

    /// A moving point mass.
    pub struct Body {
        /// Position.
        pub pos: Point,
        /// Velocity.
        pub vel: Vector,
        /// Mass.
        pub mass: Real,
    }

    /// The gravitational field at a body.
    pub struct Field {
        /// Acceleration.
        pub acc: Vector,
        /// Time derivative of the acceleration.
        pub jerk: Vector,
        /// Potential, energy per unit mass.
        pub pot: Real,
    }

    impl Interaction for Hermite {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let v = j.vel - i.vel;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let rinv2 = rinv * rinv;
            let mr = j.mass * rinv;
            let mr3 = mr * rinv2;
            let approach = 3.0 * d.dot(v) * rinv2;
            f.acc += mr3 * d;
            f.jerk += mr3 * (v - approach * d);
            f.pot -= mr;
        }
    }
}

/// Gravity between bodies with individual softening lengths, εᵢⱼ² = εᵢ² + εⱼ², so that the force
/// obeys Newton's third law: aᵢ = Σⱼ mⱼ d / (d² + εᵢⱼ²)^(3/2), φᵢ = −Σⱼ mⱼ / (d² + εᵢⱼ²)^(1/2), in
/// units where G = 1.
#[nbody::interaction]
pub mod softened {
    /// Newtonian gravity with a Plummer softening for each particle; G = 1.
    pub struct Softened;

    /// A point mass with a softening length.
    pub struct Body {
        /// Position.
        pub pos: Point,
        /// Mass.
        pub mass: Real,
        /// Softening length.
        pub eps: Real,
    }

    /// The gravitational field at a body.
    pub struct Field {
        /// Acceleration.
        pub acc: Vector,
        /// Potential, energy per unit mass.
        pub pot: Real,
    }

    impl Interaction for Softened {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let eps2 = i.eps * i.eps + j.eps * j.eps;
            let rinv = (d.norm2() + eps2).rsqrt();
            let mr = j.mass * rinv;
            f.acc += mr * rinv * rinv * d;
            f.pot -= mr;
        }
    }
}
