#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub table: [[Real; 2]; 2],
    }
    pub struct Body {
        pub kind: u32,
    }
    pub struct Field {
        pub sum: Real,
    }

    fn entry(table: [[Real; 2]; 2], kind: u32) -> Real {
        table[kind][kind]
    }
    fn least(x: Real) -> Min<Real> {
        x
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.sum += self.table[i.kind][j.kind];
        }
    }
}

fn main() {}
