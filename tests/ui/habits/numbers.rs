#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub eps2: Real,
        pub table: [[Real; 3]; 3],
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
        pub q: [Real; 4],
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
        pub n: Count,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let r = d.norm();
            let mut s = 0;
            for k in 0..4 {
                s += i.q[k];
            }
            f.pot += s * r;
            let mut v = 0.0;
            v += d;
            f.acc += v;
            let mut best = 0;
            if r > best {
                best = r;
            }
            f.pot += best;
            let a = 2.powi(3) + i.kind.sqrt();
            let b = 1 / r + i.kind * r;
            let c: Real = 0;
            let e = if r < 1.0 { 1 } else { 0.5 };
            let g = 1.0f32 + 2f64;
            let h = r as f64 + i.kind as f64 + (r < 1.0) as u32 as Real;
            let k = self.table[i.kind as usize][j.kind as usize];
            let l = r >> 16;
            let m = (i.kind << 4.0) + i.kind % r;
            let mut o = i.kind;
            o >>= 2.0;
            let p = r % 2.0;
            let v = 1 / 2 * r + r.powf(1 / 3);
            // Errors inside are told once, and none is lost.
            let zero = 0;
            let mut w = r;
            w %= zero * r;
            // This one is meant to be an integer.
            let mut n = 0;
            n += 1;
            f.pot += n * r;
            let q = i.kind && j.kind;
            if i.kind {
                return;
            }
            let t = !i.kind || i.kind == true;
            let u = (r < 1.0) * r;
            f.n += 1.0;
            f.n -= 1;
            f.pot += 1;
            f.acc += r;
            f.acc += j.mass * d;
            f.pot += r;
        }
    }
}

fn main() {}
