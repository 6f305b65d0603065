/// Subexpressions that both directions of a pair can share, and others.
pub mod fluid {
    const KINDS: u32 = 2;

    pub struct Fluid {
        pub strength: [[Real; KINDS]; KINDS],
        pub range: Real,
        pub alpha: Real,
    }
    pub struct Parcel {
        pub pos: Point,
        pub vel: Vector,
        pub spin: Vector,
        pub mass: Real,
        pub h: Real,
        pub kind: u32,
        pub modes: [Real; 3],
    }
    pub struct Change {
        pub acc: Vector,
        pub torque: Vector,
        pub heating: Real,
        pub modes: [Real; 3],
        pub energy: Real,
        pub nearest: Min<Real>,
        pub signal: Max<Real>,
        pub alike: Count,
    }

    fn slope(q: Real) -> Real {
        if q > 2.0 {
            return 0.0;
        }
        let t = 1.0 - 0.5 * q;
        -5.0 * t.powi(3)
    }

    fn power(x: Real) -> Real {
        let mut y = 1.0;
        for k in 0..3 {
            y *= x + (k as Real);
        }
        y
    }

    impl Interaction for Fluid {
        type I = Parcel;
        type J = Parcel;
        type F = Change;

        fn cutoff(&self, one: &Parcel, other: &Parcel) -> Real {
            self.range * one.h.max(other.h)
        }

        fn pair(&self, i: &Parcel, j: &Parcel, g: &mut Change) {
            let d = i.pos - j.pos;
            let v = i.vel - j.vel;
            let r2 = d.norm2();
            let r = r2.sqrt();
            // Too near to tell them apart.
            if r == 0.0 {
                return;
            }
            let slope_i = slope(r / i.h) / i.h;
            let slope_j = slope(r / j.h) / j.h;
            // The mean of both.
            let shared = 0.5 * (slope_i + slope_j);
            let approach = d.dot(v) / r;
            let mut viscosity = 0.0;
            let mut push = d * 0.0;
            if approach < 0.0 {
                viscosity = -self.alpha * approach * (i.h + j.h);
                push = v * approach;
                push.x += d.x;
            }
            g.acc -= j.mass * (viscosity * shared / r) * d; // and the pressure
            g.acc += push;
            g.acc += i.mass * slope_i * j.mass * d - j.mass * slope_j * i.mass * v;
            let own = self.strength[i.kind][j.kind] * slope_i;
            g.heating += j.mass * own * approach / r2;
            g.torque += own * d.cross(j.spin) + (-d).cross(v) * power(j.mass * r);
            let mut turned = i.spin - d;
            if i.kind == j.kind {
                g.alike += 1;
                turned = turned * i.mass;
                turned.y -= r;
            } else if r < 1.0 {
                turned = v.cross(j.spin);
            }
            // Its second component is even, the others are not.
            let mut mixed = i.spin;
            mixed.y = r;
            mixed = v * (i.mass * mixed.y);
            let mut kind = i.kind;
            kind = (kind == j.kind).select(kind + 1, i.kind ^ j.kind);
            g.torque -= mixed / (1.0 + (kind as Real));
            for k in 0..3 {
                let jump = i.modes[k] - j.modes[k];
                g.modes[k] += jump * shared * r;
                if k == 1 {
                    g.modes[k] -= turned[k] * jump;
                }
            }
            g.energy += i.mass * j.mass / r + turned.norm() * (i.mass - j.mass).sin();
            g.energy -= if r < 1.0 { i.mass } else { jump(d.x, v.y) };
            g.nearest.min(r + i.h);
            g.signal.max((i.h + j.h).floor() + d.x.floor());
        }
    }

    /// Neither even nor odd by itself.
    fn jump(x: Real, y: Real) -> Real {
        x.exp() * y.ceil() + x.mul_add(y, -y)
    }
}
