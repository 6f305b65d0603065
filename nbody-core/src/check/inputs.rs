//! Inputs of a check: a law, its parameters and particles.

use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::interaction::Law;
use crate::pairs::images::{self, Images};
use crate::pairs::sources::Sources;
use crate::records::numbers::{Wide, along_axes};
use crate::records::pack;
use crate::records::parameters::check_parameters;
use crate::records::rows::{Once, OwnedRows, Rows};

/// A law, a row of its parameters, and particles, which were read once. In a box shorter than two
/// cutoffs the domain is the box of all copies.
pub(super) struct Inputs<'a> {
    pub law: &'static Law,
    pub parameters: &'a [u64],
    pub domain: Domain,
    pub i: OwnedRows,
    /// The j-particles, in each copy of the box.
    pub j: Vec<OwnedRows>,
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
        check_rows("j-particles", &inputs.j[0], law.j)?;
        let [ni, nj] = [inputs.i.count(), inputs.j[0].count()];
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
        let (i, j) = (read(i)?, read(j)?);
        let images = Images::of(law, parameters, &domain, &mut || {
            let bounds_of = |rows: &OwnedRows| images::bounds(rows.fields(), rows.words());
            Ok(bounds_of(&i).zip(bounds_of(&j)).map(|(i, j)| [i, j]))
        })?;
        let domain = images.as_ref().map_or(domain, Images::domain);
        let mut copies = vec![j];
        for displacement in images.iter().flat_map(|images| &images.displacements()[1..]) {
            copies.push(displaced(&copies[0], *displacement)?);
        }
        Ok(Self { law, parameters, domain, i, j: copies, one_set })
    }

    /// Returns whether a particle does not meet itself.
    pub fn skips_self(&self) -> bool {
        self.one_set && !self.law.self_pairs
    }
}

/// Returns particles displaced by this vector.
fn displaced(particles: &OwnedRows, displacement: [f64; 3]) -> Result<OwnedRows, Error> {
    let fields = particles.fields();
    let terms = along_axes(fields, displacement).cycle();
    // Other numbers keep their bits, integers among them.
    let moved = particles.words().iter().zip(terms).map(|(&word, term)| {
        if term == 0.0 { word } else { (f64::from_bits(word) + term).to_bits() }
    });
    OwnedRows::new(fields, moved.collect())
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
