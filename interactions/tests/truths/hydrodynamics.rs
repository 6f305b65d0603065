//! Smoothed particle hydrodynamics, for each kernel and number of dimensions.

use nbody::check::{reference, reference_self};
use nbody::{Domain, Point, Vector};

use crate::near;
use crate::shapes::disorder;

/// Returns the points of a square or cubic lattice of spacing 1 around the origin, up to `n` on
/// each side.
fn lattice<const D: usize>(n: i32) -> Vec<[f64; D]> {
    let side = 2 * n + 1;
    let count = side.pow(D as u32);
    let along = |k: i32, axis: u32| f64::from(k / side.pow(axis) % side - n);
    (0..count).map(|k| std::array::from_fn(|axis| along(k, axis as u32))).collect()
}

/// The tests of one module. `$moment` is the second moment of the kernel along an axis, in h²
/// (Dehnen & Aly 2012, table 1, whose H is 2h).
macro_rules! tests {
    ($module:ident, $density:ident, $momentum:ident, $dimensions:literal, $moment:expr) => {
        mod $module {
            use super::*;
            use nbody_interactions::$module::{
                Change, Density, Fluid, Source, Target, $density, $momentum,
            };

            const D: usize = $dimensions;

            fn density(pos: [f64; D], h: f64, mass: f64) -> Density {
                let sources: Vec<_> =
                    lattice(9).into_iter().map(|p| Source { pos: Point(p), mass }).collect();
                let target = [Target { pos: Point(pos), h }];
                reference::<_, f64>(&$density, Domain::Open, &target, &sources).unwrap()[0]
            }

            /// The kernel has the integral 1: a lattice has its density, wherever it is
            /// evaluated.
            ///
            /// Fails with another `NORM`, with `- q * q * (1.5 + 0.75 * q)`, `(1.0 + 3.0 * q)`
            /// and `powi(2)` in `weight`.
            #[test]
            fn a_lattice_has_its_density() {
                for h in [1.5, 2.5, 4.0] {
                    let found = density([0.2; D], h, 3.0);
                    near(found.density, 3.0, 3.0, 6e-3);
                }
                near(density([0.0; D], 4.0, 1.0).density, 1.0, 1.0, 2e-4);
            }

            /// The derivative with respect to the smoothing length, by differences.
            ///
            /// Fails with `f.by_h += ...`, with `q * slope(q)`, without `DIMENSIONS` and with
            /// another constant in `slope`.
            #[test]
            fn the_derivative_by_h() {
                const STEP: f64 = 1e-5;
                for h in [0.8, 1.7] {
                    let at = |h: f64| density([0.3; D], h, 1.0);
                    let slope = (at(h + STEP).density - at(h - STEP).density) / (2.0 * STEP);
                    near(at(h).by_h, slope, 1.0, 1e-7);
                }
            }

            fn fluid(pos: [f64; D], vel: [f64; D], h: f64) -> Fluid {
                let (pos, vel) = (Point(pos), Vector(vel));
                Fluid { pos, vel, mass: 1.0, h, density: 1.0, p: 0.0, sound: 0.0 }
            }

            fn change(alpha: f64, i: Fluid, j: &[Fluid]) -> Change {
                reference::<_, f64>(&$momentum { alpha }, Domain::Open, &[i], j).unwrap()[0]
            }

            /// A pressure gradient along an axis accelerates down it: v̇ = −∇P/ρ.
            ///
            /// Fails with `f.acc += ...`, with `own - j.p * gradient_j` and with another `NORM`.
            #[test]
            fn a_pressure_gradient_accelerates() {
                const SLOPE: f64 = 0.01;
                let at =
                    |pos: [f64; D]| Fluid { p: 1.0 + SLOPE * pos[0], ..fluid(pos, [0.0; D], 3.5) };
                let all: Vec<_> = lattice(8).into_iter().map(at).collect();
                let found = change(1.0, at([0.0; D]), &all);
                near(found.acc[0], -SLOPE, SLOPE, 3e-3);
                near(found.acc[1], 0.0, SLOPE, 1e-9);
                near(found.heating, 0.0, 1.0, 1e-12);
            }

            /// A gas under pressure that contracts at a rate heats by P/ρ times this rate.
            ///
            /// Fails with `f.heating -= ...` and with `0.5 * own`.
            #[test]
            fn compression_heats() {
                const RATE: f64 = 0.02;
                let at =
                    |pos: [f64; D]| Fluid { p: 1.5, ..fluid(pos, pos.map(|x| -RATE * x), 3.5) };
                let all: Vec<_> = lattice(8).into_iter().map(at).collect();
                let found = change(0.0, at([0.0; D]), &all);
                near(found.heating, 1.5 * RATE * D as f64, RATE, 1e-2);
            }

            /// In a cold gas that contracts at a rate κ the viscosity heats by ¾ α κ³ (D + 2)
            /// ⟨r²⟩, an integral over the kernel whose second moment is published.
            ///
            /// Fails with `-= 2.0 * w`, with `self.alpha * w * signal` of the other sign, with
            /// `0.5 * viscosity` or `0.5 * viscous` without the half, and with `own - 0.5 *
            /// viscous`.
            #[test]
            fn viscosity_heats_a_contracting_gas() {
                const RATE: f64 = 0.02;
                let (alpha, h) = (1.3, 3.5);
                let at = |pos: [f64; D]| fluid(pos, pos.map(|x| -RATE * x), h);
                let all: Vec<_> = lattice(8).into_iter().map(at).collect();
                let found = change(alpha, at([0.0; D]), &all);
                let square = D as f64 * $moment * h * h;
                let heating = 0.75 * alpha * RATE.powi(3) * (D as f64 + 2.0) * square;
                near(found.heating, heating, heating, 1e-2);
                // No viscosity acts on an expanding gas.
                let apart = |pos: [f64; D]| fluid(pos, pos.map(|x| RATE * x), h);
                let all: Vec<_> = all.iter().map(|j| apart(j.pos.0)).collect();
                assert_eq!(change(alpha, apart([0.0; D]), &all).heating, 0.0);
            }

            /// Particles with individual smoothing lengths, pressures and velocities conserve
            /// momentum and energy.
            ///
            /// Fails with `own + own`, with `gradient(r, i.h)` twice, with `f.heating -= ...` and
            /// with a cutoff of `2.0 * i.h`.
            #[test]
            fn momentum_and_energy_are_conserved() {
                let particle = |k: usize| {
                    let x = |l: usize| disorder(k, l);
                    let positive = |l: usize| 1.2 + x(l);
                    Fluid {
                        pos: Point(std::array::from_fn(|c| 2.0 * x(c))),
                        vel: Vector(std::array::from_fn(|c| x(3 + c))),
                        mass: positive(6),
                        h: 0.5 * positive(7),
                        density: positive(8),
                        p: positive(9),
                        sound: positive(10),
                    }
                };
                let all: Vec<_> = (0..60).map(particle).collect();
                let law = $momentum { alpha: 1.0 };
                let found = reference_self::<_, f64>(&law, Domain::Open, &all, &all).unwrap();
                let (mut momentum, mut energy, mut scale) = (Vector::default(), 0.0, 0.0);
                for (i, change) in all.iter().zip(&found) {
                    momentum += change.acc * i.mass;
                    energy += i.mass * (i.vel.dot(change.acc) + change.heating);
                    scale += i.mass * change.acc.norm();
                }
                near(momentum.norm(), 0.0, scale, 1e-14);
                near(energy, 0.0, scale, 1e-14);
            }

            /// The signal velocity of particles that approach at a speed w is cᵢ + cⱼ + 3w, and cᵢ
            /// + cⱼ otherwise (Monaghan 1997, equation 4.7, with his β of 3).
            ///
            /// Fails with `-= 2.0 * w`, with `i.sound - j.sound` and with `dv > 0.0`.
            #[test]
            fn signal_velocity() {
                let mut at = [0.0; D];
                at[1] = 0.6;
                let still = Fluid { sound: 1.0, ..fluid([0.0; D], [0.0; D], 1.0) };
                for (speed, signal) in [(-2.0, 3.0 + 6.0), (2.0, 3.0), (0.0, 3.0)] {
                    let mut vel = [0.0; D];
                    vel[1] = speed;
                    let other = Fluid { sound: 2.0, ..fluid(at, vel, 1.0) };
                    let found = change(1.0, still, &[other, Fluid { sound: 0.5, ..other }]);
                    near(found.signal, signal, 1.0, 1e-14);
                }
            }
        }
    };
}

tests!(cubic_spline_2d, CubicDensity2, CubicMomentum2, 2, 31.0 / 98.0);
tests!(cubic_spline_3d, CubicDensity3, CubicMomentum3, 3, 3.0 / 10.0);
tests!(wendland_2d, WendlandDensity2, WendlandMomentum2, 2, 5.0 / 18.0);
tests!(wendland_3d, WendlandDensity3, WendlandMomentum3, 3, 4.0 / 15.0);
