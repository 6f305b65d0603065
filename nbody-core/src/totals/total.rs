//! A total over pairs, as a value.

use crate::error::Error;
use crate::field::{Field, FieldKind};
use crate::records::pack;

/// The sum of the results of all i-particles: one row, in which a count has 64 bits.
#[derive(Clone, Debug, PartialEq)]
pub struct PairTotal {
    fields: &'static [Field],
    words: Vec<u64>,
}

impl PairTotal {
    /// Returns the total without any pair, with these fields of a result.
    pub fn nothing(fields: &'static [Field]) -> Self {
        Self { fields, words: pack::nothing(fields) }
    }

    /// Returns the fields.
    pub fn fields(&self) -> &'static [Field] {
        self.fields
    }

    /// Returns the numbers: the bits of an `f64`, or an integer of 64 bits.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the total as a row of a result, in which a count has 32 bits; an error if a count
    /// needs more.
    pub fn row(&self) -> Result<&[u64], Error> {
        let numbers = self
            .fields
            .iter()
            .flat_map(|field| std::iter::repeat_n(field, field.kind.components()));
        let is_wide = |field: &Field, word| field.kind.is_count() && word > u32::MAX.into();
        match numbers.zip(&self.words).find(|(field, word)| is_wide(field, **word)) {
            Some((field, &found)) => Err(Error::WideCount { field: *field, found }),
            None => Ok(&self.words),
        }
    }

    /// Returns the counts of the field of this name; an error if there is none.
    pub fn counts(&self, name: &str) -> Result<&[u64], Error> {
        let mut first = 0;
        for field in self.fields {
            let end = first + field.kind.components();
            if field.name == name && field.kind.is_count() {
                return Ok(&self.words[first..end]);
            }
            first = end;
        }
        Err(Error::NoField { name: name.to_owned(), found: self.fields })
    }

    /// Adds a later total, or the result of a further particle, with these numbers.
    ///
    /// # Panics
    ///
    /// If the numbers are fewer or more.
    pub fn add(&mut self, row: &[u64]) {
        assert_eq!(row.len(), self.words.len(), "numbers of a total");
        let (mut words, mut row) = (&mut self.words[..], row);
        for kind in self.fields.iter().map(|field| field.kind) {
            let (sums, later_sums) = words.split_at_mut(kind.components());
            let (terms, later_terms) = row.split_at(kind.components());
            add_field(kind, sums, terms);
            (words, row) = (later_sums, later_terms);
        }
    }
}

/// Adds a later result of one field. As kernels compare, extremes ignore NaN, and of two zeros the
/// first one stays; of equal values the lower index counts.
fn add_field(kind: FieldKind, sums: &mut [u64], terms: &[u64]) {
    let real = f64::from_bits;
    if kind.keeps_index() {
        return kind.merge(terms, sums);
    }
    for (sum, &term) in sums.iter_mut().zip(terms) {
        let replaces = match kind {
            FieldKind::Min => real(term) < real(*sum),
            FieldKind::Max => real(term) > real(*sum),
            kind if kind.is_count() => {
                // Each pair adds few: there would have to be more than 2⁵² pairs.
                *sum += term;
                false
            }
            _ => {
                *sum = (real(*sum) + real(term)).to_bits();
                false
            }
        };
        if replaces {
            *sum = term;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &[Field] = &[
        Field { name: "n", kind: FieldKind::Counts(2) },
        Field { name: "sum", kind: FieldKind::Vector(2) },
        Field { name: "least", kind: FieldKind::Min },
        Field { name: "most", kind: FieldKind::Max },
        Field { name: "first", kind: FieldKind::ArgMin },
        Field { name: "last", kind: FieldKind::ArgMax },
        Field { name: "near", kind: FieldKind::Nearest(2) },
    ];

    #[test]
    fn each_field_is_added_in_its_way() {
        let row = |n: [u64; 2], reals: [f64; 5], index| {
            let reals = reals.map(f64::to_bits);
            let greatest = [(-f64::from_bits(reals[4])).to_bits(), index];
            let near = [reals[4], 9_f64.to_bits(), index, 3];
            [&n[..], &reals, &[index], &greatest, &near].concat()
        };
        let mut total = PairTotal::nothing(FIELDS);
        total.add(&row([3, u32::MAX.into()], [1.0, 2.0, 5.0, -0.0, 4.0], 7));
        total.add(&row([1, 1], [0.5, -2.0, f64::NAN, 0.0, 4.0], 6));
        total.add(&row([0, 0], [0.0, 0.0, 6.0, f64::NAN, 4.5], 1));
        let expected = row([4, 1 << 32], [1.5, 0.0, 5.0, -0.0, 4.0], 6);
        let near = [4_f64.to_bits(), 4_f64.to_bits(), 6, 7];
        assert_eq!(total.words(), [&expected[..10], &near].concat());
        assert_eq!(total.counts("n"), Ok(&[4, 1 << 32][..]));
        assert!(total.counts("sum").is_err() && total.counts("m").is_err());
        assert_eq!(
            total.row().unwrap_err().to_string(),
            "a total of 4294967296 in `n: [Count; 2]`, which holds 32 bits; ask for its counts of 64 bits"
        );
    }
}
