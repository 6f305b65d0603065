#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub eps2: Real,
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let x = 1.0;
            x = 2.0;
            i.mass = 1.0;
            i = j;
            f.pot = 1.0;
            f.pot *= 2.0;
            f += 1.0;
            let y = f.pot;
            let z = f;
            let mut v = d;
            v += 1.0;
            v.x = d;
            w = 1.0;
            1.0 = x;
            f.acc += 1.0;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

/// Arrays are accumulated element by element.
#[nbody::interaction]
mod elements {
    pub struct Law;
    pub struct Body {
        pub x: Real,
    }
    pub struct Histogram {
        pub bins: [Real; 4],
        pub more: [Real; 4],
        pub none: [Real; 4],
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Histogram;

        fn pair(&self, i: &Body, j: &Body, f: &mut Histogram) {
            f.bins = i.x;
            f.more += j.x;
        }
    }
}

fn main() {}
