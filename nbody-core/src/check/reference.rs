//! The reference: a double loop in `f64` with compensated sums. Its errors do not grow with the
//! number of particles.
//!
//! Particles may be given in either scalar. With particles rounded to `f32`, as a kernel in single
//! precision reads them, a comparison shows the error of the kernel alone; with the unrounded
//! particles it includes the rounding of the input.

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::{Interaction, Law};
use crate::law::pair::{PackedSources, Pair};
use crate::numeric::scalar::Scalar;
use crate::parallel;
use crate::records::pack;
use crate::records::record::Record;
use crate::records::rows::Rows;

/// Computes the results of every i-particle, over all j-particles. A periodic box is refused for an
/// interaction without points.
pub fn reference<X, S>(
    interaction: &X,
    domain: Domain,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
) -> Result<Vec<X::F>, Error>
where
    X: Interaction,
    S: Scalar,
{
    double_loop(interaction, domain, &pack::cast(i), &pack::cast(j), None)
}

/// Computes the results of one set of particles, given as i-particles and as j-particles.
pub fn reference_self<X, S>(
    interaction: &X,
    domain: Domain,
    i: &[<X::I as Record>::With<S>],
    j: &[<X::J as Record>::With<S>],
) -> Result<Vec<X::F>, Error>
where
    X: Interaction,
    S: Scalar,
{
    double_loop(interaction, domain, &pack::cast(i), &pack::cast(j), Some(&|k| k))
}

/// Computes the results of the i-particles with these indices, over all j-particles, in the order
/// of the indices. They equal the results of [`reference()`] to the last bit.
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
    double_loop(interaction, domain, &pack::cast(&i), &pack::cast(j), None)
}

/// Computes the results of the particles with these indices, in the order of the indices, for one
/// set that is given as i-particles and as j-particles. They equal the results of
/// [`reference_self`] to the last bit.
///
/// For so many particles that the full double loop would take too long, compare the results of a
/// [`sample`](crate::check::sample::sample()).
/// [`FieldReport::worst`](crate::check::compare::FieldReport::worst) is then an index in the
/// sample.
///
/// ```
/// # use nbody_core::{Domain, Error, Interaction, compare, reference_self_sample, sample};
/// # fn check<X: Interaction>(
/// #     law: &X, i: &[X::I], j: &[X::J], results: &[X::F],
/// # ) -> Result<(), Error> {
/// let targets = sample(i.len(), 1000);
/// let truth = reference_self_sample::<X, f64>(law, Domain::Open, i, j, &targets)?;
/// // `results` has all particles.
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
    let own = |k: usize| targets[k];
    double_loop(interaction, domain, &pack::cast(&i), &pack::cast(j), Some(&own))
}

/// Returns the particles with these indices.
fn pick<P: Copy>(particles: &[P], targets: &[usize]) -> Result<Vec<P>, Error> {
    let n = particles.len();
    let pick = |(at, &found): (usize, &usize)| {
        particles.get(found).copied().ok_or(Error::NoParticle { what: "targets", at, found, n })
    };
    targets.iter().enumerate().map(pick).collect()
}

/// Sums all pairs of an interaction; `own` is the index of each i-particle in one set.
fn double_loop<X: Interaction>(
    interaction: &X,
    domain: Domain,
    i: &[X::I],
    j: &[X::J],
    own: Option<&(dyn Fn(usize) -> usize + Sync)>,
) -> Result<Vec<X::F>, Error> {
    X::LAW.check_domain(&domain)?;
    let parameters = pack::rows(&std::slice::from_ref(interaction));
    let rows = sum_pairs(X::LAW, &parameters, domain, [&i, &j], own);
    if rows.is_empty() {
        // Results without numbers.
        return Ok(vec![X::F::default(); i.len()]);
    }
    Ok(rows.chunks_exact(X::F::DIM).map(pack::record).collect())
}

/// Sums all pairs of a law by compensated sums in `f64`, and returns a row for each i-particle.
/// `parameters` is one row. In one set `own` is the index of each i-particle among the
/// j-particles.
fn sum_pairs(
    law: &'static Law,
    parameters: &[u64],
    domain: Domain,
    [i, j]: [&dyn Rows; 2],
    own: Option<&(dyn Fn(usize) -> usize + Sync)>,
) -> Vec<u64> {
    let pair = Pair::new(law, parameters, domain).expect("a type has compiled loops");
    let own = own.filter(|_| !law.self_pairs);
    let (dim, targets) = (pack::dim(law.i), pack::rows(i));
    let sources = PackedSources::pack(j);
    let result = |k: usize| {
        let target = targets[k * dim..(k + 1) * dim].to_vec();
        let [mut total, lost] = pair.sum(target, &sources, own.map(|own| own(k)));
        add_lost(law.f, &mut total, &lost);
        total
    };
    parallel::map(i.count(), law.stack(size_of::<f64>()), &result).concat()
}

/// Adds the rounding errors of sums to the sums. The error of an infinite sum is NaN and is left
/// out.
fn add_lost(fields: &[Field], total: &mut [u64], lost: &[u64]) {
    let is_sum = fields
        .iter()
        .flat_map(|field| std::iter::repeat_n(field.kind.is_sum(), field.kind.components()));
    for ((total, &lost), _) in total.iter_mut().zip(lost).zip(is_sum).filter(|(_, is_sum)| *is_sum)
    {
        let whole = f64::from_bits(*total) + f64::from_bits(lost);
        if !whole.is_nan() {
            *total = whole.to_bits();
        }
    }
}
