//! Interactions of molecules.

use std::f64::consts::{PI, SQRT_2};

use nbody::check::{reference, reference_self};
use nbody::{Domain, Point};
use nbody_interactions::buckingham;
use nbody_interactions::gay_berne::{Action, GayBerne, Molecule};
use nbody_interactions::lennard_jones::{
    Atom, Force, LennardJones, ShiftedLennardJones, SwitchedLennardJones,
};
use nbody_interactions::lennard_jones_stress::{self, LennardJonesStress};

use crate::near;
use crate::shapes::{disorder, face_centred, norm, sphere};

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

/// The virial tensor is minus the derivative of the energy by a strain of box and positions, component by
/// component, in a triclinic box; its trace is the virial of the law without a tensor.
///
/// Fails without `0.5`, with `s6 - 1.0` for `2.0 * s6 - 1.0`, without a component, and with two of its components
/// exchanged.
#[test]
fn virial_tensors_are_derivatives_by_strains() {
    const STEP: f64 = 1e-5;
    const BOX: [[f64; 3]; 3] = [[3.0, 0.0, 0.0], [0.4, 3.3, 0.0], [-0.3, 0.5, 3.6]];
    let strained = |p: [f64; 3], [row, column]: [usize; 2], by: f64| {
        let mut p = p;
        p[row] += by * p[column];
        p
    };
    let moved = |at, by| {
        let place = |k: usize| {
            let cell = [k % 3, k / 3 % 3, k / 9].map(|n| n as f64 / 3.0);
            let p = |l: usize| (0..3).map(|m| cell[m] * BOX[m][l]).sum::<f64>();
            std::array::from_fn(|l| p(l) + 0.1 * disorder(k, l))
        };
        let atoms = (0..27).map(|k| Point(strained(place(k), at, by)));
        let domain = Domain::triclinic(BOX.map(|vector| strained(vector, at, by))).unwrap();
        (atoms.collect::<Vec<_>>(), domain)
    };
    let law = LennardJonesStress { sigma2: 0.81, epsilon: 0.75, cutoff: 1.45 };
    let evaluate = |at, by| {
        let (points, domain) = moved(at, by);
        let atoms: Vec<_> =
            points.into_iter().map(|pos| lennard_jones_stress::Atom { pos }).collect();
        reference_self::<_, f64>(&law, domain, &atoms, &atoms).unwrap()
    };
    let energy = |at, by| 0.5 * evaluate(at, by).iter().map(|force| force.pot).sum::<f64>();
    let found = evaluate([0, 0], 0.0);
    let sum = |k: usize| found.iter().map(|force| force.virial[k]).sum::<f64>();
    let scale = (0..6).map(|k| sum(k).abs()).fold(0.0, f64::max);
    let places = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];
    for (k, at) in places.into_iter().enumerate() {
        let slope = (energy(at, STEP) - energy(at, -STEP)) / (2.0 * STEP);
        near(sum(k), -slope, scale, 1e-8);
        assert!(slope.abs() > 0.01 * scale, "{k}: {slope}");
    }
    let plain = LennardJones { sigma2: table(0.81), epsilon: table(0.75), cutoff: 1.45 };
    for r in [0.95, 1.1, 1.3] {
        let atoms = [[0.0; 3], place(r)].map(|p| lennard_jones_stress::Atom { pos: Point(p) });
        let found = reference_self::<_, f64>(&law, Domain::Open, &atoms, &atoms).unwrap();
        let expected = force(&plain, &[place(r)]);
        near(2.0 * found[0].virial.trace(), expected.virial, expected.virial.abs(), 1e-14);
        near(found[0].pot, expected.pot, expected.pot.abs(), 1e-14);
        near((found[0].force - expected.force).norm(), 0.0, expected.force.norm(), 1e-14);
    }
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

/// Gay's and Berne's own κ, κ′, μ and ν.
const RATIOS: [f64; 4] = [3.0, 5.0, 2.0, 1.0];

fn molecule(pos: [f64; 3], axis: [f64; 3]) -> Molecule {
    Molecule { pos: Point(pos), axis: nbody::Vector(axis) }
}

fn action(law: &GayBerne, [i, j]: [Molecule; 2]) -> Action {
    reference::<_, f64>(law, Domain::Open, &[i], &[j]).unwrap()[0]
}

/// The potential energy as Gay & Berne wrote it: powers of κ and κ′, and two fractions.
fn energy_of_gay_berne(ratios: [f64; 4], [i, j]: [([f64; 3], [f64; 3]); 2]) -> f64 {
    let [kappa, kappa_depth, mu, nu] = ratios;
    let dot = |v: [f64; 3], w: [f64; 3]| v.iter().zip(w).map(|(v, w)| v * w).sum::<f64>();
    let d: [f64; 3] = std::array::from_fn(|k| i.0[k] - j.0[k]);
    let r = norm(d);
    let (a, b, c) = (dot(i.1, d) / r, dot(j.1, d) / r, dot(i.1, j.1));
    let root = kappa_depth.powf(1.0 / mu);
    let [chi, chi_depth] =
        [(kappa * kappa - 1.0) / (kappa * kappa + 1.0), (root - 1.0) / (root + 1.0)];
    let g = |chi: f64| {
        let (plus, minus) = ((a + b).powi(2) / (1.0 + chi * c), (a - b).powi(2) / (1.0 - chi * c));
        1.0 - 0.5 * chi * (plus + minus)
    };
    let depth = (1.0 / (1.0 - (chi * c).powi(2)).sqrt()).powf(nu) * g(chi_depth).powf(mu);
    let distance = r - g(chi).powf(-0.5) + 1.0;
    4.0 * depth * (distance.powi(-12) - distance.powi(-6))
}

/// Returns the vector turned by an angle about a coordinate axis.
fn turned(v: [f64; 3], about: usize, angle: f64) -> [f64; 3] {
    let (l, m) = ((about + 1) % 3, (about + 2) % 3);
    let mut turned = v;
    turned[l] = angle.cos() * v[l] - angle.sin() * v[m];
    turned[m] = angle.sin() * v[l] + angle.cos() * v[m];
    turned
}

/// Returns the derivative at 0, by central differences of sixth order.
fn derivative(f: impl Fn(f64) -> f64) -> f64 {
    const STEP: f64 = 2e-3;
    let weights = [(1.0, 45.0), (2.0, -9.0), (3.0, 1.0)];
    let term = |(k, w): (f64, f64)| w * (f(k * STEP) - f(-k * STEP));
    weights.map(term).iter().sum::<f64>() / (60.0 * STEP)
}

/// Energy, force and torque against the energy in the form of Gay & Berne, its differences by
/// position and by angle, for rods and for discs, in a thousand places and directions.
///
/// Fails with `1.0 - chi` in `overlap`, with `self.mu` for `self.nu`, with `self.chi` for
/// `self.chi_depth`, without `kappa * kappa`, with `mu` for `mu.recip()`, and with the signs of the
/// force and the torque and the order of `cross` changed.
#[test]
fn gay_berne_has_the_derivatives_of_its_energy() {
    let directions = sphere(1000);
    for ratios in [RATIOS, [4.4, 20.0, 1.0, 1.5], [0.345, 0.2, 1.0, 2.0]] {
        let law = GayBerne::new(ratios, 12.0);
        let longest = ratios[0].max(1.0);
        for k in 0..directions.len() {
            // Outside the overlap, at most a little up the repulsive wall.
            let r = longest + 0.45 + 0.55 * disorder(k, 0);
            let at = directions[k * 7 % 1000].map(|x| r * x);
            let (u, v) = (directions[k * 31 % 1000], directions[k * 171 % 1000]);
            let energy = |p, u| energy_of_gay_berne(ratios, [(p, u), ([0.0; 3], v)]);
            let found = action(&law, [molecule(at, u), molecule([0.0; 3], v)]);
            let scale = 1.0 + found.pot.abs() + found.force.norm();
            near(found.pot, energy(at, u), scale, 1e-13);
            for x in 0..3 {
                let moved = |by: f64| {
                    let mut p = at;
                    p[x] += by;
                    energy(p, u)
                };
                near(found.force[x], -derivative(moved), scale, 1e-8);
                let slope = derivative(|angle| energy(at, turned(u, x, angle)));
                near(found.torque[x], -slope, scale, 1e-8);
            }
        }
    }
}

/// The wells of GB(3, 5, 2, 1) by hand (Gay & Berne 1981): side by side ε = (1 − χ²)^(−1/2) = 5/3 at
/// 2^(1/6), end to end a fifth of it at κ − 1 + 2^(1/6), crossed 1 at 2^(1/6), and in the form of a T
/// (1 − χ′)² at (1 − χ)^(−1/2) − 1 + 2^(1/6), with χ = 4/5 and χ′ = (√5 − 1) / (√5 + 1). The sign of
/// an axis does not matter, and the curvature of a well is 72 ε / 2^(1/3).
///
/// Fails with `24.0 * self.epsilon0`, with `powi(5)`, with `- self.sigma0`, with `1.0 *
/// self.nu` for `0.5 * self.nu` and without `.rsqrt()`.
#[test]
fn wells_of_gay_berne() {
    const STEP: f64 = 1e-5;
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let root = 5.0_f64.sqrt();
    let t = (1.0 - (root - 1.0) / (root + 1.0)).powi(2);
    let wells = [
        (z, z, 5.0 / 3.0, 1.0),
        (x, x, 1.0 / 3.0, 3.0),
        (y, z, 1.0, 1.0),
        (x, z, t, root),
        (z, x, t, root),
    ];
    for (sigma, epsilon) in [(1.0, 1.0), (1.5, 0.7)] {
        let cutoff = 5.0 * sigma;
        let law = GayBerne { sigma0: sigma, epsilon0: epsilon, ..GayBerne::new(RATIOS, cutoff) };
        for (u, v, depth, range) in wells {
            let bottom = range - 1.0 + 2.0_f64.powf(1.0 / 6.0);
            let at = |r: f64, u| {
                action(&law, [molecule([sigma * r, 0.0, 0.0], u), molecule([0.0; 3], v)])
            };
            let found = at(bottom, u);
            near(found.pot, -depth * epsilon, 1.0, 1e-13);
            near(found.force.norm(), 0.0, 1.0, 1e-11);
            near(found.torque.norm(), 0.0, 1.0, 1e-11);
            assert_eq!(at(bottom, u.map(|x| -x)).pot, found.pot);
            let push = |by: f64| at(bottom + by, u).force[0];
            let curvature = (push(-STEP) - push(STEP)) / (2.0 * STEP * sigma);
            let expected = 72.0 * depth * epsilon / (2.0_f64.cbrt() * sigma * sigma);
            near(curvature, expected, expected, 1e-7);
            assert_eq!(at(5.0, u), Action::default());
        }
    }
}

/// Forces add up to zero, and so do torques with the moments of forces; energies of a pair are equal.
///
/// Fails with `j.axis` for `i.axis` in the torque, and with `j.axis.dot(n)` for `i.axis.dot(n)`.
#[test]
fn gay_berne_conserves_momentum_and_angular_momentum() {
    let directions = sphere(60);
    let jitter = |k: usize| std::array::from_fn(|l| 0.2 * disorder(k, l));
    let rods: Vec<_> = (0..60)
        .map(|k| {
            let [x, y, z]: [f64; 3] = jitter(k);
            let [i, j, l] = [k % 4, k / 4 % 4, k / 16].map(|n| 2.9 * n as f64);
            molecule([i + x, j + y, l + z], directions[k * 23 % 60])
        })
        .collect();
    let law = GayBerne::new(RATIOS, 4.5);
    let found = reference_self::<_, f64>(&law, Domain::Open, &rods, &rods).unwrap();
    let (mut force, mut moment, mut scale) = ([0.0; 3], [0.0; 3], 0.0);
    for (rod, action) in rods.iter().zip(&found) {
        let arm = rod.pos - Point::new(0.0, 0.0, 0.0);
        let about = arm.cross(action.force);
        for x in 0..3 {
            force[x] += action.force[x];
            moment[x] += about[x] + action.torque[x];
        }
        scale += arm.norm() * action.force.norm() + action.torque.norm();
    }
    assert!(scale > 60.0, "{scale}");
    near(norm(force), 0.0, scale, 1e-15);
    near(norm(moment), 0.0, scale, 1e-15);
    let [one, other] = [[0, 1], [1, 0]].map(|k| action(&law, k.map(|k| rods[k])));
    near(one.pot, other.pot, 1.0, 1e-14);
}
