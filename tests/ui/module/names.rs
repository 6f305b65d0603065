//! Names that the language or the generated code needs.

#[nbody::interaction]
mod wrong {
    const __x: u32 = 1;
    pub struct Law {
        pub eps2: Real,
    }
    pub struct Body {
        pub x: Real,
    }
    pub struct Vector {
        pub pot: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Vector;

        fn pair(&self, _i: &Body, _j: &Body, f: &mut Vector) {
            f.pot += self.eps2 + (__x as Real);
        }
    }
}

fn main() {}
