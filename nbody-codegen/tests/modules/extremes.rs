/// Results that are not sums, within a cutoff.
pub mod extremes {
    // Zero in single precision.
    const LEAST: Real = 1e-46;
    // An infinity there.
    const MOST: Real = -3.5e38;
    // Used by an index alone.
    const FARTHEST: u32 = 24;

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
        pub farthest: ArgMax<Real>,
        pub few: Nearest<3>,
        pub alike: Count,
        /// Counts by distance.
        pub bins: [Real; 48],
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
            f.longest.max(r.max(MOST) + LEAST + 1e-300 + 1e-400);
            f.nearest.min(r);
            f.farthest.max(r);
            f.few.insert(r);
            if i.kind == j.kind {
                f.alike += 1;
            }
            for k in 0..48 {
                if r > k as Real {
                    f.bins[k] += 1.0;
                }
            }
            for k in 0..4 {
                f.bins[k + FARTHEST] += r;
            }
            // One entry, selected by an index.
            for k in 28..32 {
                if j.kind == k && r < 2.0 {
                    f.bins[k] -= j.charge;
                }
            }
        }
    }
}
