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
            let a = if i.mass { 1.0 } else { 2.0 };
            let b = if i.kind == 1 { 1.0 } else { d };
            let c = if i.kind == 1 { 1.0 };
            let e = if i.kind == 1 {
                let x = 1.0;
            } else {
                2.0
            };
            let g = (i.kind == 1).select(1.0, d);
            let h = (i.kind == 1).select(1.0);
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
