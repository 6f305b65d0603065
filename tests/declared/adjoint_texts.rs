//! Texts of laws that together have each construct that an adjoint rewrites.

/// A law, and the sets and the space of its evaluation.
pub struct Text {
    pub name: &'static str,
    pub declaration: &'static str,
    /// The chosen results; all if there is none.
    pub results: &'static [&'static str],
    pub is_one_set: bool,
    pub is_periodic: bool,
}

const TEXT: Text =
    Text { name: "", declaration: "", results: &[], is_one_set: false, is_periodic: false };

pub const TEXTS: [Text; 9] = [
    Text { name: "guarded", declaration: GUARDED, ..TEXT },
    Text { name: "looped", declaration: LOOPED, ..TEXT },
    Text { name: "strained", declaration: STRAINED, ..TEXT },
    Text { name: "flat", declaration: FLAT, is_one_set: true, ..TEXT },
    Text { name: "tabular", declaration: TABULAR, is_one_set: true, is_periodic: true, ..TEXT },
    Text { name: "cut", declaration: CUT, is_periodic: true, ..TEXT },
    Text { name: "valued", declaration: VALUED, ..TEXT },
    Text { name: "reduced", declaration: REDUCED, results: &["pot", "v"], ..TEXT },
    Text { name: "gradient", declaration: CLASHING, is_one_set: true, ..TEXT },
];

/// Guards before, between and behind terms, with and without statements; returns in branches.
pub const GUARDED: &str = "
/// Guards of all kinds.
struct Guarded { near2: Real, axis: Vector, centre: Point }
/// A target.
struct Target { pos: Point, a: Real, kind: u32 }
struct Source { pos: Point, q: Real, dir: Vector, kind: u32 }
struct Sums { pot: Real, force: Vector, n: Count }

impl Interaction for Guarded {
    type I = Target;
    type J = Source;
    type F = Sums;
    /// Adds the terms.
    fn pair(&self, i: &Target, j: &Source, f: &mut Sums) {
        let d = j.pos - i.pos;
        let r2 = d.norm2();
        // Nothing is added before this guard.
        if r2 < self.near2 * 0.01 {
            f.n += 1;
            return;
        }
        f.pot += j.q * i.a * r2.sqrt();
        if i.kind == j.kind {
            let e = (d.dot(self.axis)).sin();
            f.force -= e * j.dir;
            return;
        }
        let s = (i.pos - self.centre).norm2() + r2;
        f.force.y += j.q * s;
        if j.kind > 1 {
            if j.q > 0.5 {
                f.force -= d * (s * self.near2);
                return;
            } else if i.a > 0.25 {
                f.pot += (s + i.a).ln();
            } else {
                return;
            }
            f.pot -= j.q.powi(2) * d.x;
        }
        f.force[2] -= (j.dir.dot(d) + self.near2).cos();
        if j.kind == 7 {
            f.n += 1;
        }
    }
}
";

/// Loops, and arrays with known and unknown indices.
pub const LOOPED: &str = "
const N: u32 = 4;
const LAST: u32 = 3;
struct Looped { w: [Real; N], s: Real, centre: Vector<2> }
struct Grain { x: Vector<2>, a: [Real; N], kind: u32 }
struct Shell { x: Vector<2>, b: [Real; 2], kind: u32 }
struct Sums { few: [Real; N], total: Real, v: Vector<2>, bins: [Count; 3] }

fn step(x: Real, y: Real) -> Real {
    if x > y {
        return (x - y).exp();
    }
    let mut s = x * y;
    for k in 1..3 {
        s += (k as Real) * x * x;
    }
    s
}

impl Interaction for Looped {
    type I = Grain;
    type J = Shell;
    type F = Sums;
    fn pair(&self, g: &Grain, shell: &Shell, sums: &mut Sums) {
        let d = g.x - shell.x;
        let mut part = 0.0;
        for k in 0..4 {
            part += self.w[k] * step(g.a[k], d.x);
            sums.few[k] += part * shell.b[0];
            for l in 0..2 {
                sums.v[l] += part * g.a[l + 1] * d[l] * (1.0 + k as Real);
                sums.bins[l] += 1;
            }
        }
        sums.few[LAST] -= d.norm2() * self.w[shell.kind];
        // Beyond the end nothing is added.
        sums.few[g.kind + shell.kind] += d.norm2() * shell.b[1];
        sums.few[(10.0 * shell.b[0]) as u32] -= shell.b[1] * self.s;
        for k in 0..N {
            if g.kind < k {
                sums.total += g.a[k] * shell.b[1];
                for l in 0..2 {
                    if shell.b[l] > 0.5 {
                        sums.v -= self.s * (d + self.centre) / (1.0 + k as Real);
                        return;
                    }
                    sums.v.y += d.y * self.w[k];
                }
                sums.total -= self.s * shell.b[0].sqrt();
            }
        }
        {
            let a = g.a[0] * g.a[1];
            sums.total += a * self.s;
        }
    }
}
";

/// Tensors in each record, whole and by components.
pub const STRAINED: &str = "
struct Strained { strain: Tensor, scale: Real }
struct Cell { pos: Point, t: Tensor, v: Vector }
struct Load { pos: Point, u: Tensor }
struct Sums { stress: Tensor, energy: Real, pull: Vector }

impl Interaction for Strained {
    type I = Cell;
    type J = Load;
    type F = Sums;
    fn pair(&self, i: &Cell, j: &Load, f: &mut Sums) {
        let d = j.pos - i.pos;
        let t = i.t + self.scale * j.u - self.strain;
        f.stress += t.trace() * Tensor::symmetric(d, i.v);
        f.stress -= Tensor::outer(d) + t / (1.0 + d.norm2());
        f.stress.xy += i.t.xz * d.x;
        f.stress.zz -= j.u.yz * self.strain.xx.sin();
        f.energy += t.dot(d).dot(i.v);
        f.pull += t.dot(d) + i.t.yy * d.cross(i.v);
    }
}
";

/// Two dimensions and one, one struct, self pairs.
pub const FLAT: &str = "
struct Flat { core2: Real, t: Tensor<2>, line: Tensor<1> }
struct Body { pos: Point<2>, h: Real, s: Tensor<2>, l: Tensor<1> }
struct Sums { t: Tensor<2>, l: Tensor<1>, w: Real }

impl Interaction for Flat {
    type I = Body;
    type J = Body;
    type F = Sums;
    const SELF_PAIRS: bool = true;
    fn pair(&self, i: &Body, j: &Body, f: &mut Sums) {
        let d = j.pos - i.pos;
        let w = (-(d.norm2() + self.core2) / (i.h + j.h)).exp();
        f.w += w;
        f.t += w * (Tensor::outer(d) + self.t - j.s);
        f.t.xy -= w * i.s.xx;
        f.l += w * self.line + i.l;
        f.l.xx += w * w;
    }
}
";

/// Splines, tables and helper functions, in a periodic box, and forces as gradients.
pub const TABULAR: &str = "
const TYPES: u32 = 2;
struct Tabular {
    energy: Spline<8>,
    of: [Spline<4>; TYPES],
    table: [[Real; TYPES]; TYPES],
    scale: Real,
}
struct Atom { pos: Point, charge: Real, kind: u32 }
struct Force { force: Vector, pot: Real }

fn smooth(x: Real, s: Real) -> Real { x / (x + s) }

impl Interaction for Tabular {
    type I = Atom;
    type J = Atom;
    type F = Force;
    fn pair(&self, i: &Atom, j: &Atom, f: &mut Force) {
        let a = i.kind & 1;
        let b = j.kind & 1;
        let r2 = (i.pos - j.pos).norm2();
        let e = self.energy.at(r2) * smooth(i.charge, j.charge) + self.table[a][b] * self.of[a].at(self.scale * r2);
        f.force -= e.gradient(i.pos);
        f.force += e.rate(i.charge = 2.0, j.charge = r2) * (i.pos - j.pos);
        f.pot += e;
    }
}
";

/// A cutoff that depends on both particles, whose parameters have names of their own.
pub const CUT: &str = "
struct Cut { scale: Real, unused: Real }
struct Target { h: Real, pos: Point, vel: Vector }
struct Source { pos: Point, h: Real, mass: Real, id: u32 }
struct Sums { sum: Real, flow: Vector }

impl Interaction for Cut {
    type I = Target;
    type J = Source;
    type F = Sums;
    fn cutoff(&self, one: &Target, other: &Source) -> Real { 0.25 + 0.1 * (one.h + other.h) }
    fn pair(&self, _i: &Target, j: &Source, f: &mut Sums) {
        let d = _i.pos - j.pos;
        let h = 0.25 + 0.1 * (_i.h + j.h);
        let w = (1.0 - d.norm2() / (h * h)).powi(2) * self.scale;
        f.sum += w * j.mass;
        f.flow -= w * _i.vel;
    }
}
";

/// Values with statements, choices, and kinks.
pub const VALUED: &str = "
struct Valued { p: Real, q: Real }
struct A { x: Real, v: Vector }
struct B { y: Real, n: u32 }
struct Sums { s: Real, v: Vector }

impl Interaction for Valued {
    type I = A;
    type J = B;
    type F = Sums;
    fn pair(&self, i: &A, j: &B, f: &mut Sums) {
        let mut z = i.x;
        let e = if i.x > j.y {
            f.s += self.p * i.x;
            let z = i.x - j.y;
            z * z
        } else {
            z += self.q;
            f.v.x -= z * j.y;
            j.y.sqrt()
        };
        z *= 2.0;
        f.s -= { let t = z * e; t * t + (j.n as Real) * e };
        f.s += i.x.min(j.y) + (i.x * self.p).max(self.q) + z.clamp(0.5, 1.5) - (j.y - self.p).abs();
        f.v += (j.n > 1).select(e * i.v, -i.v / (1.0 + e));
        if j.n == 0 {
            f.s += -e;
        } else if j.n == 1 {
            f.s -= i.v.y;
        } else {
            f.s += 2.0;
        }
    }
}
";

/// Results that are no sums beside sums.
pub const REDUCED: &str = "
struct Reduced { s: Real }
struct A { pos: Point, m: Real }
struct Sums { least: Min<Real>, near: ArgMin<Real>, few: Nearest<2>, n: Count, pot: Real, other: Real, v: Vector }

impl Interaction for Reduced {
    type I = A;
    type J = A;
    type F = Sums;
    fn pair(&self, i: &A, j: &A, f: &mut Sums) {
        let d = i.pos - j.pos;
        let r = d.norm();
        f.least.min(r);
        if r < 0.5 {
            f.near.min(r);
            f.few.insert(r);
            f.n += 1;
            f.other += r;
        } else {
            f.n += 2;
        }
        f.pot += j.m * self.s / r;
        f.v += d * r;
        f.other += j.m;
    }
}
";

/// Names that the adjoint would take.
pub const CLASHING: &str = "
struct Gradient { k: Real, acc: Real }
struct BodyWithBars { pos: Point, acc_bar: Real, r#type: Real, acc: Real }
struct Sums { acc: Vector, r#type: Real, acc_bar: Real }

fn phi(done: Real) -> Real { done * done }

impl Interaction for Gradient {
    type I = BodyWithBars;
    type J = BodyWithBars;
    type F = Sums;
    fn pair(&self, k: &BodyWithBars, done: &BodyWithBars, sums: &mut Sums) {
        let d = done.pos - k.pos;
        sums.acc += phi(self.k) * d * k.acc_bar * done.acc;
        if d.norm2() > 0.9 {
            sums.acc_bar -= self.acc * k.r#type;
            return;
        }
        sums.r#type += done.r#type * d.norm2() * self.acc;
        sums.acc_bar += phi(k.acc) * (self.k);
    }
}
";
