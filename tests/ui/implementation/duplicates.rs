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

/// The names of parameters.
#[nbody::interaction]
mod parameters {
    pub struct Law {
        pub reach: Real,
    }
    pub struct Kick;
    pub struct Sum;
    pub struct Pull;
    pub struct Push;
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Field {
        pub sum: Real,
    }

    fn product(x: Real, x: Real, r#x: Real) -> Real {
        x * x
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn cutoff(&self, i: &Body, i: &Body) -> Real {
            self.reach
        }
        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.sum += product(i.mass, j.mass, 1.0);
        }
    }

    impl Interaction for Push {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, i: &Body, i: &mut Field) {
            i.sum += i.mass;
        }
    }

    impl Update for Kick {
        type P = Body;
        type F = Field;

        fn update(&self, p: &mut Body, p: &Field) {
            p.mass += p.sum;
        }
    }

    impl Measure for Sum {
        type P = Body;
        type Q = Body;
        type T = Field;

        fn measure(&self, p: &Body, p: &Body, t: &mut Field) {
            t.sum += p.mass;
        }
    }

    impl Tuple for Pull {
        type P = Body;
        type T = Body;
        type F = Field;

        fn tuple(&self, a: &Body, [a, a]: [&Body; 2], [f, a]: [&mut Field; 2]) {
            f.sum += a.mass;
        }
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
