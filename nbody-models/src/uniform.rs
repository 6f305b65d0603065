//! Records of random numbers, to check any interaction on.

use nbody_core::{Case, Interaction, Reader, Record};

use crate::random::Random;

/// How many values the integers take.
const KINDS: u32 = 4;

/// `n` records whose reals are uniform in [0, 1) and whose integers are among 0, 1, 2, 3. The
/// reals are multiples of 2⁻¹⁰: exact in `f32`, and so are their differences and the squares of
/// distances, so that comparisons of these go the same way in both precisions.
pub fn uniform<P: Record<Lane = f64>>(n: usize, seed: u64) -> Vec<P> {
    let mut random = Random::new(seed);
    (0..n).map(|_| P::read(&mut random)).collect()
}

/// Cases of random particles around the boundaries that these sizes stand for: every size as one
/// set, and with the size that stands as far from the end of the list.
pub fn cases<X: Interaction>(x: &X, sizes: &[usize]) -> Vec<Case<X>> {
    let pairs = sizes.iter().zip(sizes.iter().rev());
    let two = pairs.map(|(&ni, &nj)| Case::two_sets(x, uniform(ni, 1), uniform(nj, 2)));
    let one = sizes.iter().filter_map(|&n| Case::one_set(x, uniform(n, 3), uniform(n, 4)).ok());
    two.chain(one).collect()
}

impl Reader<f64> for Random {
    fn real(&mut self) -> f64 {
        self.uniform_coarse()
    }
    fn index(&mut self) -> u32 {
        self.below(KINDS)
    }
}
