//! A user of a refused module sees the refusal and nothing else.

#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub pot: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.pot += j.mas;
        }
    }
}

fn main() {
    let law = wrong::Law { eps2: 1.0 };
    let body = wrong::Body { pos: nbody::Point::new(0.0, 0.0, law.eps2), mass: 1.0 };
    let field: wrong::Field = wrong::Field { pot: body.mass };
    println!("{field:?}");
}
