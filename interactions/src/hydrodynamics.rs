//! Smoothed particle hydrodynamics, with a kernel and a number of dimensions for each module.
//!
//! The kernels have the smoothing length h and end at 2h: W(r, h) = σ w(r/h) / hᴰ.

/// The density and the momentum equation for one kernel and number of dimensions.
macro_rules! sph {
    (
        $(#[$doc:meta])*
        $module:ident: $density:ident, $momentum:ident, $dimensions:tt, $norm:expr;
        $($kernel:item)*
    ) => {
        $(#[$doc])*
        ///
        /// **Density**: ρᵢ = Σⱼ mⱼ W(r, hᵢ) and ∂ρᵢ/∂hᵢ, with the particle itself; it gathers
        /// over r < 2hᵢ. The gradient correction is Ωᵢ = 1 + hᵢ/(D ρᵢ) ∂ρᵢ/∂hᵢ (Springel &
        /// Hernquist 2002, Mon. Not. R. Astron. Soc. 333, 649).
        ///
        /// **Momentum**, symmetric over r < 2 max(hᵢ, hⱼ), with pᵢ = Pᵢ/(Ωᵢ ρᵢ²):
        /// v̇ᵢ = −Σⱼ mⱼ (pᵢ ∇W(r, hᵢ) + pⱼ ∇W(r, hⱼ) + Πᵢⱼ ∇W̄),
        /// u̇ᵢ = Σⱼ mⱼ (pᵢ v·∇W(r, hᵢ) + ½ Πᵢⱼ v·∇W̄), with ∇W̄ the mean of both and v = vᵢ − vⱼ.
        /// The artificial viscosity is Πᵢⱼ = −α w (cᵢ + cⱼ − 3w) / (ρᵢ + ρⱼ) where particles
        /// approach, w = v·d/r < 0, and the largest cᵢ + cⱼ − 3w is the signal velocity that
        /// limits the time step (Monaghan 1997, J. Comput. Phys. 136, 298).
        #[nbody::interaction]
        pub mod $module {
            /// Density and its derivative with respect to the smoothing length.
            pub struct $density;

            /// Pressure and artificial viscosity.
            pub struct $momentum {
                /// The strength α of the viscosity.
                pub alpha: Real,
            }

            /// A point at which the density is evaluated.
            pub struct Target {
                /// Position.
                pub pos: Point<$dimensions>,
                /// Smoothing length.
                pub h: Real,
            }

            /// A mass.
            pub struct Source {
                /// Position.
                pub pos: Point<$dimensions>,
                /// Mass.
                pub mass: Real,
            }

            /// The density at a particle.
            pub struct Density {
                /// Density.
                pub density: Real,
                /// Derivative of the density with respect to the smoothing length.
                pub by_h: Real,
            }

            /// A particle of the fluid.
            pub struct Fluid {
                /// Position.
                pub pos: Point<$dimensions>,
                /// Velocity.
                pub vel: Vector<$dimensions>,
                /// Mass.
                pub mass: Real,
                /// Smoothing length.
                pub h: Real,
                /// Density.
                pub density: Real,
                /// P/(Ω ρ²), from pressure, gradient correction and density.
                pub p: Real,
                /// Speed of sound.
                pub sound: Real,
            }

            /// The rates of change of a particle of the fluid.
            pub struct Change {
                /// Acceleration.
                pub acc: Vector<$dimensions>,
                /// Rate of change of the specific internal energy.
                pub heating: Real,
                /// The largest signal velocity.
                pub signal: Max<Real>,
            }

            $($kernel)*

            /// Normalisation σ of the kernel.
            const NORM: Real = $norm;
            const DIMENSIONS: u32 = $dimensions;

            /// Factor of the difference of positions in ∇W.
            fn gradient(r: Real, h: Real) -> Real {
                let inverse = 1.0 / h;
                NORM * slope(r * inverse) * inverse.powi($dimensions) * inverse * inverse
            }

            impl Interaction for $density {
                type I = Target;
                type J = Source;
                type F = Density;
                const SELF_PAIRS: bool = true;

                fn cutoff(&self, i: &Target, _j: &Source) -> Real {
                    2.0 * i.h
                }

                fn pair(&self, i: &Target, j: &Source, f: &mut Density) {
                    let inverse = 1.0 / i.h;
                    let q = (i.pos - j.pos).norm() * inverse;
                    let scale = NORM * j.mass * inverse.powi($dimensions);
                    let w = weight(q);
                    f.density += scale * w;
                    f.by_h -= scale * inverse * ((DIMENSIONS as Real) * w + q * q * slope(q));
                }
            }

            impl Interaction for $momentum {
                type I = Fluid;
                type J = Fluid;
                type F = Change;

                fn cutoff(&self, i: &Fluid, j: &Fluid) -> Real {
                    2.0 * i.h.max(j.h)
                }

                fn pair(&self, i: &Fluid, j: &Fluid, f: &mut Change) {
                    let d = i.pos - j.pos;
                    let v = i.vel - j.vel;
                    let r = d.norm();
                    let gradient_i = gradient(r, i.h);
                    let gradient_j = gradient(r, j.h);
                    let dv = d.dot(v);
                    let mut signal = i.sound + j.sound;
                    let mut viscosity = 0.0;
                    if dv < 0.0 {
                        let w = dv / r;
                        signal -= 3.0 * w;
                        viscosity = -self.alpha * w * signal / (i.density + j.density);
                    }
                    let viscous = 0.5 * viscosity * (gradient_i + gradient_j);
                    let own = i.p * gradient_i;
                    f.acc -= j.mass * (own + j.p * gradient_j + viscous) * d;
                    f.heating += j.mass * (own + 0.5 * viscous) * dv;
                    f.signal.max(signal);
                }
            }
        }
    };
}

/// The cubic spline (Monaghan & Lattanzio 1985, Astron. Astrophys. 149, 135).
macro_rules! cubic_spline {
    ($($head:tt)*) => {
        sph! {
            $($head)*;

            /// w(q), for q up to 2.
            fn weight(q: Real) -> Real {
                if q < 1.0 {
                    return 1.0 - q * q * (1.5 - 0.75 * q);
                }
                0.25 * (2.0 - q).max(0.0).powi(3)
            }

            /// w′(q)/q.
            fn slope(q: Real) -> Real {
                if q < 1.0 {
                    return 2.25 * q - 3.0;
                }
                -0.75 * (2.0 - q).max(0.0).powi(2) / q
            }
        }
    };
}

/// The Wendland C² kernel (Wendland 1995, Adv. Comput. Math. 4, 389; Dehnen & Aly 2012, Mon. Not.
/// R. Astron. Soc. 425, 1068).
macro_rules! wendland {
    ($($head:tt)*) => {
        sph! {
            $($head)*;

            /// w(q), for q up to 2.
            fn weight(q: Real) -> Real {
                (1.0 - 0.5 * q).max(0.0).powi(4) * (1.0 + 2.0 * q)
            }

            /// w′(q)/q.
            fn slope(q: Real) -> Real {
                -5.0 * (1.0 - 0.5 * q).max(0.0).powi(3)
            }
        }
    };
}

cubic_spline! {
    /// SPH with the cubic spline in two dimensions.
    cubic_spline_2d: CubicDensity2, CubicMomentum2, 2, 10.0 / (7.0 * core::f64::consts::PI)
}
cubic_spline! {
    /// SPH with the cubic spline in three dimensions.
    cubic_spline_3d: CubicDensity3, CubicMomentum3, 3, 1.0 / core::f64::consts::PI
}
wendland! {
    /// SPH with the Wendland C² kernel in two dimensions.
    wendland_2d: WendlandDensity2, WendlandMomentum2, 2, 7.0 / (4.0 * core::f64::consts::PI)
}
wendland! {
    /// SPH with the Wendland C² kernel in three dimensions.
    wendland_3d: WendlandDensity3, WendlandMomentum3, 3, 21.0 / (16.0 * core::f64::consts::PI)
}
