//! An item that is refused at its declaration is not refused again at its uses.

#[nbody::interaction]
mod once {
    pub struct Law;
    pub struct Body {
        pub x: Real,
        pub n: u32,
    }
    pub struct Sum {
        pub sum: Real,
    }

    fn mutable(mut x: Real, y: Real) -> Real {
        x += y;
        x
    }
    fn pattern((a, b): Real) -> Real {
        a * b
    }
    fn type_of_parameter(x: f64) -> Real {
        let y = 1 + 1.0;
        x * y
    }
    fn type_of_value(x: Real) -> f64 {
        if x < 1.0 {
            return x;
        }
        x * x
    }
    fn no_value(x: Real) -> Real {
        if x < 1.0 {
            return 1.0;
        }
    }
    fn loop_last(x: Real) -> Real {
        let mut y = x;
        for _k in 0..3 {
            y *= x;
        }
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let x: f64 = i.x;
            let (y, z) = (1.0, 2.0);
            let w;
            w = 1.0;
            for mut k in 0..3 {
                f.sum += k as Real;
            }
            f.sum += x * y * z * w + i.n as f64 + (i.n as (Real)) + j.x as i32;
            f.sum += mutable(i.x, j.x) + pattern(i.x) + type_of_parameter(i.x) + type_of_value(j.x);
            f.sum += mutable(i.x) + no_value(i.x) + loop_last(i.x);
        }
    }
}

/// No name of a struct changes what is left of the module.
#[nbody::interaction]
mod integers {
    pub const COUNT: u32 = 2;
    pub struct u32;
    pub struct Body {
        pub x: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }

    impl Interaction for u32 {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += i.x * j.x;
        }
    }
}

fn main() {
    println!("{}", integers::COUNT + 1);
}
