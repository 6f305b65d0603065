#[nbody::interaction]
mod twice {
    pub struct Law {
        pub reach: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub sum: Real,
        pub least: Min<Real>,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;
        type F = Body;
        const SELF_PAIRS: bool = true;
        const SELF_PAIRS: bool = false;

        fn cutoff(&self, _i: &Body, _j: &Body) -> Real {
            self.reach
        }
        fn cutoff(&self, _i: &Body, _j: &Body) -> Real {
            2.0 * self.reach
        }

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.sum += i.mass.sqrt::<f64>();
            f.least.min::<f64>(j.mass);
        }
        fn pair(&self, _i: &Body, _j: &Body, _f: &mut Field) {}
    }
}

#[nbody::interaction]
mod words {
    pub struct Law
    where
        Real: Copy;
    pub struct Body {
        pub mass: Real,
    }
    pub struct Field {
        pub sum: Real,
    }

    unsafe impl Interaction for Law {
        pub type I = Body;
        type J<T> = Body;
        type F = Field;
        default const SELF_PAIRS: bool = true;

        pub(crate) fn pair<T>(&self, _i: &Body, j: &Body, f: &mut Field) {
            f.sum += j.mass;
        }
    }
}

fn main() {}
