//! Checks with the types of an interaction.

use std::marker::PhantomData;

use crate::check::compare::{self, Report};
use crate::check::error_bounds;
use crate::check::inputs::Inputs;
use crate::check::range::Check;
use crate::domain::Domain;
use crate::error::Error;
use crate::law::interaction::Interaction;
use crate::numeric::scalar::Scalar;
use crate::options::Options;
use crate::records::pack;
use crate::records::record::Record;
use crate::records::rows::{OwnedRows, Rows};

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
    double_loop(interaction, domain, [&i, &j], false, None)
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
    double_loop(interaction, domain, [&i, &j], true, None)
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
    double_loop(interaction, domain, [&i, &j], false, Some(targets))
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
/// let found: Vec<X::F> = targets.iter().map(|&k| results[k].clone()).collect();
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
    double_loop(interaction, domain, [&i, &j], true, Some(targets))
}

/// Sums all pairs of an interaction: of the i-particles with the indices `targets`, or of all.
fn double_loop<X: Interaction>(
    interaction: &X,
    domain: Domain,
    [i, j]: [&dyn Rows; 2],
    one_set: bool,
    targets: Option<&[usize]>,
) -> Result<Vec<X::F>, Error> {
    let parameters = &pack::rows(&std::slice::from_ref(interaction));
    let inputs = Inputs::of(X::LAW, parameters, domain, [i, j], one_set)?;
    let rows = inputs.reference(targets)?;
    if rows.words().is_empty() {
        // Results without numbers.
        return Ok(vec![X::F::default(); targets.map_or(i.count(), <[usize]>::len)]);
    }
    Ok(records(&rows))
}

fn records<F: Record<Lane = f64>>(rows: &OwnedRows) -> Vec<F> {
    rows.words().chunks_exact(F::DIM.max(1)).map(pack::record).collect()
}

/// Error bounds of the results of every i-particle, for all precisions and accumulations.
#[derive(Clone, Debug)]
pub struct ErrorBounds<X: Interaction> {
    untyped: error_bounds::ErrorBounds,
    interaction: PhantomData<X>,
}

impl<X: Interaction> ErrorBounds<X> {
    /// Computes the bounds for all j-particles acting on every i-particle. A periodic box is refused
    /// for an interaction without points.
    pub fn new(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J]) -> Result<Self, Error> {
        Self::of(interaction, domain, [&i, &j], false)
    }

    /// Computes the bounds for one set of particles, given as i-particles and as j-particles.
    pub fn one_set(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J]) -> Result<Self, Error> {
        Self::of(interaction, domain, [&i, &j], true)
    }

    fn of(
        interaction: &X,
        domain: Domain,
        [i, j]: [&dyn Rows; 2],
        one_set: bool,
    ) -> Result<Self, Error> {
        let parameters = &pack::rows(&std::slice::from_ref(interaction));
        let inputs = Inputs::of(X::LAW, parameters, domain, [i, j], one_set)?;
        Ok(Self { untyped: error_bounds::ErrorBounds::of(&inputs)?, interaction: PhantomData })
    }

    /// Adds the error of an engine that takes positions relative to some point and rounds them
    /// again. `length` bounds the sum of the distances of any two positions from that point.
    /// Neighbour lists round positions relative to the centre of a group: the length is the length
    /// of a periodic box, or 8 reaches along open axes, plus the reach of the lists;
    /// [`Engine::rounded_length`](crate::untyped::Engine::rounded_length) tells it.
    #[must_use]
    pub fn with_position_error(self, length: f64) -> Self {
        Self { untyped: self.untyped.with_position_error(length), ..self }
    }

    /// Returns the largest permissible deviations from the reference, component by component.
    ///
    /// With u the unit roundoff of the pair's precision, the bound of a sum is u times the running
    /// error bounds of its terms, plus u (1 + 3√t) times their magnitudes, plus the terms that are
    /// less than u times the sum of the magnitudes. Here t is the number of terms that are summed
    /// in that precision one after another: all terms in [`Accumulation::Direct`], a bag and the
    /// number of bags in [`Accumulation::Blocked`], a bag in [`Accumulation::BlockedF64`].
    /// Rounding errors of sums grow with √t (Higham & Mary 2019, SIAM J. Sci. Comput. 41, A2815),
    /// but equal terms have equal errors: if a share e of all pairs of terms is equal, the factor is
    /// min(t, 3t√e) where this is more than 3√t. In double precision t is the number of all terms
    /// and the errors count twice.
    ///
    /// For [`Accumulation::Compensated`] the factor is u (1 + u b²/2), with b terms between two
    /// folds (one bag, or smaller bags of up to 1024 terms together: [`Options::bags_per_fold`]),
    /// and there is no exception: the rounding errors of b terms are at most u b times their sum,
    /// and so are the errors of adding these errors (Ogita, Rump & Oishi 2005, SIAM J. Sci.
    /// Comput. 26, 1955).
    ///
    /// A pair whose distance is within its error of the cutoff may count or not: its whole term,
    /// evaluated within the cutoff, is added to the bound. Other counts are exact.
    ///
    /// [`Accumulation::Direct`]: crate::Accumulation::Direct
    /// [`Accumulation::Blocked`]: crate::Accumulation::Blocked
    /// [`Accumulation::BlockedF64`]: crate::Accumulation::BlockedF64
    /// [`Accumulation::Compensated`]: crate::Accumulation::Compensated
    pub fn bounds(&self, options: &Options) -> Vec<X::F> {
        records(&self.untyped.bounds(options))
    }
}

/// Compares results with a reference of the same length.
///
/// The error of a particle is the Euclidean norm over a field's components, divided by the norm of
/// the reference. Where the reference is zero, a result of zero has no error, and the error of any
/// other result is relative to the largest reference of the field. With bounds
/// ([`ErrorBounds::bounds`]), the report says
/// whether every error is within its bound.
pub fn compare<F, S>(
    results: &[F::With<S>],
    reference: &[F],
    bounds: Option<&[F]>,
) -> Result<Report, Error>
where
    F: Record<Lane = f64>,
    S: Scalar,
{
    let bounds = bounds.as_ref().map(|bounds| bounds as &dyn Rows);
    compare::compare_rows(F::FIELDS, &results, &reference, bounds)
}

/// Checks that the numbers of an evaluation stay in the range of the precision, for every
/// j-particle acting on the i-particles. The error names the first field and particle with a
/// number out of range.
///
/// Every parameter and every number of the particles that is finite in `f64` must be finite in the
/// precision. Then the pairs of some i-particles (all i-particles if they have up to a million
/// pairs, else a [`sample`](crate::check::sample::sample()) of at least four) are evaluated twice
/// on the host, in `f64` and in `f64` with the range of `f32`: 10⁻³⁸ to 3·10³⁸, intermediate
/// results included. This range may cost no result more than 10⁻⁵ of the summed magnitudes of its
/// terms. The check thus tells whether the units suit single precision, for all pairs and for
/// neighbour lists (the options must have the domain of the lists). It takes a fraction of a
/// second for a million particles. Engines never call it. Trees have [`check_range_tree`].
///
/// [`Precision::Mixed`] has the range of `f32`, too, although the CPU in fast mathematics computes
/// in `f64`. For [`Precision::Double`] there is nothing to check: the reference has no wider
/// range.
///
/// ```
/// # use nbody_core::{Error, Interaction, Options, Precision, check_range};
/// # fn check<X: Interaction>(law: &X, i: &[X::I], j: &[X::J]) -> Result<(), Error> {
/// let options = Options::default();
/// let options = match check_range(law, &options, i, j) {
///     Err(Error::BeyondRange { .. }) => options.precision(Precision::Double),
///     checked => checked.map(|()| options)?,
/// };
/// # Ok(())
/// # }
/// ```
///
/// [`Precision::Mixed`]: crate::Precision::Mixed
/// [`Precision::Double`]: crate::Precision::Double
pub fn check_range<X: Interaction>(
    interaction: &X,
    options: &Options,
    i: &[X::I],
    j: &[X::J],
) -> Result<(), Error> {
    in_range(interaction, options, [&i, &j], false, false)
}

/// Checks the same for one set of particles, given as i-particles and as j-particles.
pub fn check_range_self<X: Interaction>(
    interaction: &X,
    options: &Options,
    i: &[X::I],
    j: &[X::J],
) -> Result<(), Error> {
    Error::check_length("j-particles of one set", j.len(), i.len())?;
    in_range(interaction, options, [&i, &j], true, false)
}

/// Checks the same for a tree, whose cells act by the sums of their charges.
///
/// For each charge, four times the sum of its magnitudes over all j-particles must be in the
/// range, and likewise for the terms of each result: no cell exceeds these. The check may
/// therefore refuse numbers close to the end of the range that a tree could hold.
///
/// # Errors
///
/// The errors of [`check_range`], and [`Error::NoTree`] for an interaction without charges.
pub fn check_range_tree<X: Interaction>(
    interaction: &X,
    options: &Options,
    i: &[X::I],
    j: &[X::J],
) -> Result<(), Error> {
    in_range(interaction, options, [&i, &j], false, true)
}

/// Checks the same for a tree of one set of particles, given as i-particles and as j-particles.
///
/// # Errors
///
/// The errors of [`check_range_self`], and [`Error::NoTree`] for an interaction without charges.
pub fn check_range_tree_self<X: Interaction>(
    interaction: &X,
    options: &Options,
    i: &[X::I],
    j: &[X::J],
) -> Result<(), Error> {
    Error::check_length("j-particles of one set", j.len(), i.len())?;
    in_range(interaction, options, [&i, &j], true, true)
}

fn in_range<X: Interaction>(
    interaction: &X,
    options: &Options,
    [i, j]: [&dyn Rows; 2],
    one_set: bool,
    is_tree: bool,
) -> Result<(), Error> {
    let parameters = &pack::rows(&std::slice::from_ref(interaction));
    let inputs = Inputs::of(X::LAW, parameters, options.domain, [i, j], one_set)?;
    Check { inputs, options, is_tree }.run()
}
