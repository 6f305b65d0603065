//! The reference: a double loop in `f64` with compensated sums. Its errors do not grow with the
//! number of particles.

use crate::check::inputs::Inputs;
use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::Law;
use crate::law::pair::{PackedSources, Pair};
use crate::pairs::sources::Sources;
use crate::parallel;
use crate::records::pack;
use crate::records::rows::{OwnedRows, Rows};

/// Computes the results of every i-particle, over all j-particles, as
/// [`reference`](crate::reference()) does, for a law without its types. `parameters` is one row.
/// With [`Sources::First`] the i-particles are the first j-particles.
pub fn reference(
    law: &'static Law,
    parameters: &[u64],
    domain: Domain,
    i: &dyn Rows,
    j: Sources<'_, dyn Rows + '_>,
) -> Result<OwnedRows, Error> {
    Inputs::new(law, parameters, domain, i, j)?.reference(None)
}

/// Computes the results of the i-particles with these indices, in the order of the indices. They
/// equal the results of [`reference()`] to the last bit.
pub fn reference_sample(
    law: &'static Law,
    parameters: &[u64],
    domain: Domain,
    i: &dyn Rows,
    j: Sources<'_, dyn Rows + '_>,
    targets: &[usize],
) -> Result<OwnedRows, Error> {
    Inputs::new(law, parameters, domain, i, j)?.reference(Some(targets))
}

impl Inputs<'_> {
    /// Sums all pairs of the i-particles with these indices, or of all i-particles, by compensated
    /// sums in `f64`.
    pub fn reference(&self, targets: Option<&[usize]>) -> Result<OwnedRows, Error> {
        let law = self.law;
        let pair = Pair::new(law, self.parameters, self.domain)?;
        let (dim, n) = (pack::dim(law.i), self.i.count());
        let beyond = targets.and_then(|all| all.iter().enumerate().find(|(_, k)| **k >= n));
        if let Some((at, &found)) = beyond {
            return Err(Error::NoParticle { what: "targets", at, found, n });
        }
        let sources = self.j.iter().map(|copy| PackedSources::pack(copy));
        let sources = sources.collect::<Result<Vec<_>, _>>()?;
        let result = |at: usize| {
            let k = targets.map_or(at, |targets| targets[at]);
            let target = self.i.words()[k * dim..][..dim].to_vec();
            let [mut total, lost] = pair.sum(target, &sources, self.skips_self().then_some(k));
            add_lost(law.f, &mut total, &lost);
            total
        };
        let count = targets.map_or(n, <[usize]>::len);
        let rows = parallel::map(count, law.stack(size_of::<f64>()), &result).concat();
        OwnedRows::new(law.f, rows)
    }
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
