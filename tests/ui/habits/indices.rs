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
        pub bins: [Real; 3],
        pub near: Min<Real>,
        pub n: Count,
        pub shells: [Count; 3],
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let r = d.norm();
            f.bins[j.kind] += 1.0;
            f.bins[(r / 0.1) as usize] += 1.0;
            let k = 2;
            f.bins[k] -= 1.0;
            f.bins[i.kind + k] += 1.0;
            let mut a = [0.0; 3];
            let mut b = [0.0, 0.0, 0.0];
            b[i.kind] = r;
            let c = d[i.kind];
            f.near = f.near.min(r);
            f.n = f.n + 1;
            f.shells[j.kind] -= 1;
            f.shells[j.kind] += 1.0;
            f.shells += 1;
            f.shells[3] += 1;
            f.bins[j.kind] += 1;
            f.acc = f.acc + d;
            for l in 0..i.kind {
                f.pot += i.q[l];
            }
            for l in 0..=3 {
                f.pot += i.q[l];
            }
            for q in i.q {
                f.pot += q;
            }
            if j.kind = 1 {
                f.pot += i.q[-1];
            }
            f.acc += j.mass * d;
            f.pot += r;
        }
    }
}

fn main() {}
