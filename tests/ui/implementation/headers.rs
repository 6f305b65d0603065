//! Errors of an `impl`, each of which is reported once, for any fields of the result.

#[nbody::interaction]
mod missing {
    pub struct Law;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub near: Count,
        pub least: Min<Real>,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.near += 1;
            f.least.min(i.mass * j.mass);
        }
    }
}

#[nbody::interaction]
mod misspelt {
    pub struct Law;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub near: Count,
        pub least: Min<Real>,
    }

    impl Interaction for Law {
        type I = Bodie;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.near += 1;
            f.least.min(i.mass * j.mass);
        }
    }
}

#[nbody::interaction]
mod misspelt_result {
    pub struct Law;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub near: Count,
        pub least: Min<Real>,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Feild;

        fn cutoff(&self, i: &Body, j: &Body) -> Real {
            i.mass * j.mass
        }

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.near += 1;
            f.least.min(i.mass * j.mass);
        }
    }
}

#[nbody::interaction]
mod signature {
    pub struct Law;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub near: Count,
        pub least: Min<Real>,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: Field) {
            f.near += 1;
            f.least.min(i.mass * j.mass);
        }
    }
}

#[nbody::interaction]
mod path {
    pub struct Law;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub near: Count,
        pub least: Min<Real>,
    }

    impl nbody::Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.near += 1;
            f.least.min(i.mass * j.mass);
        }
    }
}

fn main() {}
