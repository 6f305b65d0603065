//! Particles to check an engine on.

use nbody_core::{Case, Domain, Interaction, Precision};

use crate::{uniform, uniform_far};

/// Cases of random particles around the boundaries that these sizes stand for: every size as one
/// set, and with the size that stands as far from the end of the list. For mixed precision the
/// particles are far from the origin.
pub fn cases<X: Interaction>(
    x: &X,
    domain: Domain,
    precision: Precision,
    sizes: &[usize],
) -> Vec<Case<X>> {
    let far = precision == Precision::Mixed;
    let i = |n, seed| if far { uniform_far(n, seed) } else { uniform(n, seed) };
    let j = |n, seed| if far { uniform_far(n, seed) } else { uniform(n, seed) };
    let pairs = sizes.iter().zip(sizes.iter().rev());
    let two = pairs.map(|(&ni, &nj)| Case::two_sets(x, domain, i(ni, 1), j(nj, 2)));
    let one = |n: &usize| Case::one_set(x, domain, i(*n, 3), j(*n, 4)).ok();
    two.chain(sizes.iter().filter_map(one)).collect()
}
