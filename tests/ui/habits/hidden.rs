#[nbody::interaction]
mod wrong {
    pub struct Law;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
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
            let f = j.mass / d.norm2();
            f.acc += f * d;
            f.pot += f;
            for i in 0..3 {
                let a = i.mass;
            }
        }
    }
}

fn main() {}
