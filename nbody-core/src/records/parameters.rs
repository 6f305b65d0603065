//! The parameters of a law or a program: one row.

use crate::error::Error;
use crate::field::Field;
use crate::records::numbers::{Number, Wide, numbers};
use crate::records::record::dim;
use crate::records::rows::{OwnedRows, Rows as _};

/// The parameters of a law or a program on any device.
///
/// NaN is refused when parameters are created or set, and then by every evaluation until others are
/// set: each comparison with NaN is false, so that a law would silently take the wrong branch.
#[derive(Clone, Debug)]
pub struct Parameters(OwnedRows);

impl Parameters {
    /// Creates parameters. Refuses a row of another length, integers that need more than 32 bits,
    /// and NaN.
    pub fn new(fields: &'static [Field], row: &[u64]) -> Result<Self, Error> {
        check_parameters(fields, row)?;
        Ok(Self(OwnedRows::new(fields, row.to_vec())?))
    }

    /// Sets all numbers. Refuses what `new` refuses. After NaN they are set, and `check` refuses
    /// them; after other errors the numbers stay.
    pub fn set(&mut self, row: &[u64]) -> Result<(), Error> {
        let fields = self.0.fields();
        check_row(fields, row)?;
        self.0 = OwnedRows::new(fields, row.to_vec())?;
        self.check()
    }

    /// Refuses NaN.
    pub fn check(&self) -> Result<(), Error> {
        check_numbers(self.0.fields(), self.0.words())
    }

    /// Returns the fields.
    pub fn fields(&self) -> &'static [Field] {
        self.0.fields()
    }

    /// Returns the parameters as the only record.
    pub fn record(&self) -> &OwnedRows {
        &self.0
    }

    /// Returns the row.
    pub fn row(&self) -> &[u64] {
        self.0.words()
    }
}

/// Refuses a row of parameters of another length, integers that need more than 32 bits, and NaN.
pub fn check_parameters(fields: &[Field], row: &[u64]) -> Result<(), Error> {
    check_row(fields, row)?;
    check_numbers(fields, row)
}

fn check_row(fields: &[Field], row: &[u64]) -> Result<(), Error> {
    Error::check_length("numbers of a record", row.len(), dim(fields))?;
    let wide = Wide::new("parameters");
    wide.look(fields, row, 0);
    wide.check()
}

fn check_numbers(fields: &[Field], row: &[u64]) -> Result<(), Error> {
    let places = fields.iter().flat_map(|it| (0..it.kind.components()).map(move |k| (*it, k)));
    let is_nan =
        |(number, word): (Number, &u64)| number != Number::Index && f64::from_bits(*word).is_nan();
    let found = places.zip(numbers(fields).zip(row)).find(|(_, it)| is_nan(*it));
    found.map_or(Ok(()), |((field, component), _)| Err(Error::NanParameter { field, component }))
}

#[cfg(test)]
mod tests {
    use crate::field::FieldKind;

    use super::*;

    const FIELDS: &[Field] = &[
        Field { name: "kind", kind: FieldKind::U32 },
        Field { name: "eps2", kind: FieldKind::Real },
        Field { name: "at", kind: FieldKind::Point(3) },
        Field { name: "axis", kind: FieldKind::Vector(2) },
        Field { name: "table", kind: FieldKind::Array(4) },
    ];

    fn row() -> Vec<u64> {
        let mut row: Vec<_> = (0..11).map(|k| f64::from(k).to_bits()).collect();
        row[0] = 7;
        row
    }

    #[test]
    fn nan_is_named_by_its_place() {
        let name = |k: usize, bits: u64| {
            let mut row = row();
            row[k] = bits;
            match Parameters::new(FIELDS, &row) {
                Err(error) => error.to_string(),
                Ok(_) => "taken".to_owned(),
            }
        };
        for (k, place) in [
            (1, "`eps2` is NaN;"),
            (2, "`at.x` is NaN;"),
            (4, "`at.z` is NaN;"),
            (6, "`axis.y` is NaN;"),
            (7, "`table[0]` is NaN (a table is counted row by row, from 0);"),
            (10, "`table[3]` is NaN (a table is counted row by row, from 0);"),
        ] {
            // A quiet NaN, and one with a sign and a payload.
            for bits in [f64::NAN.to_bits(), 0xfff0_0000_0000_0001] {
                let message = name(k, bits);
                assert_eq!(
                    message,
                    format!("parameter {place} give a finite or an infinite number")
                );
            }
            for number in [f64::INFINITY, f64::NEG_INFINITY, -0.0] {
                assert_eq!(name(k, number.to_bits()), "taken");
            }
        }
        // The bits of an integer are not a float.
        assert!(name(0, f64::NAN.to_bits()).contains("give integers of 32 bits"));
        assert_eq!(name(0, u32::MAX.into()), "taken");
    }

    #[test]
    fn nan_stays_until_other_numbers_are_set() {
        let mut parameters = Parameters::new(FIELDS, &row()).unwrap();
        parameters.set(&row()[1..]).unwrap_err();
        assert_eq!(parameters.row(), row());
        let mut bad = row();
        bad[1] = f64::NAN.to_bits();
        let error = parameters.set(&bad).unwrap_err();
        assert_eq!((parameters.check(), parameters.row()), (Err(error), &bad[..]));
        parameters.set(&row()).unwrap();
        assert_eq!(parameters.check(), Ok(()));
    }
}
