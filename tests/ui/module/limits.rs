//! Modules that would take a compiler's stack, or its time.

#[nbody::interaction]
mod nested {
    pub struct Law;
    pub struct Body {
        pub x: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += i.x * (((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((j.x)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))));
        }
    }
}

#[nbody::interaction]
mod long {
    pub struct Law;
    pub struct Body {
        pub x: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += i.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x + j.x
                + j.x;
        }
    }
}

/// Each function calls the next one twice.
#[nbody::interaction]
mod large {
    pub struct Law;
    pub struct Body {
        pub at: Point,
        pub x: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }

    fn first(x: Real) -> Real {
        second(x) + second(x + 1.0)
    }
    fn second(x: Real) -> Real {
        third(x) + third(x + 1.0)
    }
    fn third(x: Real) -> Real {
        fourth(x) + fourth(x + 1.0)
    }
    fn fourth(x: Real) -> Real {
        fifth(x) + fifth(x + 1.0)
    }
    fn fifth(x: Real) -> Real {
        sixth(x) + sixth(x + 1.0)
    }
    fn sixth(x: Real) -> Real {
        seventh(x) + seventh(x + 1.0)
    }
    fn seventh(x: Real) -> Real {
        eighth(x) + eighth(x + 1.0)
    }
    fn eighth(x: Real) -> Real {
        ninth(x) + ninth(x + 1.0)
    }
    fn ninth(x: Real) -> Real {
        tenth(x) + tenth(x + 1.0)
    }
    fn tenth(x: Real) -> Real {
        eleventh(x) + eleventh(x + 1.0)
    }
    fn eleventh(x: Real) -> Real {
        twelfth(x) + twelfth(x + 1.0)
    }
    fn twelfth(x: Real) -> Real {
        x * x
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn cutoff(&self, _i: &Body, j: &Body) -> Real {
            let mut reach = j.x;
            for k in 0..32 {
                for l in 0..32 {
                    reach += (k as Real) * (l as Real) + j.x * (reach - 1.0);
                }
            }
            reach
        }

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += first(i.x * j.x);
        }
    }
}

fn main() {
    // The types are left.
    let body = nested::Body { x: 1.0 };
    let body = long::Body { x: body.x };
    println!("{:?}", long::Sum { sum: body.x });
}
