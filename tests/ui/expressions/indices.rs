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
            let a = d[3];
            let b = i.mass[0];
            let k = 1.0;
            let c = d[k];
            let e = [];
            let g = [1.0, d];
            let h = i.mass.powi(k);
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
