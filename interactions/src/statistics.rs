//! Statistics by counting pairs.

/// The empirical distribution functions of two samples at each value: how many values of the
/// first and of the second sample are not above it. The largest difference of their fractions is
/// the statistic of Kolmogorov and Smirnov (Smirnov 1939), equal to the one from sorted samples.
#[nbody::interaction]
pub mod kolmogorov_smirnov {
    /// Counts both samples.
    pub struct KolmogorovSmirnov;

    /// Where the distributions are evaluated: a value of either sample.
    pub struct Threshold {
        /// The value.
        pub x: Real,
    }

    /// A value of a sample.
    pub struct Sample {
        /// The value.
        pub x: Real,
        /// Its sample: 0 for the first, anything else for the second.
        pub sample: u32,
    }

    /// How many values are not above the threshold.
    pub struct Counts {
        /// Of the first sample.
        pub first: Count,
        /// Of the second sample.
        pub second: Count,
    }

    impl Interaction for KolmogorovSmirnov {
        type I = Threshold;
        type J = Sample;
        type F = Counts;

        fn pair(&self, i: &Threshold, j: &Sample, f: &mut Counts) {
            if j.x > i.x {
                return;
            }
            if j.sample == 0 {
                f.first += 1;
            } else {
                f.second += 1;
            }
        }
    }
}

/// The nearest neighbour, and how many there are within a radius, in one pass.
#[nbody::interaction]
pub mod neighbours {
    /// Neighbours within a radius.
    pub struct Neighbours {
        /// Squared radius.
        pub radius2: Real,
    }

    /// A place.
    pub struct Place {
        /// Position.
        pub pos: Point,
    }

    /// What is near.
    pub struct Near {
        /// Squared distance and index of the nearest.
        pub nearest: ArgMin<Real>,
        /// How many are within the radius.
        pub count: Count,
    }

    impl Interaction for Neighbours {
        type I = Place;
        type J = Place;
        type F = Near;

        fn pair(&self, i: &Place, j: &Place, f: &mut Near) {
            let r2 = (j.pos - i.pos).norm2();
            f.nearest.min(r2);
            if r2 < self.radius2 {
                f.count += 1;
            }
        }
    }
}
