//! Particles for the verification of an engine.

use nbody::check::untyped::Case;
use nbody::law::Law;
use nbody::{Domain, Error, Precision};
use nbody_models::{uniform_far_rows, uniform_rows};

/// Generates cases of random particles of these sizes: each size as one set, and each size as
/// i-particles with the size at the mirrored place of the list as j-particles. `parameters` is one
/// row. For mixed precision the particles are far from the origin. A periodic box is refused for a
/// law without points.
pub fn cases(
    law: &'static Law,
    parameters: &[u64],
    domain: Domain,
    precision: Precision,
    sizes: &[usize],
) -> Result<Vec<Case>, Error> {
    let far = precision == Precision::Mixed;
    let sample = if far { uniform_far_rows } else { uniform_rows };
    let (i, j) = (|n, seed| sample(law.i, n, seed), |n, seed| sample(law.j, n, seed));
    let pairs = sizes.iter().zip(sizes.iter().rev());
    let two = pairs.map(|(&ni, &nj)| Case::two_sets(law, parameters, domain, i(ni, 1), j(nj, 2)));
    let one = sizes.iter().map(|&n| {
        // Where both are one record, the i-particles serve as both.
        let j = (law.i != law.j).then(|| j(n, 4));
        Case::one_set(law, parameters, domain, i(n, 3), j)
    });
    two.chain(one).collect()
}
