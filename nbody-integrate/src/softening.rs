//! The softening of bodies at the same place.

use nbody::Precision;
use nbody::law::{Field, FieldKind};
use nbody::untyped::Engine;

use crate::Error;
use crate::motion::numbers;

/// Softens the forces between bodies at the same place, if the law has a softening length of zero.
pub(crate) fn soften(engine: &mut dyn Engine) -> Result<(), Error> {
    let (law, precision) = (engine.law(), engine.options().precision);
    if let Some(parameters) = softened(law.parameters, engine.parameters(), precision) {
        engine.set_parameters(&parameters)?;
    }
    Ok(())
}

/// Returns parameters with a tiny `eps2`, the squared softening length, if it is zero or underflows
/// in the precision; `None` if there is no such parameter, or if it is large enough. The tiny value
/// changes no force between bodies at different places. A massless body then has no effect even on
/// a body at the same place, where 0 · ∞ would be NaN.
fn softened(fields: &[Field], parameters: &[u64], precision: Precision) -> Option<Vec<u64>> {
    let at = numbers(fields, "eps2", FieldKind::Real)?;
    let mut row = parameters.to_vec();
    // Its inverse is finite in the precision of the pairs. The third power of the inverse length
    // is not, so that massive bodies at the same place remain an error.
    let least = match precision {
        Precision::Double => 1e-300,
        Precision::Single | Precision::Mixed => 1.2e-38,
    };
    let is_zero = (0.0..least).contains(&f64::from_bits(row[at]));
    row[at] = f64::to_bits(least);
    is_zero.then_some(row)
}

#[cfg(test)]
mod tests {
    use nbody::Interaction as _;
    use nbody_interactions::gravity::Gravity;

    use super::*;

    #[test]
    fn lengths_that_are_zero_in_the_precision_are_softened() {
        let [single, mixed, double] = [Precision::Single, Precision::Mixed, Precision::Double];
        for (eps2, precision, expected) in [
            (0.0, single, Some(1.2e-38)),
            (1e-50, single, Some(1.2e-38)),
            (1e-39, mixed, Some(1.2e-38)),
            (1e-37, single, None),
            (1e-50, double, None),
            (5e-324, double, Some(1e-300)),
            (-1.0, single, None),
        ] {
            let parameters = [f64::to_bits(eps2)];
            let found = softened(Gravity::LAW.parameters, &parameters, precision);
            let expected = expected.map(|eps2: f64| vec![eps2.to_bits()]);
            assert_eq!(found, expected, "{eps2:e}, {precision}");
        }
    }
}
