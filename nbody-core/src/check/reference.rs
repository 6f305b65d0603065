//! The reference: a double loop in `f64`.
//!
//! Particles may be given in either scalar. With particles rounded to `f32`, as a kernel in single
//! precision reads them, the comparison shows the error of the kernel alone; with the particles
//! themselves it includes the error of that rounding.

use crate::law::space::{Either, InDomain as _};
use crate::{Domain, Interaction, Record, Scalar, pack, parallel};

/// Computes the results of every i-particle, over all j-particles.
pub fn reference<X, S>(
    interaction: &X,
    domain: Domain,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
) -> Vec<X::F>
where
    X: Interaction,
    S: Scalar,
{
    double_loop(interaction, domain, &pack::cast(i), &pack::cast(j), false)
}

/// Computes the results of one set of particles, given as i-particles and as j-particles.
pub fn reference_self<X, S>(
    interaction: &X,
    domain: Domain,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
) -> Vec<X::F>
where
    X: Interaction,
    S: Scalar,
{
    double_loop(interaction, domain, &pack::cast(i), &pack::cast(j), !X::LAW.self_pairs)
}

fn double_loop<X: Interaction>(
    interaction: &X,
    domain: Domain,
    i: &[X::I],
    j: &[X::J],
    skips_self: bool,
) -> Vec<X::F> {
    let space = Either::<f64>::in_domain(&domain);
    let result = |k: usize| {
        let mut f = X::F::default();
        for (l, j) in j.iter().enumerate() {
            if !skips_self || k != l {
                X::pair(interaction, &space, &i[k], j, l as u32, &mut f);
            }
        }
        f
    };
    parallel::map(i.len(), X::LAW.stack(size_of::<f64>()), &result)
}
