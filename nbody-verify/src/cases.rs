//! Particles for the verification of an engine.

use nbody::check::Case;
use nbody::{Domain, Interaction, Precision};
use nbody_models::{uniform, uniform_far};

/// Generates cases of random particles of these sizes: each size as one set, and each size as
/// i-particles with the size at the mirrored place of the list as j-particles. For mixed precision
/// the particles are far from the origin.
#[allow(clippy::missing_panics_doc, reason = "one set has both from one number")]
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
    let one = sizes.iter().map(|&n| {
        Case::one_set(x, domain, i(n, 3), j(n, 4)).expect("as many i-particles as j-particles")
    });
    two.chain(one).collect()
}
