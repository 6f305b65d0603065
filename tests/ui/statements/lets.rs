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
            let (a, b) = (1.0, 2.0);
            let c;
            let e: Vector = 1.0;
            let g: f64 = 1.0;
            if i.mass { f.pot += 1.0; }
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
