//! Particles for the verification of an engine.

use nbody::check::Case;
use nbody::{Domain, Error, Interaction, Precision};
use nbody_models::{uniform, uniform_far};

/// Generates cases of random particles of these sizes: each size as one set, and each size as
/// i-particles with the size at the mirrored place of the list as j-particles. For mixed precision
/// the particles are far from the origin. A periodic box is refused for an interaction without
/// points.
pub fn cases<X: Interaction>(
    x: &X,
    domain: Domain,
    precision: Precision,
    sizes: &[usize],
) -> Result<Vec<Case<X>>, Error> {
    let far = precision == Precision::Mixed;
    let i = |n, seed| if far { uniform_far(n, seed) } else { uniform(n, seed) };
    let j = |n, seed| if far { uniform_far(n, seed) } else { uniform(n, seed) };
    let pairs = sizes.iter().zip(sizes.iter().rev());
    let two = pairs.map(|(&ni, &nj)| Case::two_sets(x, domain, i(ni, 1), j(nj, 2)));
    let one = sizes.iter().map(|&n| Case::one_set(x, domain, i(n, 3), j(n, 4)));
    two.chain(one).collect()
}
