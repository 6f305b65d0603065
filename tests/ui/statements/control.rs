#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub n: u32,
    }
    pub struct Body {
        pub x: Real,
    }
    pub struct Field {
        pub sum: Real,
    }

    fn w(x: Real) -> Real {
        if x > 1.0 {
            return;
        }
        if x > 2.0 {
            return 1;
        }
        return x;
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            for k in 0..self.n {
                f.sum += k as Real;
            }
            for k in 3..3 {
                f.sum += k as Real;
            }
            for k in 0..=3 {
                f.sum += k as Real;
            }
            for k in 0..2000 {
                f.sum += k as Real;
            }
            for (k, l) in 0..2 {
                f.sum += 1.0;
            }
            if i.x > j.x {
                return 1.0;
            }
            if i.x < j.x {
                return;
                f.sum += 1.0;
            }
            let x = if i.x < j.x { return; } else { 1.0 };
            for k in 0..3 {
                k += 1;
                if i.x > 1.0 {
                    break;
                }
                continue;
            }
            return;
        }
    }
}

fn main() {}
