//! Particles for the verification of an engine.

use nbody::check::untyped::Case;
use nbody::law::{FieldKind, Law};
use nbody::untyped::OwnedRows;
use nbody::{Domain, Error, Precision};
use nbody_models::{uniform_far_rows, uniform_rows};

/// Generates cases of random particles of these sizes: each size as one set, and each size as
/// i-particles with the size at the mirrored place of the list as j-particles. `parameters` is one
/// row. For mixed precision the particles are far from the origin. A periodic box is refused for a
/// law without points; numbers that cutoffs depend on are quartered in it, so that fewer images act.
pub fn cases(
    law: &'static Law,
    parameters: &[u64],
    domain: Domain,
    precision: Precision,
    sizes: &[usize],
) -> Result<Vec<Case>, Error> {
    let sample = Sample { law, domain, precision };
    let pairs = sizes.iter().zip(sizes.iter().rev());
    let two = pairs.map(|(&ni, &nj)| two_sets(law, parameters, domain, precision, [ni, nj]));
    let one = sizes.iter().map(|&n| {
        // Where both are one record, the i-particles serve as both.
        let i = sample.rows([true, law.i == law.j], n, 3)?;
        let j = (law.i != law.j).then(|| sample.rows([false, true], n, 4)).transpose()?;
        Case::one_set(law, parameters, domain, i, j)
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
    let sample = Sample { law, domain, precision };
    let [i, j] = [sample.rows([true, false], ni, 1)?, sample.rows([false, true], nj, 2)?];
    Case::two_sets(law, parameters, domain, i, j)
}

/// Random particles of a law.
#[derive(Clone, Copy)]
struct Sample {
    law: &'static Law,
    domain: Domain,
    precision: Precision,
}

impl Sample {
    /// Samples `n` particles that are i-particles, j-particles or both.
    fn rows(self, roles: [bool; 2], n: usize, seed: u64) -> Result<OwnedRows, Error> {
        let fields = if roles[0] { self.law.i } else { self.law.j };
        let is_mixed = self.precision == Precision::Mixed;
        let rows = if is_mixed { uniform_far_rows } else { uniform_rows }(fields, n, seed);
        if !self.domain.is_periodic() {
            return Ok(rows);
        }
        let is_read = |number: usize| {
            let mut each = roles.iter().zip(self.law.cutoff_reads);
            each.any(|(has_role, reads)| *has_role && reads.contains(&number))
        };
        let kinds = fields.iter().map(|field| field.kind);
        let kinds = kinds.flat_map(|kind| std::iter::repeat_n(kind, kind.components()));
        let factors = kinds.enumerate().map(|(number, kind)| match kind {
            FieldKind::U32 => None,
            _ => is_read(number).then_some(0.25),
        });
        let words = rows.words().iter().zip(factors.cycle()).map(|(&word, factor)| {
            factor.map_or(word, |factor| (factor * f64::from_bits(word)).to_bits())
        });
        OwnedRows::new(fields, words.collect())
    }
}
