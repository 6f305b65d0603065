//! Functions that call themselves, which are the only fault of their modules.

#[nbody::interaction]
mod once {
    pub struct Law;
    pub struct Body {
        pub x: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }

    fn halved(x: Real) -> Real {
        if x < 1.0 { x } else { halved(0.5 * x) }
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += halved(i.x * j.x);
        }
    }
}

#[nbody::interaction]
mod through_another {
    pub struct Law;
    pub struct Body {
        pub x: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }

    fn even(x: Real) -> Real {
        if x < 1.0 { x } else { odd(x - 1.0) }
    }
    fn odd(x: Real) -> Real {
        if x < 1.0 { -x } else { even(x - 1.0) }
    }
    // What has the name of a function is not always a call.
    fn first(first: [Real; 2]) -> Real {
        first[0]
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += even(first([i.x, j.x]));
        }
    }
}

fn main() {}
