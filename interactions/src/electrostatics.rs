//! Charges. Units are such that two unit charges at unit distance have unit energy.

/// The Coulomb interaction: field E = Σⱼ qⱼ d/r³ and potential φ = Σⱼ qⱼ/r, d from j to i. A
/// charge qᵢ feels the force qᵢE.
#[nbody::interaction]
pub mod coulomb {
    /// Point charges.
    pub struct Coulomb;

    /// A point charge.
    pub struct Charge {
        /// Position.
        pub pos: Point,
        /// Charge.
        pub charge: Real,
    }

    /// The electric field and potential at a charge.
    pub struct Field {
        /// Electric field.
        pub field: Vector,
        /// Electric potential.
        pub pot: Real,
    }

    impl Interaction for Coulomb {
        type I = Charge;
        type J = Charge;
        type F = Field;

        fn pair(&self, i: &Charge, j: &Charge, f: &mut Field) {
            let d = i.pos - j.pos;
            let rinv = d.norm2().rsqrt();
            let pot = j.charge * rinv;
            f.field += pot * rinv * rinv * d;
            f.pot += pot;
        }
    }
}

/// Charges whose potential is screened: φ = Σⱼ qⱼ exp(−κr)/r, E = −∇φ (Yukawa 1935; Debye &
/// Hückel 1923).
#[nbody::interaction]
pub mod yukawa {
    /// Screened point charges.
    pub struct Yukawa {
        /// The inverse screening length κ.
        pub kappa: Real,
    }

    /// A point charge.
    pub struct Charge {
        /// Position.
        pub pos: Point,
        /// Charge.
        pub charge: Real,
    }

    /// The electric field and potential at a charge.
    pub struct Field {
        /// Electric field.
        pub field: Vector,
        /// Electric potential.
        pub pot: Real,
    }

    impl Interaction for Yukawa {
        type I = Charge;
        type J = Charge;
        type F = Field;

        fn pair(&self, i: &Charge, j: &Charge, f: &mut Field) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let r = r2.sqrt();
            let pot = j.charge * (-self.kappa * r).exp() / r;
            f.field += pot * (1.0 + self.kappa * r) / r2 * d;
            f.pot += pot;
        }
    }
}

/// The sum in real space of Ewald's method: φ = Σⱼ qⱼ erfc(αr)/r within the cutoff, E = −∇φ
/// (Ewald 1921, Ann. Phys. 369, 253). It does not include the sum in reciprocal space and the
/// self-energy.
#[nbody::interaction]
pub mod ewald {
    /// The short-range part of 1/r.
    pub struct Ewald {
        /// The splitting parameter α, an inverse length.
        pub alpha: Real,
        /// Cutoff radius.
        pub cutoff: Real,
    }

    /// A point charge.
    pub struct Charge {
        /// Position.
        pub pos: Point,
        /// Charge.
        pub charge: Real,
    }

    /// The electric field and potential at a charge.
    pub struct Field {
        /// Electric field.
        pub field: Vector,
        /// Electric potential.
        pub pot: Real,
    }

    impl Interaction for Ewald {
        type I = Charge;
        type J = Charge;
        type F = Field;

        fn cutoff(&self, _i: &Charge, _j: &Charge) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Charge, j: &Charge, f: &mut Field) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let r = r2.sqrt();
            let x = self.alpha * r;
            let pot = j.charge * x.erfc() / r;
            let gauss = core::f64::consts::FRAC_2_SQRT_PI * self.alpha * (-x * x).exp();
            f.field += (pot + j.charge * gauss) / r2 * d;
            f.pot += pot;
        }
    }
}
