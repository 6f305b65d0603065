//! Sums and counts in array elements whose index depends on the data.

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
        pub alike: [Count; BINS],
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
            f.alike[j.kind + i.kind] += 1;
            f.alike[5] += 2;
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
            if i.kind != j.kind && d.x > 0.0 {
                f.near[i.kind ^ j.kind] += 1.0 + r2;
            }
            // Where the pair does not count, this is NaN.
            if j.weight > i.weight {
                f.total += (j.weight - i.weight).sqrt();
                f.moment -= (j.weight - i.weight).sqrt() * d / (1.0 + r2);
                f.moment.y += (j.weight - i.weight).sqrt();
            }
        }
    }

    /// Counts of both directions of a pair, in arrays too long for registers and short ones.
    pub struct Shells {
        pub width: Real,
    }
    pub struct Rings {
        pub first: Count,
        pub shells: [Count; 40],
        pub moment: Vector,
        pub kinds: [Count; BINS],
        pub weight: [Real; BINS],
    }

    impl Interaction for Shells {
        type I = Sample;
        type J = Sample;
        type F = Rings;

        fn pair(&self, i: &Sample, j: &Sample, f: &mut Rings) {
            let d = j.pos - i.pos;
            let r2 = d.norm2();
            // Beyond the last shell nothing is counted.
            f.shells[(r2 * self.width) as u32] += 1;
            f.weight[i.kind + j.kind] += i.weight * j.weight;
            f.weight[i.kind * j.kind] -= r2;
            f.moment += (i.weight + j.weight) * d;
            if r2 > 0.5 {
                f.first += 1;
                return;
            }
            for k in 0..BINS {
                if k == i.kind ^ j.kind && i.weight + j.weight > 0.5 {
                    f.kinds[k] += 3;
                }
            }
        }
    }
}
