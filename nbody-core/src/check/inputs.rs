//! Inputs of a check: a law, its parameters and particles.

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::Law;
use crate::pairs::sources::Sources;
use crate::records::numbers::Wide;
use crate::records::pack;
use crate::records::parameters::check_parameters;
use crate::records::rows::{Once, OwnedRows, Rows};

/// A law, a row of its parameters, and particles, which were read once.
pub(super) struct Inputs<'a> {
    pub law: &'static Law,
    pub parameters: &'a [u64],
    pub domain: Domain,
    pub i: OwnedRows,
    pub j: OwnedRows,
    /// Whether i-particle k is j-particle k.
    pub one_set: bool,
}

impl<'a> Inputs<'a> {
    /// Reads these inputs; refuses records of another law, integers that need more than 32 bits,
    /// parameters that are NaN, a box that changes nothing, and sets of different lengths that should
    /// be one.
    pub fn new(
        law: &'static Law,
        parameters: &'a [u64],
        domain: Domain,
        i: &dyn Rows,
        j: Sources<'_, dyn Rows + '_>,
    ) -> Result<Self, Error> {
        let inputs = Self::of(law, parameters, domain, [i, j.particles()], j.is_one_set())?;
        check_rows("i-particles", &inputs.i, law.i)?;
        check_rows("j-particles", &inputs.j, law.j)?;
        let [ni, nj] = [inputs.i.count(), inputs.j.count()];
        match j {
            Sources::First(_) => Error::check_at_least("particles of one set", nj, ni),
            _ => j.check([ni, nj, ni]),
        }
        .map(|()| inputs)
    }

    /// Reads inputs with the types of the law; refuses parameters that are NaN, and a box that changes
    /// nothing.
    pub fn of(
        law: &'static Law,
        parameters: &'a [u64],
        domain: Domain,
        [i, j]: [&dyn Rows; 2],
        one_set: bool,
    ) -> Result<Self, Error> {
        check_parameters(law.parameters, parameters)?;
        law.check_domain(&domain)?;
        Ok(Self { law, parameters, domain, i: read(i)?, j: read(j)?, one_set })
    }

    /// Returns whether a particle does not meet itself.
    pub fn skips_self(&self) -> bool {
        self.one_set && !self.law.self_pairs
    }
}

fn read(rows: &dyn Rows) -> Result<OwnedRows, Error> {
    let rows = &Once::of(rows);
    OwnedRows::new(rows.fields(), pack::rows(rows))
}

/// Refuses rows of another record, and integers that need more than 32 bits.
fn check_rows(
    what: &'static str,
    rows: &OwnedRows,
    expected: &'static [Field],
) -> Result<(), Error> {
    Error::check_record(what, rows.fields(), expected)?;
    let wide = Wide::new(what);
    wide.look(expected, rows.words(), 0);
    wide.check()
}
