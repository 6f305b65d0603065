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
mod arrays {
    pub struct Law {
        pub of_kind: [Spline<8>; 3],
        pub of_pair: [[Spline<8>; 2]; 3],
        pub cube: [[[Spline<8>; 2]; 2]; 2],
        pub many: [Spline<4096>; 65],
        pub none: [Spline<8>; 0],
        pub rows: [[Spline<4096>; 8]; 9],
        pub named: [Spline<8>; OTHER],
    }
    pub struct Body {
        pub mass: Real,
        pub kind: u32,
        pub tables: [Spline<8>; 2],
    }
    pub struct Sum {
        pub sum: Real,
        pub tables: [[Spline<8>; 2]; 2],
    }

    fn value(s: [Spline<8>; 2], x: Real) -> Real {
        x
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Sum;

        fn pair(&self, i: &Body, j: &Body, f: &mut Sum) {
            f.sum += self.of_kind.at(i.mass) + self.of_pair.at(i.mass) + self.of_kind;
            f.sum += self.of_kind[i.kind] + self.of_pair[0][1] + self.of_pair[i.kind];
            f.sum += self.of_kind[3].at(i.mass) + self.of_pair[3][0].at(i.mass);
            f.sum += self.of_pair[0][2].at(i.mass) + self.of_kind[i.mass].at(i.mass);
            f.sum += self.of_kind[0][1].at(i.mass) + self.of_pair[i.kind].at(i.mass);
            f.sum += self.of_kind[i.kind].value(i.mass) + self.of_pair[0][1].at();
            let copy = self.of_kind[j.kind];
            f.sum += i.mass.gradient(self.of_kind[0]);
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
