//! Sums into array elements whose index depends on the data.

/// Histograms: by the j-particle, by both particles, of some bins only, and under conditions.
#[nbody::interaction]
pub mod histogram {
    pub const BINS: u32 = 6;

    pub struct Histogram {
        pub reach2: Real,
    }
    pub struct Sample {
        pub pos: Point,
        pub kind: u32,
        pub weight: Real,
    }
    pub struct Bins {
        pub alike: [Real; BINS],
        pub mixed: [Real; BINS],
        pub near: [Real; BINS],
        pub total: Real,
        pub moment: Vector,
    }

    impl Interaction for Histogram {
        type I = Sample;
        type J = Sample;
        type F = Bins;

        fn pair(&self, i: &Sample, j: &Sample, f: &mut Bins) {
            let d = j.pos - i.pos;
            let r2 = d.norm2();
            for k in 0..BINS {
                if j.kind == k {
                    f.alike[k] += 1.0;
                }
            }
            if i.weight > 0.25 {
                for k in 1..4 {
                    if k == i.kind + j.kind {
                        f.mixed[k] += j.weight;
                        f.near[k] -= i.weight * j.weight;
                    }
                }
            }
            if r2 > self.reach2 {
                return;
            }
            for k in 0..BINS {
                if i.kind != j.kind && i.kind ^ j.kind == k && d.x > 0.0 {
                    f.near[k] += 1.0 + r2;
                }
            }
            // Where the pair does not count, this is NaN.
            if j.weight > i.weight {
                f.total += (j.weight - i.weight).sqrt();
                f.moment -= (j.weight - i.weight).sqrt() * d / (1.0 + r2);
                f.moment.y += (j.weight - i.weight).sqrt();
            }
        }
    }
}
