//! Records of random numbers, to test any interaction.

use nbody_core::{Reader, Record};

use crate::random::Random;

/// Number of values of an integer field.
const KINDS: u32 = 4;

/// Samples `n` records whose reals are uniform in (0, 1] and whose integers are among 0, 1, 2, 3.
/// The reals are multiples of 2⁻¹⁰: they, their differences and squared distances are exact in
/// `f32`, so that comparisons of them have the same outcome in both precisions.
pub fn uniform<P: Record<Lane = f64>>(n: usize, seed: u64) -> Vec<P> {
    let mut random = Random::new(seed);
    (0..n).map(|_| P::read(&mut random)).collect()
}

/// Samples as [`uniform`], with all positions shifted by 2²⁰ along each axis: there `f32` loses
/// their digits, and mixed precision keeps them.
pub fn uniform_far<P: Record<Lane = f64>>(n: usize, seed: u64) -> Vec<P> {
    let mut random = Far(Random::new(seed));
    (0..n).map(|_| P::read(&mut random)).collect()
}

struct Far(Random);

impl Reader<f64> for Far {
    fn real(&mut self) -> f64 {
        self.0.real()
    }
    fn index(&mut self) -> u32 {
        self.0.index()
    }
    fn coordinate(&mut self) -> f64 {
        f64::from(1 << 20) + self.0.coordinate()
    }
}

impl Reader<f64> for Random {
    fn real(&mut self) -> f64 {
        self.uniform_coarse()
    }
    fn index(&mut self) -> u32 {
        self.below(KINDS)
    }
    fn coordinate(&mut self) -> f64 {
        self.real()
    }
}
