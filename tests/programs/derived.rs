//! Cost of derived forces and jerks: issue slots of a pair, in terms of formulas by hand.

use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use nbody::check::reference_self;
use nbody::cuda::sass::Slots;
use nbody::cuda::{KernelConfig, Program};
use nbody::law::Law;
use nbody::models::uniform;
use nbody::{Domain, Interaction, Options};
use nbody_interactions::{gay_berne, hermite};

use crate::sass::{Tools, compile};

/// The greatest slots of a derived force, in terms of the slots by hand.
const MOST: f64 = 1.15;

/// Potentials with forces by hand and with derived forces; the switched one is `SwitchedLennardJones`
/// of the library.
#[nbody::interaction]
pub mod potentials {
    pub struct LennardJones {
        pub sigma2: Real,
        pub epsilon: Real,
    }
    pub struct DerivedLennardJones {
        pub sigma2: Real,
        pub epsilon: Real,
    }
    pub struct Buckingham {
        pub a: Real,
        pub rho: Real,
        pub c: Real,
    }
    pub struct DerivedBuckingham {
        pub a: Real,
        pub rho: Real,
        pub c: Real,
    }
    pub struct Yukawa {
        pub kappa: Real,
    }
    pub struct DerivedYukawa {
        pub kappa: Real,
    }
    pub struct Switched {
        pub sigma2: Real,
        pub epsilon: Real,
        pub switch: Real,
        pub cutoff: Real,
    }
    pub struct DerivedSwitched {
        pub sigma2: Real,
        pub epsilon: Real,
        pub switch: Real,
        pub cutoff: Real,
    }
    pub struct Atom {
        pub pos: Point,
        pub charge: Real,
    }
    pub struct Force {
        pub force: Vector,
        pub pot: Real,
    }

    fn well(s2: Real) -> Real {
        let s6 = s2.powi(3);
        s6 * s6 - s6
    }

    impl Interaction for LennardJones {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let s2 = self.sigma2 / r2;
            let s6 = s2.powi(3);
            f.force += 24.0 * self.epsilon * s6 * (2.0 * s6 - 1.0) / r2 * d;
            f.pot += 4.0 * self.epsilon * well(s2);
        }
    }

    impl Interaction for DerivedLennardJones {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let e = 4.0 * self.epsilon * well(self.sigma2 / d.norm2());
            f.force -= e.gradient(i.pos);
            f.pot += e;
        }
    }

    impl Interaction for Buckingham {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let r = r2.sqrt();
            let repulsion = self.a * (-r / self.rho).exp();
            let dispersion = self.c / r2.powi(3);
            f.force += (repulsion / (self.rho * r) - 6.0 * dispersion / r2) * d;
            f.pot += repulsion - dispersion;
        }
    }

    impl Interaction for DerivedBuckingham {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let r2 = (i.pos - j.pos).norm2();
            let e = self.a * (-r2.sqrt() / self.rho).exp() - self.c / r2.powi(3);
            f.force -= e.gradient(i.pos);
            f.pot += e;
        }
    }

    impl Interaction for Yukawa {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let r = r2.sqrt();
            let pot = j.charge * (-self.kappa * r).exp() / r;
            f.force += pot * (1.0 + self.kappa * r) / r2 * d;
            f.pot += pot;
        }
    }

    impl Interaction for DerivedYukawa {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let r = (i.pos - j.pos).norm();
            let e = j.charge * (-self.kappa * r).exp() / r;
            f.force -= e.gradient(i.pos);
            f.pot += e;
        }
    }

    /// The coefficient of (r − switch)² in the switched force of 1/rⁿ; cn = 1/cutoffⁿ.
    fn quadratic(n: Real, cn: Real, switch: Real, cutoff: Real) -> Real {
        let width = cutoff - switch;
        -n * ((n + 4.0) * cutoff - (n + 1.0) * switch) * cn / (cutoff * width).powi(2)
    }

    /// The coefficient of (r − switch)³.
    fn cubic(n: Real, cn: Real, switch: Real, cutoff: Real) -> Real {
        let width = cutoff - switch;
        n * ((n + 3.0) * cutoff - (n + 1.0) * switch) * cn / ((cutoff * width).powi(2) * width)
    }

    fn force(n: Real, rn: Real, cn: Real, r: Real, x: Real, switch: Real, cutoff: Real) -> Real {
        let added = quadratic(n, cn, switch, cutoff) + cubic(n, cn, switch, cutoff) * x;
        n * rn + added * x * x * r
    }

    fn potential(n: Real, rn: Real, cn: Real, x: Real, switch: Real, cutoff: Real) -> Real {
        let a = quadratic(n, cn, switch, cutoff) / 3.0;
        let b = cubic(n, cn, switch, cutoff) / 4.0;
        rn - (a + b * x) * x * x * x
    }

    impl Interaction for Switched {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let r = r2.sqrt();
            let x = (r - self.switch).max(0.0);
            let s6 = (self.sigma2 / r2).powi(3);
            let c6 = (self.sigma2 / (self.cutoff * self.cutoff)).powi(3);
            let s12 = s6 * s6;
            let c12 = c6 * c6;
            let epsilon4 = 4.0 * self.epsilon;
            let virial = epsilon4
                * (force(12.0, s12, c12, r, x, self.switch, self.cutoff)
                    - force(6.0, s6, c6, r, x, self.switch, self.cutoff));
            f.force += virial / r2 * d;
            let u12 = potential(12.0, s12, c12, x, self.switch, self.cutoff);
            let u6 = potential(6.0, s6, c6, x, self.switch, self.cutoff);
            f.pot += epsilon4 * (u12 - u6);
        }
    }

    impl Interaction for DerivedSwitched {
        type I = Atom;
        type J = Atom;
        type F = Force;

        fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let x = (r2.sqrt() - self.switch).max(0.0);
            let s6 = (self.sigma2 / r2).powi(3);
            let c6 = (self.sigma2 / (self.cutoff * self.cutoff)).powi(3);
            let u12 = potential(12.0, s6 * s6, c6 * c6, x, self.switch, self.cutoff);
            let u6 = potential(6.0, s6, c6, x, self.switch, self.cutoff);
            let e = 4.0 * self.epsilon * (u12 - u6);
            f.force -= e.gradient(i.pos);
            f.pot += e;
        }
    }
}

/// The Gay-Berne interaction of the library with force and torque by hand, from the derivatives by
/// distance, by the cosines of both axes with it and by the cosine between the axes (Luckhurst &
/// Phippen 1981).
#[nbody::interaction]
pub mod rods {
    pub struct GayBerne {
        pub sigma0: Real,
        pub epsilon0: Real,
        pub chi: Real,
        pub chi_depth: Real,
        pub mu: Real,
        pub nu: Real,
        pub cutoff: Real,
    }
    pub struct Molecule {
        pub pos: Point,
        pub axis: Vector,
    }
    pub struct Action {
        pub force: Vector,
        pub torque: Vector,
        pub pot: Real,
    }

    /// The overlap and its derivatives by the three cosines.
    fn overlap(chi: Real, a: Real, b: Real, c: Real) -> [Real; 4] {
        let along = chi * c;
        let by = chi / (1.0 - along * along);
        let p = a - along * b;
        let q = b - along * a;
        let t = by * (a * p + b * q);
        [1.0 - t, -2.0 * by * p, -2.0 * by * q, 2.0 * by * (chi * a * b - along * t)]
    }

    impl Interaction for GayBerne {
        type I = Molecule;
        type J = Molecule;
        type F = Action;

        fn cutoff(&self, _i: &Molecule, _j: &Molecule) -> Real {
            self.cutoff
        }

        fn pair(&self, i: &Molecule, j: &Molecule, f: &mut Action) {
            let d = i.pos - j.pos;
            let r2 = d.norm2();
            let near = r2.rsqrt();
            let n = near * d;
            let a = i.axis.dot(n);
            let b = j.axis.dot(n);
            let c = i.axis.dot(j.axis);
            let g = overlap(self.chi, a, b, c);
            let h = overlap(self.chi_depth, a, b, c);
            let rinv = g[0].rsqrt();
            let range = self.sigma0 * rinv;
            let s = self.sigma0 / (r2 * near - range + self.sigma0);
            let s6 = s.powi(6);
            let w = 1.0 - (self.chi * c).powi(2);
            let power = self.mu * h[0].ln() - 0.5 * self.nu * w.ln();
            let depth = 4.0 * self.epsilon0 * power.exp();
            let e = depth * (s6 * s6 - s6);
            let by_r = depth * s / self.sigma0 * s6 * (6.0 - 12.0 * s6);
            let by_g = 0.5 * by_r * range * rinv * rinv;
            let by_h = e * self.mu / h[0];
            let by_a = by_g * g[1] + by_h * h[1];
            let by_b = by_g * g[2] + by_h * h[2];
            let by_c = by_g * g[3] + by_h * h[3] + e * self.nu * self.chi * self.chi * c / w;
            f.force -= (by_r - (a * by_a + b * by_b) * near) * n;
            f.force -= near * (by_a * i.axis + by_b * j.axis);
            f.torque -= i.axis.cross(by_a * n + by_c * j.axis);
            f.pot += e;
        }
    }
}

/// Gravity of the library with the jerk derived from the acceleration.
#[nbody::interaction]
pub mod jerks {
    pub struct DerivedHermite {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
        pub jerk: Vector,
        pub pot: Real,
    }

    impl Interaction for DerivedHermite {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let rinv = (d.norm2() + self.eps2).rsqrt();
            let mr = j.mass * rinv;
            let a = mr * rinv * rinv * d;
            f.acc += a;
            f.jerk += a.rate(i.pos = i.vel, j.pos = j.vel);
            f.pot -= mr;
        }
    }
}

/// Returns a trial for each potential.
pub fn trials(tools: &Arc<Tools>) -> Vec<Trial> {
    use potentials as of;
    let pairs = [
        (of::LennardJones::LAW, of::DerivedLennardJones::LAW),
        (of::Buckingham::LAW, of::DerivedBuckingham::LAW),
        (of::Yukawa::LAW, of::DerivedYukawa::LAW),
        (of::Switched::LAW, of::DerivedSwitched::LAW),
        (rods::GayBerne::LAW, gay_berne::GayBerne::LAW),
        (hermite::Hermite::LAW, jerks::DerivedHermite::LAW),
    ];
    let trial = |(by_hand, derived): (&'static Law, &'static Law)| {
        let tools = tools.clone();
        Trial::test(format!("{}_costs_as_much_as_by_hand", derived.name), move || {
            compare(&tools, [by_hand, derived])
        })
    };
    let same = Trial::test("gay_berne_by_hand_has_the_same_results", same_rods);
    let jerks = Trial::test("hermite_by_hand_has_the_same_results", same_jerks);
    pairs.into_iter().map(trial).chain([same, jerks]).collect()
}

/// Compares the results of the derived and of the other Gay-Berne interaction: slots of wrong forces
/// would not count.
fn same_rods() -> Result<(), Failed> {
    // Axes in the unit cube are longer than 1.
    let law = gay_berne::GayBerne {
        chi: 0.25,
        sigma0: 1.0 / 16.0,
        ..gay_berne::GayBerne::new([3.0, 2.0, 2.0, 1.5], 0.75)
    };
    let gay_berne::GayBerne { sigma0, epsilon0, chi, chi_depth, mu, nu, cutoff } = law;
    let by_hand = rods::GayBerne { sigma0, epsilon0, chi, chi_depth, mu, nu, cutoff };
    let molecules: Vec<gay_berne::Molecule> = uniform(100, 1);
    let other = |it: &gay_berne::Molecule| rods::Molecule { pos: it.pos, axis: it.axis };
    let others: Vec<_> = molecules.iter().map(other).collect();
    let derived = reference_self::<_, f64>(&law, Domain::Open, &molecules, &molecules)?;
    let by_hand = reference_self::<_, f64>(&by_hand, Domain::Open, &others, &others)?;
    for (found, expected) in derived.iter().zip(&by_hand) {
        let off = (found.force - expected.force).norm() / expected.force.norm()
            + (found.torque - expected.torque).norm() / expected.torque.norm()
            + (found.pot - expected.pot).abs() / expected.pot.abs();
        if !(off < 1e-10) {
            return Err(format!("{off:e}: {found:?}, {expected:?} by hand").into());
        }
    }
    Ok(())
}

/// Compares the derived jerk with the library's.
fn same_jerks() -> Result<(), Failed> {
    let bodies: Vec<jerks::Body> = uniform(100, 1);
    let of_library = |it: &jerks::Body| hermite::Body { pos: it.pos, vel: it.vel, mass: it.mass };
    let others: Vec<_> = bodies.iter().map(of_library).collect();
    let eps2 = 1.0 / 64.0;
    let law = jerks::DerivedHermite { eps2 };
    let derived = reference_self::<_, f64>(&law, Domain::Open, &bodies, &bodies)?;
    let law = hermite::Hermite { eps2 };
    let by_hand = reference_self::<_, f64>(&law, Domain::Open, &others, &others)?;
    for (found, expected) in derived.iter().zip(&by_hand) {
        let off = (found.acc - expected.acc).norm() / expected.acc.norm()
            + (found.jerk - expected.jerk).norm() / expected.jerk.norm()
            + (found.pot - expected.pot).abs() / expected.pot.abs();
        if !(off < 1e-12) {
            return Err(format!("{off:e}: {found:?}, {expected:?} by hand").into());
        }
    }
    Ok(())
}

fn compare(tools: &Tools, laws: [&Law; 2]) -> Result<(), Failed> {
    let [by_hand, derived] = [slots(tools, laws[0])?, slots(tools, laws[1])?];
    let ratio = derived / by_hand;
    println!("{}: {derived} slots, {by_hand} by hand: {ratio:.3}", laws[1].name);
    if ratio <= MOST { Ok(()) } else { Err(format!("{ratio:.3} times the slots").into()) }
}

fn slots(tools: &Tools, law: &Law) -> Result<f64, Failed> {
    let options = Options::default();
    let program = Program::with_config(law, options, KernelConfig::widest(law, options)?);
    let (_, kernels) = compile(tools, &program, 90)?;
    Ok(Slots::of(law, &program, &kernels).ok_or("no FORCE-LOOP")?.all)
}
