#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
    }
    pub struct Old {
        pub mass: Real,
    }
    pub struct Field {
        pub acc: Vector,
    }

    impl Interaction for Law {
        type I = Body;
        type F = Field;
        const CUTOFF: Real = 2.5;

        fn kernel(&self, r: Real) -> Real {
            r * r
        }

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.acc += j.mass * (j.pos - i.pos);
        }
    }

    pub struct Other;
    impl Interaction for Other {
        type I = Body;
        type J = Body;
        type F = Vector;

        fn force(&self, i: &Body, j: &Body, f: &mut Vector) {}
    }

    impl nbody::Interaction for Other {}
    impl Law {
        pub fn new() -> Self {}
    }
    impl Default for Law {}

    pub struct Kick {
        pub dt: Real,
    }
    impl Update for Kick {
        type P = Body;

        fn update(&self, p: &mut Body, f: &Field) {
            p.mass += self.dt * f.acc.x;
        }
    }

    pub struct Mix;
    impl Update for Mix {
        type P = Body;

        fn update(&self, p: &mut Body, old: &Old, f: &Field) {
            p.mass += old.mass * f.acc.x;
        }
    }

    pub struct Swap;
    impl Update for Swap {
        type P = Body;

        fn update(&self, p: &mut Body, q: &Body) {
            p.mass = q.mass;
        }
    }

    pub struct Energies {
        pub kinetic: Real,
    }
    pub struct Energy;
    impl Measure for Energy {
        type P = Body;
        type T = Energies;

        fn measure(&self, p: &Body, f: &Field, t: &mut Energies) {
            t.kinetic += f.acc.x;
        }
    }
}

fn main() {}
