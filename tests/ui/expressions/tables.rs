#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub table: [[Real; 2]; 3],
        pub cube: [[[Real; 2]; 2]; 2],
        pub large: [[Real; 1000]; 1000],
    }
    pub struct Body {
        pub table: [[Real; 2]; 2],
        pub row: [Real; 4],
        pub dir: Vector,
        pub kind: u32,
    }
    pub struct Field {
        pub sum: Real,
        pub rows: [Real; 2],
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Field;

        fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
            f.sum += self.table[i.kind];
            f.sum += self.table[3][j.kind];
            f.sum += self.table[i.kind][1.0];
            let table = self.table;
            f.sum += j.dir[j.kind];
            for k in 0..4 {
                f.sum += j.row[k + 1];
                f.rows[k] += 1.0;
            }
            f.rows[j.kind] += 1.0;
        }
    }
}

fn main() {}
