//! Statistics by counting pairs.

/// The empirical distribution functions of two samples at each value: the numbers of values of the
/// first and of the second sample that do not exceed it. The largest difference of their fractions
/// is the Kolmogorov-Smirnov statistic (Smirnov 1939), which sorting the samples gives, too.
#[nbody::interaction]
pub mod kolmogorov_smirnov {
    /// Counts of both samples.
    pub struct KolmogorovSmirnov;

    /// A value of either sample, at which the distributions are evaluated.
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

    /// Numbers of values that do not exceed the threshold.
    pub struct Counts {
        /// Number in the first sample.
        pub first: Count,
        /// Number in the second sample.
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

/// The nearest neighbour, and the number of neighbours within a radius, in one pass.
#[nbody::interaction]
pub mod neighbours {
    /// Neighbours within a radius.
    pub struct Neighbours {
        /// Squared radius.
        pub radius2: Real,
    }

    /// A point.
    pub struct Place {
        /// Position.
        pub pos: Point,
    }

    /// The neighbourhood of a point.
    pub struct Near {
        /// Squared distance and index of the nearest neighbour.
        pub nearest: ArgMin<Real>,
        /// Number of neighbours within the radius.
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

/// Pairs by distance, the histogram behind the radial distribution function g(r) of a liquid and
/// the pair counts of galaxies: a [`PairTotals`](nbody::PairTotals) has the sum over all particles.
///
/// In a volume V with N particles of uniform density the ordered pairs at distances from a to b are
/// N (N - 1) 4π/3 (b³ - a³) / V in the mean, and g(r) is the ratio of the counts to this number
/// (Allen & Tildesley 2017, Computer Simulation of Liquids, section 8.2). In a periodic box the
/// radius is at most half of the shortest length.
#[nbody::interaction]
pub mod radial_distribution {
    /// Number of bins.
    pub const BINS: u32 = 256;

    /// The width of the bins.
    pub struct RadialDistribution {
        /// Bins per unit of distance: [`BINS`] / radius.
        pub per_length: Real,
    }

    /// A particle.
    pub struct Centre {
        /// Position.
        pub pos: Point,
    }

    /// Numbers of pairs.
    pub struct Shells {
        /// Pairs at distances from k to k + 1 widths; pairs beyond the radius are in none.
        pub pairs: [Count; BINS],
    }

    impl Interaction for RadialDistribution {
        type I = Centre;
        type J = Centre;
        type F = Shells;

        fn pair(&self, i: &Centre, j: &Centre, f: &mut Shells) {
            let r = (j.pos - i.pos).norm();
            f.pairs[(r * self.per_length) as u32] += 1;
        }
    }
}
