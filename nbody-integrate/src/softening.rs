//! The softening of bodies at one place.

use nbody::{FieldKind, Interaction, Precision};
use nbody_core::pack;

use crate::motion::numbers;

/// Returns the interaction with a number that changes no force between bodies at different places, in place of
/// a parameter `eps2` of zero, the squared softening length; none where there is no such parameter. A body
/// without mass then has no effect, also on one at its place, where 0 · ∞ would be NaN.
pub(crate) fn softened<X: Interaction>(interaction: &X, precision: Precision) -> Option<X> {
    let at = numbers::<X>("eps2", FieldKind::Real)?;
    let mut row = pack::rows(&std::slice::from_ref(interaction));
    if f64::from_bits(row[at]) != 0.0 {
        return None;
    }
    // Its inverse is finite in the precision of the pairs. The third power of the inverse length is not, so that
    // bodies with masses at one place remain an error.
    let least = match precision {
        Precision::Double => 1e-300,
        Precision::Single | Precision::Mixed => 1.2e-38,
    };
    row[at] = f64::to_bits(least);
    Some(pack::record(&row))
}
