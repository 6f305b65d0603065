#[nbody::interaction]
mod wrong {
    pub struct Law;
    struct Body {
        pub x: Real,
    }
    pub(crate) struct Field {
        pub sum: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.sum += i.x * j.x;
        }
    }
}

#[nbody::interaction]
mod right {
    struct Law;
    struct Body {
        x: Real,
    }
    pub struct Field {
        pub sum: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.sum += i.x * j.x;
        }
    }
}

fn main() {}
