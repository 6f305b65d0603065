//! The softening of bodies at one place.

use nbody::{AllPairs, FieldKind, Interaction, Precision};
use nbody_core::pack;

use crate::motion::numbers;

/// Replaces a parameter `eps2` of zero, the squared softening length, by a number that changes no force between
/// bodies at different places. A body without mass then has no effect, also on one at its place, where
/// 0 · ∞ would be NaN.
pub(crate) fn soften<X: Interaction>(engine: &mut AllPairs<X>) {
    let Some(at) = numbers::<X>("eps2", FieldKind::Real) else { return };
    let mut row = pack::rows(&std::slice::from_ref(engine.interaction()));
    if f64::from_bits(row[at]) != 0.0 {
        return;
    }
    // Its inverse is finite in the precision of the pairs. The third power of the inverse length is not, so that
    // bodies with masses at one place remain an error.
    let least = match engine.options().precision {
        Precision::Double => 1e-300,
        Precision::Single | Precision::Mixed => 1.2e-38,
    };
    row[at] = f64::to_bits(least);
    engine.set_interaction(pack::record(&row));
}
