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
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let r = d.norm();
            let a = Vector { x: 1.0, y: 0.0, z: 0.0 };
            let b = i.pos - Point::new(0, 0, 0);
            let c = Vector::zero() + Vec3::new(r, r, r) + make_float3(r, r, r) + Vector([r, r, r]);
            let e = j.pos.x - i.pos.x;
            let g = i.pos.distance(j.pos) + (i.pos + d).norm();
            let h = rand(i.kind) + rand::random();
            let k = PI + f64::INFINITY + M_PI + f64::EPSILON + Self::G;
            let l = r.sqrt + d.norm;
            let m = i.q + j.q;
            if i == j || i.id == j.id || i.pos == j.pos {
                return;
            }
            j.mass += r;
            i.mass += r;
            let n = *i.mass + &j.mass;
            let o = self.kernel(r);
            let p = Real::from(i.kind) + threadIdx;
            let q = np.sqrt(r) + self.table(i.kind, j.kind) + i.index() + 1.f;
            if not(r > 1.0) {
                return;
            }
            const LIMIT: Real = 1.0;
            f.acc += j.mass * d;
            f.pot += r;
        }
    }
}

fn main() {}
