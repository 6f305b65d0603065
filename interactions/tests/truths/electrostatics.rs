//! Charges.

use std::f64::consts::PI;

use nbody::check::{reference, reference_self};
use nbody::{Domain, Point};
use nbody_interactions::{coulomb, ewald, yukawa};

use crate::near;
use crate::shapes::{gradient, norm, sphere};

/// Outside, a uniformly charged sphere has the field of a charge at its centre; inside, the field
/// is zero (Newton's shell theorem).
///
/// Fails with `j.pos - i.pos`, with `rinv` in place of `rinv * rinv` and with `f.pot -= pot`.
#[test]
fn coulomb_of_a_shell() {
    const CHARGE: f64 = 3.0;
    let points = sphere(20_000);
    let charge = CHARGE / points.len() as f64;
    let shell: Vec<_> = points.iter().map(|p| coulomb::Charge { pos: Point(*p), charge }).collect();
    for (r, pot, field) in [(0.5, CHARGE, 0.0), (2.0, CHARGE / 2.0, CHARGE / 4.0)] {
        let target = coulomb::Charge { pos: Point::new(0.0, 0.6 * r, 0.8 * r), charge: 0.0 };
        let found =
            reference::<_, f64>(&coulomb::Coulomb, Domain::Open, &[target], &shell).unwrap()[0];
        near(found.pot, pot, CHARGE, 1e-3);
        near(found.field[1], 0.6 * field, CHARGE, 1e-3);
        near(found.field[2], 0.8 * field, CHARGE, 1e-3);
    }
}

/// A screened charge on a sphere of radius 1 has the potential of a point charge q sinh κ / κ
/// outside, and φ = q exp(−κ) sinh(κr) / κr inside (the solution of Helmholtz's equation).
///
/// Fails with `self.kappa * r` without its sign, with `1.0 - self.kappa * r` and with
/// `j.pos - i.pos`.
#[test]
fn yukawa_of_a_shell() {
    const KAPPA: f64 = 1.5;
    let points = sphere(20_000);
    let charge = 1.0 / points.len() as f64;
    let shell: Vec<_> = points.iter().map(|p| yukawa::Charge { pos: Point(*p), charge }).collect();
    let swollen = KAPPA.sinh() / KAPPA;
    let inside = |r: f64| (-KAPPA).exp() * (KAPPA * r).sinh() / (KAPPA * r);
    let slope_inside =
        |r: f64| (-KAPPA).exp() * ((KAPPA * r).cosh() / r - (KAPPA * r).sinh() / (KAPPA * r * r));
    let outside = |r: f64| swollen * (-KAPPA * r).exp() / r;
    let slope_outside = |r: f64| -outside(r) * (1.0 + KAPPA * r) / r;
    for (r, pot, slope) in
        [(0.5, inside(0.5), slope_inside(0.5)), (2.0, outside(2.0), slope_outside(2.0))]
    {
        let target = yukawa::Charge { pos: Point::new(0.0, 0.6 * r, 0.8 * r), charge: 0.0 };
        let yukawa = yukawa::Yukawa { kappa: KAPPA };
        let found = reference::<_, f64>(&yukawa, Domain::Open, &[target], &shell).unwrap()[0];
        near(found.pot, pot, 1.0, 1e-3);
        near(found.field[1], -0.6 * slope, 1.0, 1e-3);
        near(found.field[2], -0.8 * slope, 1.0, 1e-3);
    }
}

/// Rock salt in a periodic box of 64 ions: the sums in real and in reciprocal space and the
/// self-energy give the Madelung constant (Madelung 1918).
///
/// Fails with `x.erf()`, with `x` of twice its value, with a cutoff of half its value and in open
/// space.
#[test]
fn madelung_constant_of_rock_salt() {
    const MADELUNG: f64 = 1.747_564_594_633;
    const LENGTH: f64 = 4.0;
    const ALPHA: f64 = 2.5;
    let ion = |k: u32| {
        let at = [k % 4, k / 4 % 4, k / 16];
        let charge = if at.iter().sum::<u32>().is_multiple_of(2) { 1.0 } else { -1.0 };
        ewald::Charge { pos: Point(at.map(f64::from)), charge }
    };
    let ions: Vec<_> = (0..64).map(ion).collect();
    // At half of the box erfc αr is 10⁻¹².
    let ewald = ewald::Ewald { alpha: ALPHA, cutoff: 0.5 * LENGTH };
    let domain = Domain::periodic([LENGTH; 3]).unwrap();
    let real = reference_self::<_, f64>(&ewald, domain, &ions, &ions).unwrap();
    let own = 2.0 * ALPHA / PI.sqrt();
    for k in [0, 21] {
        let (ion, real) = (ions[k], real[k]);
        let pot = real.pot + reciprocal(ALPHA, LENGTH, &ions, ion.pos) - own * ion.charge;
        near(pot * ion.charge, -MADELUNG, 1.0, 1e-9);
        near(real.field.norm(), 0.0, 1.0, 1e-9);
    }
}

/// Returns the potential of the sum in reciprocal space.
fn reciprocal(alpha: f64, length: f64, ions: &[ewald::Charge], at: Point) -> f64 {
    const LARGEST: i32 = 18;
    let (unit, volume) = (2.0 * PI / length, length.powi(3));
    let mut sum = 0.0;
    for x in -LARGEST..=LARGEST {
        for y in -LARGEST..=LARGEST {
            for z in -LARGEST..=LARGEST {
                let k = [x, y, z].map(|n| unit * f64::from(n));
                let k2 = norm(k).powi(2);
                if k2 > 0.0 {
                    let weight = 4.0 * PI / (volume * k2) * (-k2 / (4.0 * alpha * alpha)).exp();
                    let wave = |ion: &ewald::Charge| {
                        let d: f64 = (0..3).map(|c| k[c] * (at[c] - ion.pos[c])).sum();
                        ion.charge * d.cos()
                    };
                    sum += weight * ions.iter().map(wave).sum::<f64>();
                }
            }
        }
    }
    sum
}

/// The field is minus the gradient of the potential.
///
/// Fails with `pot - j.charge * gauss`, with `(x * x).exp()` and with half of `FRAC_2_SQRT_PI`.
#[test]
fn ewald_field_is_the_gradient_of_its_potential() {
    let ewald = ewald::Ewald { alpha: 1.3, cutoff: 10.0 };
    let source = [ewald::Charge { pos: Point::new(0.1, 0.2, 0.3), charge: 2.0 }];
    let at = |pos| {
        let target = [ewald::Charge { pos: Point(pos), charge: 0.0 }];
        reference::<_, f64>(&ewald, Domain::Open, &target, &source).unwrap()[0]
    };
    let place = [0.9, -0.4, 0.6];
    let slope = gradient(|pos| at(pos).pot, place);
    let field = at(place).field;
    for k in 0..3 {
        near(field[k], -slope[k], field.norm(), 1e-6);
    }
}
