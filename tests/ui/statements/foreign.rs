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
            for k in 0..3 {}
            while true {}
            loop {}
            return;
            println!("no");
            fn inner() {}
            match i.kind { _ => {} }
            d.norm2();
            1.0;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
