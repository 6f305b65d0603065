//! Inputs of tests: particles in various distributions.

use nbody::law::{Reader, Record};

/// Random numbers, with coordinates from one of several distributions. All are multiples of 2^-10
/// and small enough that differences and squared distances are exact in `f32`, except with
/// [`Digits::All`].
pub struct Random {
    state: u64,
    inputs: Inputs,
    digits: Digits,
    coordinate: usize,
    /// Whether the particle is in a dense part or far away.
    special: bool,
}

/// Digits of coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Digits {
    /// Few enough for exact arithmetic.
    Few,
    /// All digits of `f64`.
    All,
}

/// Distributions of particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inputs {
    Uniform,
    /// Most particles in a thousandth of the volume.
    Dense,
    Slab,
    Plane,
    /// Some particles very far away.
    Far,
    /// The first particle is a million sizes away from all other particles.
    Outlier,
    /// All at one point.
    Point,
    /// All on one line.
    Line,
    /// At the sites of a lattice, with some sites shared: many distances are equal.
    Lattice,
}

impl Inputs {
    /// Tests whether terms of pairs may be infinite or underflow.
    pub fn is_special(self) -> bool {
        matches!(self, Self::Point | Self::Line | Self::Far | Self::Outlier)
    }
}

impl Random {
    pub fn new(inputs: Inputs, digits: Digits, seed: u64) -> Self {
        Self { state: seed, inputs, digits, coordinate: 0, special: false }
    }

    fn below(&mut self, n: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.state >> 33) % n
    }
}

impl Reader<f64> for Random {
    /// Returns a number in (0, 1/4], such as a smoothing length.
    fn real(&mut self) -> f64 {
        (self.below(256) + 1) as f64 / 1024.0
    }

    fn index(&mut self) -> u32 {
        self.below(4) as u32
    }

    fn coordinate(&mut self) -> f64 {
        let axis = self.coordinate % 3;
        self.coordinate += 1;
        if axis == 0 {
            self.special = self.below(16) == 0;
        }
        let x = self.below(2048) as f64 / 1024.0;
        let rest = match self.digits {
            Digits::Few => 0.0,
            Digits::All => self.below(1 << 31) as f64 / (1_u64 << 41) as f64,
        };
        let x = match self.inputs {
            Inputs::Dense if !self.special => self.below(205) as f64 / 1024.0,
            Inputs::Slab if axis == 2 => x / 16.0 - x / 16.0 % (1.0 / 1024.0),
            Inputs::Plane if axis == 1 => 0.5,
            Inputs::Line if axis != 2 => return 0.75,
            Inputs::Far if self.special => 262_144.0 + self.below(2048) as f64 / 32.0,
            Inputs::Outlier if self.coordinate == 1 => 2_097_152.0,
            Inputs::Point => return 1.0,
            Inputs::Lattice => return x - x % 0.25,
            _ => x,
        };
        x + rest
    }
}

/// Returns particles with these inputs.
pub fn particles<P: Record<Lane = f64>>(
    n: usize,
    inputs: Inputs,
    digits: Digits,
    seed: u64,
) -> Vec<P> {
    let mut random = Random::new(inputs, digits, seed);
    (0..n).map(|_| P::read(&mut random)).collect()
}

/// Returns two sets of particles.
pub fn sets<P, Q>(n: usize, inputs: Inputs, digits: Digits) -> (Vec<P>, Vec<Q>)
where
    P: Record<Lane = f64>,
    Q: Record<Lane = f64>,
{
    (particles(n, inputs, digits, 1), particles(n, inputs, digits, 2))
}

/// Returns one set of particles, as i-particles and as j-particles.
pub fn particles_twice<P, Q>(n: usize, inputs: Inputs, digits: Digits) -> (Vec<P>, Vec<Q>)
where
    P: Record<Lane = f64>,
    Q: Record<Lane = f64>,
{
    (particles(n, inputs, digits, 3), particles(n, inputs, digits, 3))
}
