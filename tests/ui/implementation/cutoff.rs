#[nbody::interaction]
mod without_result {
    struct Law;
    struct Body {
        pos: Point,
    }
    struct Sum {
        x: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn cutoff(&self, i: &Body, j: &Body) {}

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.x += (i.pos - j.pos).norm2() + 1;
        }
    }
}

#[nbody::interaction]
mod without_position {
    struct Law {
        reach: Vector,
    }
    struct Target {
        pos: Point<2>,
    }
    struct Source {
        mass: Real,
    }
    struct Sum {
        x: Real,
    }

    impl Interaction for Law {
        type I = Target;
        type J = Source;
        type F = Sum;

        fn cutoff(&self, i: &Target, j: &Source) -> Real {
            self.reach
        }

        fn pair(&self, i: &Target, j: &Source, f: &mut Sum) {
            f.x += j.mass;
        }
    }
}

#[nbody::interaction]
mod without_value {
    struct Law;
    struct Body {
        pos: Point,
        old: Point,
    }
    struct Sum {
        x: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn cutoff(&self, i: &Body, j: &Body) -> Real {
            f.x += 1.0;
        }

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.x += (i.pos - j.pos).norm2();
        }
    }
}

fn main() {}
