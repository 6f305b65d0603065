//! The reference: a double loop in `f64`.
//!
//! Particles may come in either scalar. Given the particles rounded to `f32`, as a kernel in
//! single precision sees them, it tells the error of the kernel alone; given the particles
//! themselves, it tells the error with that rounding.

use rayon::prelude::*;

use crate::{Domain, Interaction, Open, Periodic, Record, Scalar, Space, pack};

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
    in_domain(interaction, domain, &pack::cast(i), &pack::cast(j), |_, _| true)
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
    let meets = |k, l| X::SELF_PAIRS || k != l;
    in_domain(interaction, domain, &pack::cast(i), &pack::cast(j), meets)
}

fn in_domain<X: Interaction>(
    interaction: &X,
    domain: Domain,
    i: &[X::I],
    j: &[X::J],
    meets: impl Fn(usize, usize) -> bool + Sync,
) -> Vec<X::F> {
    match domain {
        Domain::Open => double_loop(interaction, Open, i, j, meets),
        Domain::Periodic(_) => double_loop(interaction, Periodic::new(&domain), i, j, meets),
    }
}

fn double_loop<X: Interaction>(
    interaction: &X,
    space: impl Space<f64>,
    i: &[X::I],
    j: &[X::J],
    meets: impl Fn(usize, usize) -> bool + Sync,
) -> Vec<X::F> {
    i.par_iter()
        .enumerate()
        .map(|(k, i)| {
            let mut f = X::F::default();
            for (l, j) in j.iter().enumerate() {
                if meets(k, l) {
                    X::pair(interaction, &space, i, j, l as u32, &mut f);
                }
            }
            f
        })
        .collect()
}
