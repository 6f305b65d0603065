#[nbody::interaction]
mod programs {
    pub struct Body {
        pub pos: Point,
        pub vel: Vector,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
        pub nearest: ArgMin<Real>,
        pub farthest: ArgMax<Real>,
        pub few: Nearest<2>,
    }
    pub struct Total {
        pub energy: Real,
        pub unused: Real,
    }

    pub struct Inputs;
    impl Update for Inputs {
        type P = Body;
        type F = Field;
        fn update(&self, p: &mut Body, f: &Field) {
            f.acc += p.vel;
            p.pos += 1.0;
            p.pos += p.pos;
            p.pos.x = 1.0;
            p.mass = f.nearest;
            p.mass = f.farthest;
            p.mass = f.few;
            p.mass = f.few.values;
            p.mass = f.few.value;
            p.mass = f.few.values[2];
            p.mass = f.few.values[f.few.indices[0]];
            p.mass = f.few.indices[1];
            p.mass = f.nearest.first;
            p.mass = f.nearest.index;
            p = 1.0;
            let mut x = p.pos;
            x += p.vel;
            return p.mass;
        }
    }

    pub struct Returns;
    impl Update for Returns {
        type P = Body;
        fn update(&self, p: &mut Body) {
            if p.mass > 1.0 {
                return p.mass;
            }
            p.mass = 1.0;
        }
    }

    pub struct Changes;
    impl Measure for Changes {
        type P = Body;
        type T = Total;
        fn measure(&self, p: &Body, t: &mut Total) {
            p.mass += 1.0;
            t.energy = 1.0;
        }
    }

    pub struct Signature;
    impl Update for Signature {
        type P = Body;
        type Q = Body;
        type F = Field;
        fn update(&self, p: &Body, f: &Field) {}
    }

    pub struct Output;
    impl Measure for Output {
        type P = Body;
        type T = Total;
        fn measure(&self, p: &Body, t: &mut Total) -> Real {
            p.mass
        }
    }

    pub struct Items;
    impl Update for Items {
        type P = Body;
        type T = Total;
        fn pair(&self, p: &mut Body) {}
    }

    pub struct Missing;
    impl Measure for Missing {
        type P = Bodies;
        fn measure(&self, p: &Bodies) {}
    }
}

#[nbody::interaction]
mod nothing {
    pub struct Body {
        pub mass: Real,
    }
    pub struct Nothing;
    impl Update for Nothing {
        type P = Body;
        fn update(&self, p: &mut Body) {
            let _twice = 2.0 * p.mass;
        }
    }
    impl Update for Nothing {
        type P = Body;
        fn update(&self, p: &mut Body) {
            p.mass = 1.0;
        }
    }
}

#[nbody::interaction]
mod no_change {
    pub struct Body {
        pub mass: Real,
    }
    pub struct Idle;
    impl Update for Idle {
        type P = Body;
        fn update(&self, p: &mut Body) {
            let _twice = 2.0 * p.mass;
        }
    }
}

#[nbody::interaction]
mod totals {
    pub struct Body {
        pub vel: Vector,
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
    }
    pub struct Course;
    pub struct Pace {
        pub dt: Min<Real>,
        pub fastest: ArgMin<Real>,
    }
    impl Measure for Course {
        type P = Body;
        type T = Pace;
        fn measure(&self, p: &Body, t: &mut Pace) {
            t.dt.min(1.0 / p.vel.norm());
            t.fastest.min(-p.vel.norm());
        }
    }

    pub struct Undeclared;
    impl Update for Undeclared {
        type P = Body;
        fn update(&self, p: &mut Body, total: &Pace) {
            p.mass *= total.dt;
        }
    }
    pub struct UndeclaredToo;
    impl Update for UndeclaredToo {
        type P = Body;
        type Q = Body;
        type F = Field;
        fn update(&self, p: &mut Body, q: &Body, f: &Field, pace: &Pace) {
            p.vel += pace.dt * f.acc;
        }
    }
    pub struct Twice;
    impl Update for Twice {
        type P = Body;
        type F = Field;
        fn update(&self, p: &mut Body, f: &Field, force: &Field) {
            p.vel += f.acc + force.acc;
        }
    }
    pub struct One;
    impl Update for One {
        type P = Body;
        type F = (Field,);
        fn update(&self, p: &mut Body, f: &Field) {
            p.vel += f.acc;
        }
    }
    pub struct Swapped;
    impl Update for Swapped {
        type P = Body;
        type F = (Field, Total);
        type G = (Pace, Pace);
        fn update(&self, p: &mut Body, f: &Total, h: &Field, a: &Pace, b: &Pace) {
            p.vel += h.acc;
        }
    }
    pub struct Order;
    impl Update for Order {
        type P = Body;
        type F = Field;
        type G = Pace;
        fn update(&self, p: &mut Body, g: &Pace, f: &Field) {
            p.vel += g.dt * f.acc;
        }
    }
    pub struct Changed;
    impl Update for Changed {
        type P = Body;
        type G = Pace;
        fn update(&self, p: &mut Body, g: &Pace) {
            g.dt.min(p.mass);
            p.mass = g.fastest;
        }
    }
}

fn main() {
    // The stubs have the traits.
    fn is_update<U: nbody::Update>(_: U) {}
    fn is_measure<M: nbody::Measure>(_: M) {}
    is_update(programs::Returns);
    is_measure(programs::Missing);
    is_update(no_change::Idle);
    is_update(totals::Undeclared);
}
