//! Records of random numbers, to check any interaction on.

use nbody_core::{Reader, Record};

use crate::random::Random;

/// How many values the integers take.
const KINDS: u32 = 4;

/// `n` records whose reals are uniform in (0, 1] and whose integers are among 0, 1, 2, 3. The
/// reals are multiples of 2⁻¹⁰: exact in `f32`, and so are their differences and the squares of
/// distances, so that comparisons of these go the same way in both precisions.
pub fn uniform<P: Record<Lane = f64>>(n: usize, seed: u64) -> Vec<P> {
    let mut random = Random::new(seed);
    (0..n).map(|_| P::read(&mut random)).collect()
}

/// The same, with all positions 2²⁰ away from the origin along each axis: farther than `f32` holds
/// their digits, and within what mixed precision does.
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
