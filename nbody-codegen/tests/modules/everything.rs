/// Every construct of the language, whatever it means.
pub mod everything {
    /// Range.
    pub const RADIUS: Real = 2.0 * core::f64::consts::PI;
    const FLAG: u32 = 3;
    const LEN: u32 = 4;

    pub struct Everything {
        pub table: [[Real; 2]; 3],
        pub strength: Real,
        pub axis: Vector,
    }
    /// A particle that feels the others.
    pub struct Target {
        /// Position.
        pub pos: Point,
        pub float: Real,
        pub kind: u32,
        pub other: u32,
    }
    pub struct Source {
        pub pos: Point,
        pub vel: Vector,
        pub raw: [Real; LEN],
        pub kind: u32,
        pub other: u32,
    }
    pub struct Sums {
        pub force: Vector,
        pub rows: [Real; 2],
        pub count: Real,
    }

    /// A kernel with compact support.
    fn w(q: Real) -> Real {
        let t = 1.0 - q;
        // Beyond its support.
        if t < 0.0 {
            return 0.0;
        }
        t.powi(3)
    }

    fn steps(x: Real, near: bool) -> Real {
        let mut y = x;
        if near && x < 1.0 {
            y += w(x);
            // Deeper.
            if y > 0.5 || !near {
                y = -y;
            }
        } else if x == 2.0 {
            y *= 2.0;
        } else {
            y = y - (x - 1.0);
        }
        y
    }

    /// The distance along an axis.
    fn along(axis: Vector, a: Point, b: Point) -> Real {
        axis.dot(a - b)
    }

    impl Interaction for Everything {
        type I = Target;
        type J = Source;
        type F = Sums;
        const SELF_PAIRS: bool = true;

        /// Farther for some.
        fn cutoff(&self, target: &Target, _source: &Source) -> Real {
            if target.kind == FLAG {
                return 2.0 * self.strength;
            }
            self.strength
        }

        /// Adds what there is.
        fn pair(&self, here: &Target, there: &Source, sums: &mut Sums) {
            let d = there.pos - here.pos;
            let h = along(self.axis, here.pos, there.pos);
            let r = d.norm();
            let d = -d / (r + 1.0);
            if r > 100.0 * self.strength {
                return; // Too far.
            }
            let near = r < RADIUS;
            let new = if near {
                let s = steps(r, near) * self.strength;
                s.max(0.1).min(here.float) + there.raw[1] * there.raw[LEN - 1]
            } else {
                (r.recip() - 1.0).abs()
            };
            let same = here.kind == there.kind && (here.other & FLAG) != 0;
            let spin = d.cross(there.vel) + self.axis * (self.axis.dot(there.vel) / (1.0 + self.axis.norm2()));
            let mut turned = spin;
            turned.x += new;
            if same {
                sums.force += new * turned;
                sums.rows[0] += there.kind as Real - 1.0;
            }
            sums.force.z -= (0.5 * new).tanh();
            sums.rows[1] += near.select(1.0, 0.0) * (new - (r - new)) / (2.0 / (3.0 + r * r));
            // Each component by itself.
            for k in 0..2 {
                sums.rows[k] += there.raw[k + 1] * there.raw[there.kind] * d[k];
                if k == 1 {
                    sums.force[k] -= self.table[here.kind][there.other] * (k as Real);
                }
            }
            sums.count += if near { h } else if same { 0.5 } else { 0.0 };
        }
    }
}
