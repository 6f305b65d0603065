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

    const A: Vector = 1.0;
    const B: Real = sqrt(2.0);
    const C: Real = 1.0 / 0.0;
    const D: u32 = 3 - 4;
    const E: Real = 3;
    const E: Real = 3.0;

    const REMAINDER: u32 = 7 % 2;
    const SHIFTED: u32 = 1 << 2;
    const MIXED: u32 = 1 + 2.0;
    const NEGATIVE: u32 = -(1 + 2);
    const DIVIDED: u32 = NEGATIVE / (2 - 2);
    const LARGE: u32 = 4294967296;
    const INFINITE: Real = -1.0e999;

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
