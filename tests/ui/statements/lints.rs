//! Lint levels apply to the item or statement after them.

#[nbody::interaction]
mod quiet {
    //! Docs and levels may stand inside, too.
    #![allow(non_camel_case_types)]

    pub struct Law;
    pub struct Body {
        pub pos: Point,
        pub x: Real,
    }
    #[allow(non_snake_case)]
    pub struct Sum {
        pub sumOf: Real,
    }

    /// A function.
    fn half(x: Real, y: Real) -> Real {
        #![allow(unused_variables)]
        0.5 * x
    }

    #[allow(unused_variables)]
    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let all = i.x;
            f.sumOf += half(j.x, i.x);
        }
    }

    pub struct other_law;
    impl Interaction for other_law {
        #![allow(unused_labels)]

        type I = Body;
        type J = Body;
        type F = Sum;

        #[allow(unused_variables, non_snake_case)]
        fn cutoff(&self, i: &Body, j: &Body) -> Real {
            #![allow(unused_mut)]
            let ofCutoff = i.x;
            1.0
        }

        #[allow(unused_variables)]
        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let of_pair = i.x;
            f.sumOf += j.x;
        }
    }

    pub struct Third;
    impl Interaction for Third {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            #[allow(unused_variables)]
            let of_let = i.x;
            #[allow(unused_variables)]
            let of_choice = if i.x < 1.0 {
                let x = i.x;
                x * x
            } else {
                j.x
            };
            #[allow(unused_variables)]
            if i.x < 1.0 {
                let of_if = i.x;
            }
            #[allow(unused_variables)]
            for k in 0..3 {
                f.sumOf += j.x;
            }
            #[allow(unused_variables)]
            {
                let of_block = i.x;
            }
        }
    }
}

#[nbody::interaction]
mod loud {
    pub struct Law;
    pub struct Body {
        pub pos: Point,
        pub x: Real,
    }
    pub struct Sum {
        pub sum_of: Real,
    }

    #[deny(unused_variables)]
    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let all = i.x;
            f.sum_of += j.x;
        }
    }

    pub struct Other;
    impl Interaction for Other {
        type I = Body;
        type J = Body;
        type F = Sum;

        #[deny(unused_variables)]
        fn cutoff(&self, i: &Body, j: &Body) -> Real {
            let of_cutoff = i.x;
            1.0
        }

        #[deny(unused_variables)]
        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            let of_pair = i.x;
            f.sum_of += j.x;
        }
    }

    pub struct Third;
    impl Interaction for Third {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            #[deny(unused_variables)]
            let of_let = i.x;
            #[deny(unused_variables)]
            if i.x < 1.0 {
                let of_if = i.x;
            }
            f.sum_of += j.x;
        }
    }
}

fn main() {}
