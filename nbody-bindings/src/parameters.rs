//! Parameters of laws and programs, and totals, as numbers.

use nbody::law::{Field, FieldKind};
use nbody_core::pack::check_parameters;

use crate::columns::width;
use crate::failure::Failure;

/// Returns parameters of these fields as words. Integers are given as doubles. Refuses NaN, so that no
/// object takes it.
// Only whole numbers of 32 bits are cast.
#[allow(clippy::cast_sign_loss)]
pub fn parameter_words(fields: &'static [Field], values: &[f64]) -> Result<Vec<u64>, Failure> {
    let expected = width(fields);
    if values.len() != expected {
        let fields: Vec<_> = fields.iter().map(ToString::to_string).collect();
        return Err(Failure::argument(format!(
            "{} parameters, expected {expected}: {}",
            values.len(),
            if fields.is_empty() { "none".to_owned() } else { fields.join(", ") }
        )));
    }
    let each = |field: &'static Field| std::iter::repeat_n(field, field.kind.components());
    let words = fields.iter().flat_map(each).zip(values).map(|(field, &value)| {
        if field.kind != FieldKind::U32 {
            return Ok(value.to_bits());
        }
        let is_index = value.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&value);
        is_index.then_some(value as u64).ok_or_else(|| {
            Failure::argument(format!(
                "parameter `{field}` of {value}: expected a whole number from 0 to {}",
                u32::MAX
            ))
        })
    });
    let words: Vec<_> = words.collect::<Result<_, _>>()?;
    check_parameters(fields, &words)?;
    Ok(words)
}

/// Returns a row of a measure as numbers.
pub fn reals(fields: &[Field], words: &[u64]) -> Vec<f64> {
    let kinds = fields.iter().flat_map(|field| {
        (0..field.kind.components()).map(|component| match field.kind {
            FieldKind::U32 => true,
            kind => kind.is_count() || kind.is_index(component),
        })
    });
    let each = |(is_integer, &word): (bool, &u64)| {
        if is_integer { word as f64 } else { f64::from_bits(word) }
    };
    kinds.zip(words).map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integer_parameters_are_whole() {
        const ONE: &[Field] = &[Field { name: "kind", kind: FieldKind::U32 }];
        assert_eq!(parameter_words(ONE, &[4_294_967_295.0]).unwrap(), [u32::MAX.into()]);
        for wrong in [-1.0, 0.5, 4_294_967_296.0, f64::NAN, f64::INFINITY] {
            assert!(parameter_words(ONE, &[wrong]).is_err(), "{wrong}");
        }
        assert!(parameter_words(ONE, &[]).is_err());
    }
}
