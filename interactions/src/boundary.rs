//! Boundary elements for Laplace's equation, by the centroid rule.

/// The single layer from panels: potential φ = Σⱼ σⱼAⱼ / 4πr and its gradient, away from the
/// panels themselves, each taken as a point at its centroid.
#[nbody::interaction]
pub mod single_layer {
    const FOUR_PI_INV: Real = 0.25 / core::f64::consts::PI;

    /// The single layer of Laplace's equation.
    pub struct SingleLayer;

    /// A point at which the potential is evaluated.
    pub struct Target {
        /// Position.
        pub pos: Point,
    }

    /// A panel.
    pub struct Panel {
        /// Centroid.
        pub pos: Point,
        /// Density times area.
        pub charge: Real,
    }

    /// The potential of the panels at a target.
    pub struct Potential {
        /// Potential.
        pub pot: Real,
        /// Its gradient.
        pub gradient: Vector,
    }

    impl Interaction for SingleLayer {
        type I = Target;
        type J = Panel;
        type F = Potential;

        fn pair(&self, i: &Target, j: &Panel, f: &mut Potential) {
            let d = i.pos - j.pos;
            let rinv = d.norm2().rsqrt();
            let pot = FOUR_PI_INV * j.charge * rinv;
            f.pot += pot;
            f.gradient -= pot * rinv * rinv * d;
        }
    }
}

/// The double layer from panels: potential φ = Σⱼ μⱼAⱼ n·d / 4πr³, d from the centroid to the
/// target, and its gradient.
#[nbody::interaction]
pub mod double_layer {
    const FOUR_PI_INV: Real = 0.25 / core::f64::consts::PI;

    /// The double layer of Laplace's equation.
    pub struct DoubleLayer;

    /// A point at which the potential is evaluated.
    pub struct Target {
        /// Position.
        pub pos: Point,
    }

    /// A panel.
    pub struct Panel {
        /// Centroid.
        pub pos: Point,
        /// Unit normal times density times area.
        pub dipole: Vector,
    }

    /// The potential of the panels at a target.
    pub struct Potential {
        /// Potential.
        pub pot: Real,
        /// Its gradient.
        pub gradient: Vector,
    }

    impl Interaction for DoubleLayer {
        type I = Target;
        type J = Panel;
        type F = Potential;

        fn pair(&self, i: &Target, j: &Panel, f: &mut Potential) {
            let d = i.pos - j.pos;
            let rinv = d.norm2().rsqrt();
            let rinv2 = rinv * rinv;
            let weight = FOUR_PI_INV * rinv * rinv2;
            let along = j.dipole.dot(d);
            f.pot += weight * along;
            f.gradient += weight * (j.dipole - 3.0 * along * rinv2 * d);
        }
    }
}
