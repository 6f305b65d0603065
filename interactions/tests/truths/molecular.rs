//! Van der Waals interactions.

use std::f64::consts::{PI, SQRT_2};

use nbody::check::reference;
use nbody::{Domain, Point};
use nbody_interactions::buckingham;
use nbody_interactions::lennard_jones::{
    Atom, Force, LennardJones, ShiftedLennardJones, SwitchedLennardJones,
};

use crate::near;
use crate::shapes::face_centred;

/// Types of i and j.
const KINDS: [u32; 2] = [1, 3];

/// Returns a table with this value for the two types, and another one in all other entries.
fn table(value: f64) -> [[f64; 4]; 4] {
    let mut table = [[100.0; 4]; 4];
    table[1][3] = value;
    table
}

fn force<X>(law: &X, at: &[[f64; 3]]) -> Force
where
    X: nbody::Interaction<I = Atom, J = Atom, F = Force>,
{
    let origin = [Atom { pos: Point::new(0.0, 0.0, 0.0), kind: KINDS[0] }];
    let atoms: Vec<_> = at.iter().map(|p| Atom { pos: Point(*p), kind: KINDS[1] }).collect();
    reference::<_, f64>(law, Domain::Open, &origin, &atoms).unwrap()[0]
}

/// The lattice sums of a face-centred cubic crystal, A₁₂ = 12.13188 and A₆ = 14.45392 (Lennard-
/// Jones & Ingham 1925, Proc. R. Soc. A 107, 636), from the potentials of two crystals of
/// different spacing; the virial follows from the same sums. The truncation error is the integral
/// of 1/r⁶ over the density √2.
///
/// Fails with `s6 * s6 + s6`, with `s2.powi(2)`, with `24.0 * epsilon` of another number, with
/// `s6 - 1.0` in the virial, with `[j.kind][i.kind]` and with half of the cutoff.
#[test]
fn lattice_sums_of_lennard_jones() {
    const RADIUS: f64 = 25.0;
    const EPSILON: f64 = 0.5;
    let crystal = face_centred(RADIUS);
    let at = |spacing: f64| {
        let points: Vec<_> = crystal.iter().map(|p| p.map(|x| x * spacing)).collect();
        let law = LennardJones {
            sigma2: table(1.0),
            epsilon: table(EPSILON),
            cutoff: 0.999 * RADIUS * spacing,
        };
        force(&law, &points)
    };
    let (a, b) = (at(1.0), at(1.25));
    // φ/4ε = A₁₂ s⁻¹² − A₆ s⁻⁶, twice.
    let (p, q) = (a.pot / (4.0 * EPSILON), b.pot / (4.0 * EPSILON));
    let (s6, s12) = (1.25_f64.powi(-6), 1.25_f64.powi(-12));
    let a6 = (p * s12 - q) / (s6 - s12);
    let a12 = p + a6;
    let tail = 4.0 * PI * SQRT_2 / (3.0 * (0.999 * RADIUS).powi(3));
    near(a12 + 0.0, 12.131_88, 1.0, 2e-5);
    near(a6 + tail, 14.453_92, 1.0, 2e-5);
    near(a.virial, 24.0 * EPSILON * (2.0 * a12 - a6), a.virial.abs(), 1e-12);
    near(a.force.norm(), 0.0, 1.0, 1e-9);
}

fn laws() -> (LennardJones, ShiftedLennardJones, SwitchedLennardJones) {
    let (sigma2, epsilon, cutoff) = (table(1.21), table(0.8), 2.75);
    (
        LennardJones { sigma2, epsilon, cutoff },
        ShiftedLennardJones { sigma2, epsilon, cutoff },
        SwitchedLennardJones { sigma2, epsilon, switch: 2.2, cutoff },
    )
}

/// Returns a point at this distance.
fn place(r: f64) -> [f64; 3] {
    [0.6 * r, 0.0, -0.8 * r]
}

/// Returns the repulsive force on the atom at the origin, F·(rᵢ − rⱼ)/r.
fn push(force: &Force) -> f64 {
    -(0.6 * force.force[0] - 0.8 * force.force[2])
}

/// For each law the force is minus the derivative of the potential, and the virial is force times
/// distance.
///
/// Fails with `virial * r2 * d`, with `j.pos - i.pos`, and with `/ 2.0` or `/ 3.0` in place of
/// `/ 3.0` or `/ 4.0` in `potential`.
#[test]
fn forces_are_derivatives_of_potentials() {
    fn check<X>(law: &X)
    where
        X: nbody::Interaction<I = Atom, J = Atom, F = Force>,
    {
        const STEP: f64 = 1e-5;
        for r in [0.95, 1.1, 1.3, 1.9, 2.3, 2.5, 2.7] {
            let pot = |r: f64| force(law, &[place(r)]).pot;
            let slope = (pot(r + STEP) - pot(r - STEP)) / (2.0 * STEP);
            let found = force(law, &[place(r)]);
            near(push(&found), -slope, 1.0 + slope.abs(), 1e-7);
            near(found.virial, push(&found) * r, 1.0 + slope.abs(), 1e-12);
        }
    }
    let (truncated, shifted, switched) = laws();
    check(&truncated);
    check(&shifted);
    check(&switched);
}

/// The depth of the well at 2^(1/6) σ is ε. At the cutoff the potentials of the shifted and the
/// switched law vanish; for the switched law the force and its derivative vanish, too. Below the
/// switch the force equals the truncated law's.
///
/// Fails with `- well(...)` left out of the shifted law, and in the switched one with the sign of
/// `quadratic` or `cubic` changed, with `n + 2.0` in place of their `n + 4.0` or `n + 3.0`, with
/// `c6` for `c12`, with the sum for `width` and with `0.9 * self.switch` in `x`.
#[test]
fn wells_and_cutoffs() {
    const NEAR: f64 = 1e-6;
    let (truncated, shifted, switched) = laws();
    let bottom = [place(1.1 * 2.0_f64.powf(1.0 / 6.0))];
    near(force(&truncated, &bottom).pot, -0.8, 1.0, 1e-14);
    near(force(&truncated, &bottom).force.norm(), 0.0, 1.0, 1e-13);
    let end = [place(2.75 - NEAR)];
    near(force(&shifted, &end).pot, 0.0, 1.0, 1e-6);
    near(force(&switched, &end).pot, 0.0, 1.0, 1e-14);
    near(push(&force(&switched, &end)), 0.0, 1.0, 1e-10);
    near(
        push(&force(&switched, &[place(2.2 + NEAR)])),
        push(&force(&truncated, &[place(2.2)])),
        1.0,
        1e-6,
    );
    for law_at in [1.0, 2.0] {
        let at = [place(law_at)];
        near(push(&force(&switched, &at)), push(&force(&truncated, &at)), 1.0, 1e-13);
        near(push(&force(&shifted, &at)), push(&force(&truncated, &at)), 1.0, 1e-13);
    }
    for beyond in [place(2.75), place(9.0)] {
        assert_eq!(force(&truncated, &[beyond]), Force::default());
        assert_eq!(force(&shifted, &[beyond]), Force::default());
        assert_eq!(force(&switched, &[beyond]), Force::default());
    }
}

/// In the form exp-6, A = 6ε exp(α) / (α − 6), ρ = rₘ/α, C = εα rₘ⁶ / (α − 6), the well at rₘ has
/// the depth ε and the curvature 6αε (α − 7) / ((α − 6) rₘ²) (Mason 1954, J. Chem. Phys. 22, 169).
///
/// Fails with `r / self.rho` without its sign, with `5.0 * dispersion`, with `r2.powi(2)` and with
/// `repulsion + dispersion`.
#[test]
fn well_of_buckingham() {
    const STEP: f64 = 1e-5;
    let (alpha, depth, rm) = (13.5, 0.7, 1.4);
    let law = buckingham::Buckingham {
        a: 6.0 * depth * f64::exp(alpha) / (alpha - 6.0),
        rho: rm / alpha,
        c: depth * alpha * rm.powi(6) / (alpha - 6.0),
        cutoff: 3.0,
    };
    let at = |r: f64| {
        let atom = |p| buckingham::Atom { pos: Point(p) };
        reference::<_, f64>(&law, Domain::Open, &[atom([0.0; 3])], &[atom(place(r))]).unwrap()[0]
    };
    let push = |r: f64| -(0.6 * at(r).force[0] - 0.8 * at(r).force[2]);
    near(at(rm).pot, -depth, depth, 1e-13);
    near(push(rm), 0.0, 1.0, 1e-11);
    let curvature = -(push(rm + STEP) - push(rm - STEP)) / (2.0 * STEP);
    let expected = 6.0 * alpha * depth * (alpha - 7.0) / ((alpha - 6.0) * rm * rm);
    near(curvature, expected, expected, 1e-7);
    assert_eq!(at(3.0), buckingham::Force::default());
}
