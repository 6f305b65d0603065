/// Results that are not sums, within a cutoff.
pub mod extremes {
    pub struct Extremes {
        pub reach: Real,
    }
    pub struct Grain {
        pub pos: Point,
        pub charge: Real,
        pub kind: u32,
    }
    pub struct Extent {
        pub charge: Real,
        pub shortest: Min<Real>,
        pub longest: Max<Real>,
        pub nearest: ArgMin<Real>,
        pub alike: Count,
    }

    impl Interaction for Extremes {
        type I = Grain;
        type J = Grain;
        type F = Extent;

        fn cutoff(&self, _i: &Grain, _j: &Grain) -> Real {
            self.reach
        }

        fn pair(&self, i: &Grain, j: &Grain, f: &mut Extent) {
            let r = (j.pos - i.pos).norm();
            f.charge += j.charge;
            f.shortest.min(r);
            f.longest.max(r);
            f.nearest.min(r);
            if i.kind == j.kind {
                f.alike += 1;
            }
        }
    }
}
