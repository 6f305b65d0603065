//! Functions of the radius, tabulated.

use super::component::Component;
use super::profile::total_within;

const NODES: usize = 512;
/// Difference of the logarithms of neighbouring radii.
const STEP: f64 = 1.0 / 40.0;
/// Greatest speed in units of the escape speed.
const BOUND: f64 = 0.95;

/// A function of the radius, given at radii evenly spaced in the logarithm.
pub(super) struct Table {
    end: f64,
    values: Vec<f64>,
}

impl Table {
    /// Tabulates a function up to the radius `end`.
    pub fn new(end: f64, f: impl Fn(f64) -> f64) -> Self {
        Self { end, values: (0..NODES).map(|k| f(radius(end, k))).collect() }
    }

    /// Tabulates the integral of `f` over the logarithm of the radius, up to `end`.
    pub fn integral(end: f64, f: impl Fn(f64) -> f64) -> Self {
        let mut table = Self::new(end, f);
        let (mut sum, mut outer) = (0.0, None);
        for value in table.values.iter_mut().rev() {
            sum += outer.map_or(0.0, |outer| 0.5 * STEP * (*value + outer));
            outer = Some(std::mem::replace(value, sum));
        }
        table
    }

    /// Tabulates the greatest speed of particles, 0.95 of the speed that escapes from all
    /// components.
    pub fn greatest_speed() -> Self {
        let end = Component::Halo.end();
        let inner = Self::integral(end, |r| total_within(r) / r);
        let outer = total_within(end) / end;
        Self::new(end, |r| BOUND * (2.0 * (inner.at(r) + outer)).sqrt())
    }

    /// Interpolates linearly in the logarithm of the radius. Inside the first radius the value is
    /// constant.
    #[expect(clippy::cast_sign_loss, reason = "places are not negative")]
    pub fn at(&self, radius: f64) -> f64 {
        let last = (self.values.len() - 1) as f64;
        let place = (last + libm::log(radius / self.end) / STEP).clamp(0.0, last);
        let (k, part) = (place as usize, place.fract());
        let next = (k + 1).min(self.values.len() - 1);
        self.values[k] + part * (self.values[next] - self.values[k])
    }
}

fn radius(end: f64, k: usize) -> f64 {
    end * libm::exp(-STEP * (NODES - 1 - k) as f64)
}
