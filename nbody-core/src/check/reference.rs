//! The reference: a double loop in `f64`.
//!
//! Particles may come in either scalar. Given the particles rounded to `f32`, as a kernel in
//! single precision sees them, it tells the error of the kernel alone; given the particles
//! themselves, it tells the error with that rounding.

use crate::law::space::{Either, InDomain as _};
use crate::{Domain, Interaction, Record, Scalar, pack, parallel};

/// The results of all j-particles on each i-particle.
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

/// The results of one set of particles on itself, given as what feels and as what acts.
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
