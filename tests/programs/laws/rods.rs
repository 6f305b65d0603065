//! The Gay-Berne interaction of the library with force and torque by hand, from the derivatives by
//! distance, by the cosines of both axes with it and by the cosine between the axes (Luckhurst &
//! Phippen 1981).

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
