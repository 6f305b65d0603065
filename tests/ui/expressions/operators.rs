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

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let a = i.pos + j.pos;
            let b = i.pos * 2.0;
            let c = d * d;
            let e = d + 1.0;
            let g = d / d;
            let h = d < d;
            let k = 2 * i.mass;
            let l = i.kind << j.mass;
            let m = (i.mass > 1.0) + (j.mass > 1.0);
            let n = i.mass % 2.0;
            let o = -i.kind;
            let p = !i.mass;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
