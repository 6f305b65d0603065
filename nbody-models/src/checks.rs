//! What to check an engine on: ways to compute, and particles to compute.

use nbody_core::{Accumulation, Case, Domain, Error, Interaction, Math, Options, Precision};

use crate::{uniform, uniform_far};

/// Space without end, and a box that particles in the unit cube reach across: along x from face
/// to face, along y twice, along z not at all. Its lengths are powers of two, so that all
/// precisions agree on which image is the nearest.
pub fn domains() -> Result<[Domain; 2], Error> {
    Ok([Domain::Open, Domain::periodic([1.0, 0.5, f64::INFINITY])?])
}

/// The ways to compute in this space, but for those that say nothing new: the blocked accumulation
/// in double precision is the default one, and mixed precision sums as single does. In a box, whose differences are taken before anything is
/// summed, one accumulation stands for all.
pub fn ways(domain: Domain) -> Vec<Options> {
    let mut ways = Vec::new();
    for &precision in Precision::ALL {
        for &accumulation in Accumulation::ALL {
            for &math in Math::ALL {
                ways.push(Options { precision, accumulation, math, domain, ..Options::default() });
            }
        }
    }
    ways.retain(|way| match way.precision {
        Precision::Single => true,
        Precision::Double => way.accumulation != Accumulation::Blocked,
        Precision::Mixed => way.accumulation == Accumulation::default(),
    });
    ways.retain(|way| !domain.is_periodic() || way.accumulation == Accumulation::default());
    ways
}

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
