//! The potential and the mass within a radius, integrated.

use std::f64::consts::PI;

/// First radius; the density is constant within it.
const FIRST: f64 = 1e-4;
/// Difference of the logarithms of neighbouring radii.
const STEP: f64 = 0.01;

/// Radius, depth and mass of a King model, in units of the core radius r₀ = 3σ / √(4πGρ₀) and of
/// σ, with G = 1.
pub(super) struct Profile {
    points: Vec<Point>,
    /// Lengths and velocities of standard units.
    units: (f64, f64),
}

/// The sphere within a radius.
#[derive(Clone, Copy)]
struct Point {
    /// Logarithm of the radius.
    log: f64,
    state: State,
}

/// Depth W of the potential below the edge in units of σ², mass, and potential energy of the mass
/// within the sphere.
type State = [f64; 3];

impl Profile {
    /// Integrates outwards from the centre, to the radius where the depth vanishes.
    pub fn new(w0: f64) -> Self {
        let (mut log, central) = (libm::log(FIRST), density(w0));
        let (r2, r3) = (FIRST * FIRST, FIRST * FIRST * FIRST);
        let mut state = [w0 - 1.5 * r2, 3.0 * r3, -1.8 * r3 * r2];
        let mut points = vec![Point { log, state }];
        while state[0] > 0.0 {
            state = step(log, state, central);
            log += STEP;
            points.push(Point { log, state });
        }
        // Beyond the edge there is no mass: the depth is M/r − M/edge.
        let [depth, mass, energy] = state;
        let edge = mass / (mass / libm::exp(log) - depth);
        let last = points.len() - 1;
        points[last] = Point { log: libm::log(edge), state: [0.0, mass, energy] };
        let length = -2.0 * energy / (mass * mass);
        Self { points, units: (length, 1.0 / (mass * length).sqrt()) }
    }

    /// Returns the radius that contains this share of the mass, and the depth there.
    pub fn at(&self, share: f64) -> (f64, f64) {
        let whole = self.points.last().map_or(0.0, |point| point.state[1]);
        let mass = share * whole;
        let next = self.points.partition_point(|point| point.state[1] < mass);
        let Some(first) = self.points[..next.min(self.points.len() - 1)].last() else {
            let [depth, within, _] = self.points[0].state;
            return (FIRST * libm::cbrt(mass / within), depth);
        };
        let last = &self.points[next.min(self.points.len() - 1)];
        let part = (mass - first.state[1]) / (last.state[1] - first.state[1]);
        let between = |low: f64, high: f64| low + part * (high - low);
        let depth = between(first.state[0], last.state[0]);
        (libm::exp(between(first.log, last.log)), depth)
    }

    /// Returns the factors to lengths and velocities of standard units.
    pub fn units(&self) -> (f64, f64) {
        self.units
    }
}

/// Advances by a Runge-Kutta step of fourth order.
fn step(log: f64, state: State, central: f64) -> State {
    let moved = |slope: State, h: f64| [0, 1, 2].map(|k| state[k] + h * slope[k]);
    let first = slope(log, state, central);
    let second = slope(log + 0.5 * STEP, moved(first, 0.5 * STEP), central);
    let third = slope(log + 0.5 * STEP, moved(second, 0.5 * STEP), central);
    let fourth = slope(log + STEP, moved(third, STEP), central);
    let mean = [0, 1, 2].map(|k| (first[k] + 2.0 * (second[k] + third[k]) + fourth[k]) / 6.0);
    moved(mean, STEP)
}

/// Returns the derivatives by the logarithm of the radius: Poisson's equation.
fn slope(log: f64, [depth, mass, _]: State, central: f64) -> State {
    let radius = libm::exp(log);
    let shell = 9.0 * radius * radius * radius * density(depth) / central;
    [-mass / radius, shell, -mass * shell / radius]
}

/// Returns the density, up to a factor (King 1966, equation 7).
fn density(depth: f64) -> f64 {
    if depth <= 0.0 {
        return 0.0;
    }
    let root = depth.sqrt();
    libm::exp(depth) * libm::erf(root) - 2.0 * root / PI.sqrt() * (1.0 + 2.0 / 3.0 * depth)
}
