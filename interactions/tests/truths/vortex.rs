//! Vortex particles.

use std::f64::consts::{PI, TAU};

use nbody::check::{reference, reference_self};
use nbody::{Domain, Point, Vector};
use nbody_interactions::biot_savart::{BiotSavart, Motion, Vortex};

use crate::near;
use crate::shapes::{circle, disorder, gradient};

/// A thin ring moves along its axis at Γ/4πR (ln(8R/σ) − 1/2) (Winckelmans & Leonard 1993; Leonard
/// 1985, Annu. Rev. Fluid Mech. 17, 523). The constant 1/2 belongs to this smoothing: it is the
/// constant 1 of Rosenhead's smoothing, less the integral of the difference of the smoothings.
///
/// Fails with `f.velocity += ...`, with `1.5 * self.core2` in place of `2.5 * self.core2` and with
/// `0.5 / core::f64::consts::PI`.
#[test]
fn speed_of_a_ring() {
    const N: usize = 8000;
    const CORE: f64 = 0.01;
    let vortex = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        let strength = Vector::new(-sin, cos, 0.0) * (TAU / N as f64);
        Vortex { pos: Point::new(cos, sin, 0.0), strength }
    };
    let ring: Vec<_> = circle(N).map(vortex).collect();
    let law = BiotSavart { core2: CORE * CORE };
    let found = reference::<_, f64>(&law, Domain::Open, &ring[..1], &ring).unwrap()[0];
    let speed = ((8.0 / CORE).ln() - 0.5) / (4.0 * PI);
    near(found.velocity[2], speed, speed, 1e-4);
    near(found.velocity[0].hypot(found.velocity[1]), 0.0, speed, 1e-10);
}

fn tangle() -> Vec<Vortex> {
    let vortex = |k: usize| {
        let x = |l: usize| disorder(k, l);
        Vortex { pos: Point::new(x(0), x(1), x(2)), strength: Vector::new(x(3), x(4), x(5)) }
    };
    (0..30).map(vortex).collect()
}

/// In the transposed form the stretching of Γ is the gradient of u·Γ, and conserves the sum of all
/// strengths.
///
/// Fails with `f.stretching -= ...`, with `near * turn - far * ...`, with `2.5 * self.core2` in
/// place of `3.5 * self.core2` and with `2.0 * FOUR_PI_INV` in place of `3.0 * FOUR_PI_INV`.
#[test]
fn stretching_is_the_gradient_of_the_velocity() {
    let vortices = tangle();
    let law = BiotSavart { core2: 0.04 };
    let moved = |k: usize, pos: [f64; 3]| -> Motion {
        let target = Vortex { pos: Point(pos), ..vortices[k] };
        reference::<_, f64>(&law, Domain::Open, &[target], &vortices).unwrap()[0]
    };
    for k in [0, 7, 19] {
        let strength = vortices[k].strength;
        let slope = gradient(|pos| moved(k, pos).velocity.dot(strength), vortices[k].pos.0);
        let found = moved(k, vortices[k].pos.0).stretching;
        for c in 0..3 {
            near(found[c], slope[c], found.norm(), 1e-6);
        }
    }
    let all = reference_self::<_, f64>(&law, Domain::Open, &vortices, &vortices).unwrap();
    let sum = all.iter().fold(Vector::default(), |sum, motion| sum + motion.stretching);
    near(sum.norm(), 0.0, 1.0, 1e-12);
}
