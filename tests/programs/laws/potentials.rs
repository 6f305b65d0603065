//! Potentials with forces by hand and with derived forces; the switched one is `SwitchedLennardJones`
//! of the library.

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
