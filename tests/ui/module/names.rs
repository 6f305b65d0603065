//! Names that the language or the generated code needs.

#[nbody::interaction]
mod wrong {
    const this: Real = 1.0;
    const __x: u32 = 1;
    pub struct f64 {
        pub eps2: Real,
    }
    pub struct __Body {
        pub pos: Point,
    }
    pub struct Vector {
        pub pot: Real,
    }

    impl Interaction for f64 {
        type I = __Body;
        type J = __Body;
        type F = Vector;

        fn pair(&self, _i: &__Body, _j: &__Body, f: &mut Vector) {
            f.pot += self.eps2 + this;
        }
    }
}

/// A struct without fields is a value too.
#[nbody::interaction]
mod twice {
    pub struct Law;
    pub struct Body {
        pub x: Real,
    }
    const Law: Real = 1.0;

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Body;

        fn pair(&self, _i: &Body, j: &Body, f: &mut Body) {
            f.x += j.x + Law;
        }
    }
}

fn main() {}
