//! Particles for the verification of an engine.

use nbody::check::untyped::Case;
use nbody::law::{Field, Law};
use nbody::untyped::OwnedRows;
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
    let pairs = sizes.iter().zip(sizes.iter().rev());
    let two = pairs.map(|(&ni, &nj)| two_sets(law, parameters, domain, precision, [ni, nj]));
    let sample = sample_of(precision);
    let one = sizes.iter().map(|&n| {
        // Where both are one record, the i-particles serve as both.
        let j = (law.i != law.j).then(|| sample(law.j, n, 4));
        Case::one_set(law, parameters, domain, sample(law.i, n, 3), j)
    });
    two.chain(one).collect()
}

/// Generates a case of two sets of these sizes, as [`cases`] does.
pub fn two_sets(
    law: &'static Law,
    parameters: &[u64],
    domain: Domain,
    precision: Precision,
    [ni, nj]: [usize; 2],
) -> Result<Case, Error> {
    let sample = sample_of(precision);
    Case::two_sets(law, parameters, domain, sample(law.i, ni, 1), sample(law.j, nj, 2))
}

/// Samples rows of these fields: their number, and a seed.
type Sample = fn(&'static [Field], usize, u64) -> OwnedRows;

fn sample_of(precision: Precision) -> Sample {
    if precision == Precision::Mixed { uniform_far_rows } else { uniform_rows }
}
