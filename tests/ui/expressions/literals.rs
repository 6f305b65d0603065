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
            let a = 1.0f32;
            let b = "text";
            let c = 1.0e999;
            let e = 5000000000;
            let g = i.mass as i32 + i.mass as usize;
            let h = i.kind as f64;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
