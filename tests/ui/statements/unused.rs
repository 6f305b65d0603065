//! An underscore in front of a name says that it may go unused.
#![deny(warnings)]

#[nbody::interaction]
mod quiet {
    pub struct Law;
    pub struct Body {
        pub x: Real,
        pub row: [Real; 2],
    }
    pub struct Sum {
        pub sum: Real,
    }

    fn w(_x: Real) -> Real {
        let _half = 0.5;
        1.0
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, _i: &Body, j: &Body, f: &mut Sum) {
            let _mass = j.x;
            for _k in 0..3 {
                f.sum += w(j.x);
            }
            for k in 0..1 {
                f.sum += j.row[k];
            }
        }
    }
}

#[nbody::interaction]
mod loud {
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

        fn pair(&self, _i: &Body, j: &Body, f: &mut Sum) {
            for k in 0..3 {
                f.sum += j.x;
            }
        }
    }
}

fn main() {
    let _ = (quiet::Law, quiet::Body { x: 1.0, row: [0.0; 2] }, quiet::Sum { sum: 1.0 });
    let _ = (loud::Law, loud::Body { x: 1.0 }, loud::Sum { sum: 1.0 });
}
