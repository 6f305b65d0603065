//! Splines are parameters, and only their methods have values.

#[nbody::interaction]
mod splines {
    pub const MANY: u32 = 5000;

    pub struct Law {
        pub energy: Spline<8>,
        pub one: Spline<1>,
        pub many: Spline<MANY>,
        pub none: Spline,
        pub named: Spline<OTHER>,
    }
    pub struct Body {
        pub mass: Real,
        pub table: Spline<8>,
    }
    pub struct Sum {
        pub sum: Real,
        pub tables: [Spline<8>; 2],
        pub out: Spline<4>,
    }

    fn value(s: Spline<8>, x: Real) -> Real {
        x
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += self.energy;
            let copy = self.energy;
            f.sum += self.energy(i.mass) + self.energy[2];
            f.sum += self.energy.value(i.mass) + self.energy.at() + self.energy.at(2);
            f.sum += self.energy.at(i.mass).gradient(self.energy);
            f.sum += i.mass.at(2.0) + 2.0 * self.energy;
        }
    }
}

#[nbody::interaction]
mod reserved {
    pub struct Spline {
        pub x: Real,
    }
    pub struct Body {
        pub mass: Real,
    }
    pub struct Sum {
        pub sum: Real,
    }
    impl Interaction for Spline {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += self.x * j.mass;
        }
    }
}

fn main() {}
