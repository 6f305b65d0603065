#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub eps2: Real,
        pub table: [[Real; 2]; 2],
    }
    pub struct Body {
        pub pos: Point,
        pub mass: Real,
        pub kind: u32,
        pub arr: [Real; 4],
    }
    pub struct Field {
        pub acc: Vector,
        pub pot: Real,
        pub bins: [Real; 3],
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
            for k in 0..3 {
                f.pot += i.arr[k - 1] + i.arr[0 - 1] + i.arr[k + 4294967295] + d[k - 1];
                f.pot += self.table[k - 1][0] + self.table[0][1 - k];
                f.bins[k - 1] += 1.0;
                let far = 300;
                let farther = far + k;
                let mut any = 300;
                any -= 299;
                f.bins[far] += i.arr[farther] + self.table[far][0] + i.arr[far % 3] + i.arr[any];
                f.bins[far - 298] += 1.0;
                // These indices are known, and indices from the data are not checked.
                f.bins[k] += i.arr[k + 1] + i.arr[3 - k] + i.arr[k - 1 + i.kind] + i.arr[i.kind - 1];
            }
        }
    }
}

fn main() {}
