//! The reference: a double loop in `f64`, with compensated sums, whose errors do not grow with the number
//! of particles.
//!
//! Particles may be given in either scalar. With particles rounded to `f32`, as a kernel in single
//! precision reads them, the comparison shows the error of the kernel alone; with the particles
//! themselves it includes the error of that rounding.

use crate::law::space::{Either, InDomain as _};
use crate::{Domain, Error, Interaction, Output, Record, Scalar, pack, parallel};

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
    double_loop(interaction, domain, &pack::cast(i), &pack::cast(j), &|_| None)
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
    double_loop(interaction, domain, &pack::cast(i), &pack::cast(j), &itself::<X>)
}

/// Computes the results of the i-particles with these indices, over all j-particles: those of
/// [`reference()`], to the last bit, in the order of the indices.
pub fn reference_sample<X, S>(
    interaction: &X,
    domain: Domain,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
    targets: &[usize],
) -> Result<Vec<X::F>, Error>
where
    X: Interaction,
    S: Scalar,
{
    let i = pick(i, targets)?;
    Ok(double_loop(interaction, domain, &pack::cast(&i), &pack::cast(j), &|_| None))
}

/// Computes the results of the particles with these indices, of one set of particles that is given as
/// i-particles and as j-particles: those of [`reference_self`], to the last bit, in the order of the
/// indices.
///
/// For many particles, where the double loop over all of them would take too long, the results of a
/// [`sample`](crate::sample()) are compared. [`FieldReport::worst`](crate::FieldReport::worst) is then an
/// index in the sample.
///
/// ```
/// # use nbody_core::{Domain, Error, Interaction, compare, reference_self_sample, sample};
/// # fn check<X: Interaction>(
/// #     law: &X, i: &[X::I], j: &[X::J], results: &[X::F],
/// # ) -> Result<(), Error> {
/// let targets = sample(i.len(), 1000);
/// let truth = reference_self_sample::<X, f64>(law, Domain::Open, i, j, &targets)?;
/// // `results` are those of all particles.
/// let found: Vec<X::F> = targets.iter().map(|&k| results[k]).collect();
/// let report = compare::<X::F, f64>(&found, &truth, None)?;
/// assert!(report.fields.iter().all(|field| field.p99 < 1e-3), "{report}");
/// # Ok(())
/// # }
/// ```
pub fn reference_self_sample<X, S>(
    interaction: &X,
    domain: Domain,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
    targets: &[usize],
) -> Result<Vec<X::F>, Error>
where
    X: Interaction,
    S: Scalar,
{
    let i = pick(i, targets)?;
    let itself = |k: usize| itself::<X>(targets[k]);
    Ok(double_loop(interaction, domain, &pack::cast(&i), &pack::cast(j), &itself))
}

/// Returns the particles with these indices.
fn pick<P: Copy>(particles: &[P], targets: &[usize]) -> Result<Vec<P>, Error> {
    let n = particles.len();
    let pick = |(at, &found): (usize, &usize)| {
        particles.get(found).copied().ok_or(Error::NoParticle { what: "targets", at, found, n })
    };
    targets.iter().enumerate().map(pick).collect()
}

/// Returns the j-particle that does not act on this i-particle of one set: itself, unless the
/// interaction has self pairs.
fn itself<X: Interaction>(index: usize) -> Option<usize> {
    (!X::LAW.self_pairs).then_some(index)
}

/// Adds up the pairs of every i-particle; a function names the j-particle that is left out.
fn double_loop<X: Interaction>(
    interaction: &X,
    domain: Domain,
    i: &[X::I],
    j: &[X::J],
    left_out: &(dyn Fn(usize) -> Option<usize> + Sync),
) -> Vec<X::F> {
    let space = Either::<f64>::in_domain(&domain);
    let result = |k: usize| {
        let [mut total, mut lost] = [X::F::default(); 2];
        let left_out = left_out(k);
        for (l, j) in j.iter().enumerate() {
            if left_out != Some(l) {
                let mut term = X::F::default();
                X::pair(interaction, &space, &i[k], j, l as u32, &mut term);
                X::F::compensate::<f64, Either<f64>>(&term, &mut total, &mut lost);
            }
        }
        with_lost(&total, &lost)
    };
    parallel::map(i.len(), X::LAW.stack(size_of::<f64>()), &result)
}

/// Adds the rounding errors of sums to these. That of an infinite sum is NaN, and is left out.
fn with_lost<F: Record<Lane = f64, Host = F>>(total: &F, lost: &F) -> F {
    let [mut total, lost] = [total, lost].map(|f| pack::rows(&std::slice::from_ref(f)));
    let is_sum = F::FIELDS
        .iter()
        .flat_map(|field| std::iter::repeat_n(field.kind.is_sum(), field.kind.components()));
    for ((total, lost), _) in total.iter_mut().zip(lost).zip(is_sum).filter(|(_, is_sum)| *is_sum) {
        let whole = f64::from_bits(*total) + f64::from_bits(lost);
        if !whole.is_nan() {
            *total = whole.to_bits();
        }
    }
    pack::record(&total)
}
