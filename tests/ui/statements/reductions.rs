#[nbody::interaction]
mod wrong {
    pub struct Law {
        pub best: Min<Real>,
    }
    pub struct Body {
        pub x: Real,
        pub n: Count,
    }
    pub struct Found {
        pub sum: Real,
        pub least: Min<Real>,
        pub most: Max<Real>,
        pub nearest: ArgMin<Real>,
        pub farthest: ArgMax<Real>,
        pub few: Nearest<3>,
        pub none: Nearest<0>,
        pub many: Nearest<17>,
        pub some: Nearest<Real>,
        pub unused: Nearest<2>,
        pub count: Count,
        pub pair: Min<u32>,
        pub idle: Max<Real>,
    }

    impl Interaction for Law {
        type I = Body;
        type J = Body;
        type F = Found;

        fn pair(&self, i: &Body, j: &Body, f: &mut Found) {
            f.sum.min(j.x);
            f.least += j.x;
            f.least.max(j.x);
            f.most.max(1);
            f.most.max(j.x, i.x);
            f.nearest -= 1.0;
            f.nearest.take(j.x, 0);
            f.farthest = j.x;
            f.farthest += j.x;
            f.farthest.min(j.x);
            f.few = j.x;
            f.few += j.x;
            f.few.min(j.x);
            f.few.values[0] += j.x;
            f.few.insert(1);
            f.count.min(1.0);
            f.count += 1.0;
            f.count -= 1;
            f.count += 1;
            let least = f.least.min(1.0);
            f.pair += 1.0;
        }
    }
}

fn main() {}
