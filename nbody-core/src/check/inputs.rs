//! Inputs of a check: a law, its parameters and particles.

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::Law;
use crate::pairs::sources::Sources;
use crate::records::numbers::{Wide, check_parameters};
use crate::records::pack;
use crate::records::rows::Rows;

/// A law, a row of its parameters, and particles.
#[derive(Clone, Copy)]
pub(super) struct Inputs<'a> {
    pub law: &'static Law,
    pub parameters: &'a [u64],
    pub domain: Domain,
    pub i: &'a dyn Rows,
    pub j: &'a dyn Rows,
    /// Whether i-particle k is j-particle k.
    pub one_set: bool,
}

impl<'a> Inputs<'a> {
    /// Returns these inputs; refuses records of another law, integers that need more than 32 bits, a
    /// box that changes nothing, and sets of different lengths that should be one.
    pub fn new(
        law: &'static Law,
        parameters: &'a [u64],
        domain: Domain,
        i: &'a dyn Rows,
        j: Sources<'a, dyn Rows + 'a>,
    ) -> Result<Self, Error> {
        law.check_domain(&domain)?;
        check_parameters(law.parameters, parameters)?;
        let inputs = Self { law, parameters, domain, i, j: j.particles(), one_set: j.is_one_set() };
        check_rows("i-particles", i, law.i)?;
        check_rows("j-particles", inputs.j, law.j)?;
        match j {
            Sources::First(j) => {
                Error::check_at_least("particles of one set", j.count(), i.count())?;
            }
            _ => j.check([i.count(), inputs.j.count(), i.count()])?,
        }
        Ok(inputs)
    }

    /// Returns whether a particle does not meet itself.
    pub fn skips_self(&self) -> bool {
        self.one_set && !self.law.self_pairs
    }
}

/// Refuses rows of another record, and integers that need more than 32 bits.
fn check_rows(
    what: &'static str,
    rows: &dyn Rows,
    expected: &'static [Field],
) -> Result<(), Error> {
    Error::check_record(what, rows.fields(), expected)?;
    let wide = Wide::new(what);
    pack::in_batches(rows, 0..rows.count(), &mut |first, rows| wide.look(expected, rows, first));
    wide.check()
}
