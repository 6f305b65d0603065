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
            let a = r^6;
            let b = 4.0 * (self.eps2 / r)^12;
            let c = r^-2 + 1.0;
            let e = d.x^2 + d.y^2 + d.z^2;
            let g = r ** 2;
            let h = 2.0 * r ** -3 + d ** 2;
            let k = r^0.5 + r^j.mass;
            let l = 2^10;
            // The bits of integers.
            let m = i.kind ^ 3;
            f.acc += j.mass * d;
            f.pot += r;
        }
    }
}

fn main() {}
