#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    fn kernel(q: Real) -> Real {
        q * q
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let a = i.mass.sqr();
            let b = i.mass.max();
            let c = i.mass.max(d);
            let e = d.norm(1.0);
            let g = w(1.0);
            let h = kernel(1.0, 2.0);
            let k = kernel(d);
            let l = Vector::new(1.0, 2.0, 3.0, 4.0);
            let m = i.pos.norm();
            let n = sqrt(d.norm2() + self.eps2);
            let o = f64::max(i.mass, kernel(j.mass)) + dot(d, d) + powi(j.mass, 3);
            let p = i.mass.max(0) + i.mass.min(i.kind) + kernel(1);
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
