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

    fn kernel(q: Real) -> Real {
        q * q
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            let d = j.pos - i.pos;
            let a = match i.kind { _ => 1.0 };
            let b = |x| x;
            let c = &i.mass;
            let e = (1.0, 2.0);
            let g = println!("no");
            let h = return;
            let k = loop {};
            let l = Body { mass: 1.0 };
            let m = [0.0; 3];
            let n = unsafe { 1.0 };
            let o = 0..3;
            let p = (kernel)(1.0);
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
