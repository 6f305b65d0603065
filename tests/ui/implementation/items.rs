#[nbody::interaction]
mod wrong {
    pub struct Law;
    pub struct Body {
        pub mass: Real,
    }
    pub struct Field {
        pub sum: Real,
        pub unused: Real,
    }
    pub struct Lonely {
        pub x: Real,
    }

    impl Law {
        fn helper(&self) {}
    }

    impl Interaction for Law {
        type I = Bodies;
        type J = Body;
        type F = Field;
        type G = Field;
        const SELF_PAIRS: bool = 1 > 2;

        fn pair(&self, i: &Bodies, j: &Body, f: &mut Field) {
            f.sum += j.mass;
        }
    }
}

#[nbody::interaction]
mod missing {
    pub struct Law;

    impl Interaction for Law {
        type I = Law;
    }
}

#[nbody::interaction]
mod unused {
    pub struct Law;
    pub struct Body {
        pub mass: Real,
    }
    pub struct Field {
        pub sum: Real,
        pub unused: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;
        const SELF_PAIRS: bool = 1 > 2;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.sum += j.mass + 1;
        }
    }
}

#[nbody::interaction]
mod signature {
    pub struct Law;
    pub struct Body {
        pub mass: Real,
    }
    pub struct Field {
        pub sum: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &mut Body, f: &Field) {
            f.sum += j.mass;
        }
    }
}

fn main() {}
