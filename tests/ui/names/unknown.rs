#[nbody::interaction]
mod wrong {
    const TYPE_: Real = 1.0;
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
            let a = dd.norm2();
            let b = i.mas;
            let c = self.eps;
            let e = d.w;
            let g = i.pos.x;
            let h = i.mass.x;
            let k = SOFTENING + std::f64::consts::PHI + core::f64::consts::FRAC_PI_5;
            let l = i;
            let m = eps2 + mass;
            let n = force * TYPE;
            f.accel += d;
            pot += i.mass;
            f.acc += j.mass * d;
            f.pot += self.eps2;
        }
    }
}

fn main() {}
