//! Rows with fields that are found by name in other rows.

use std::ops::Range;

use nbody::law::Field;
use nbody::untyped::Rows;
use nbody_core::pack::{self, Binding, Once};

use crate::Error;

/// The particles of a law, with the fields of other rows by name and kind.
#[derive(Clone)]
pub(crate) struct NamedRows<'a> {
    rows: Once<'a>,
    fields: &'static [Field],
    binding: Binding,
}

impl<'a> NamedRows<'a> {
    /// Finds these fields of a law in the rows.
    pub fn new(
        law: &'static str,
        fields: &'static [Field],
        rows: &'a dyn Rows,
    ) -> Result<Self, Error> {
        let rows = Once::of(rows);
        let binding = Binding::new(law, fields, rows.fields())?;
        Ok(Self { rows, fields, binding })
    }
}

impl Rows for NamedRows<'_> {
    fn count(&self) -> usize {
        self.rows.count()
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }

    fn write(&self, records: Range<usize>, to: &mut [u64]) {
        if self.binding.is_whole() {
            return self.rows.write(records, to);
        }
        let [given, width] = [self.rows.fields(), self.fields].map(pack::dim);
        if width == 0 {
            return;
        }
        let mut rows = vec![0; records.len() * given];
        self.rows.write(records, &mut rows);
        for (row, to) in rows.chunks_exact(given).zip(to.chunks_exact_mut(width)) {
            for (number, place) in to.iter_mut().zip(self.binding.places()) {
                *number = row[place.component()];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nbody::law::FieldKind;
    use nbody::untyped::OwnedRows;

    use super::*;

    const fn field(name: &'static str, kind: FieldKind) -> Field {
        Field { name, kind }
    }

    const ID: Field = field("id", FieldKind::U32);
    const MASS: Field = field("mass", FieldKind::Real);
    const POS: Field = field("pos", FieldKind::Point(3));

    const WRONG: &[Field] = &[field("mass", FieldKind::U32)];

    #[test]
    fn fields_are_found_by_name() {
        let rows = OwnedRows::new(&[MASS, POS, ID], (0..20).collect()).unwrap();
        let written = |fields, records: Range<usize>| {
            let named = NamedRows::new("law", fields, &rows).unwrap();
            assert_eq!((named.count(), named.fields()), (4, fields));
            let mut to = vec![99; records.len() * pack::dim(fields)];
            named.write(records, &mut to);
            to
        };
        assert_eq!(written(&[POS, MASS], 2..4), [11, 12, 13, 10, 16, 17, 18, 15]);
        assert_eq!(written(&[ID], 0..4), [4, 9, 14, 19]);
        assert_eq!(written(&[MASS, POS, ID], 1..3), (5..15).collect::<Vec<_>>());
        assert_eq!(written(&[], 0..4), []);
        assert!(NamedRows::new("law", WRONG, &rows).is_err());
    }
}
