//! Speeds of isotropic spheres.

use crate::random::Random;

/// Steps of the search, after which the interval is narrower than the square root of the rounding
/// unit.
const STEPS: usize = 40;
/// Factor above the greatest weight found: the search misses it by rounding errors.
const ABOVE: f64 = 1.0 + 1e-6;

/// Samples a speed, in units of the greatest speed, whose density is proportional to `weight`, by
/// rejection. The weight has one maximum from 0 to 1.
pub fn speed(random: &mut Random, weight: impl Fn(f64) -> f64) -> f64 {
    let greatest = ABOVE * greatest(&weight);
    if greatest <= 0.0 {
        return 0.0;
    }
    loop {
        let (q, y) = (random.uniform(), random.uniform());
        if y * greatest < weight(q) {
            return q;
        }
    }
}

/// Returns the greatest value of a function of one maximum from 0 to 1: golden-section search
/// (Kiefer 1953, Proc. Am. Math. Soc. 4, 502).
fn greatest(f: impl Fn(f64) -> f64) -> f64 {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (0.0, 1.0);
    let mut inner = [1.0 - ratio, ratio];
    let mut values = inner.map(&f);
    for _ in 0..STEPS {
        if values[0] > values[1] {
            high = inner[1];
            inner = [high - ratio * (high - low), inner[0]];
            values = [f(inner[0]), values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + ratio * (high - low)];
            values = [values[1], f(inner[1])];
        }
    }
    values[0].max(values[1])
}
