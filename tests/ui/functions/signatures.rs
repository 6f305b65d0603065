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

    fn no_value(q: Real) {}
    const fn constant(q: Real) -> Real {
        q
    }
    fn generic<T>(q: Real) -> Real {
        q
    }
    fn pattern((a, b): Real) -> Real {
        1.0
    }
    fn unfinished(q: Real) -> Real {
        let r = q;
    }
    fn another(q: Real) -> Vector {
        q
    }
    fn twice(q: Real) -> Real {
        thrice(q)
    }
    fn thrice(q: Real) -> Real {
        twice(q)
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
