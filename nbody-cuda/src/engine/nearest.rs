//! Least values among results.

use nbody_core::{Field, FieldKind};

const NEAREST: &str = include_str!("../../kernels/nearest.cuh");

/// Returns the text that programs with these results need besides the prelude.
pub(crate) fn text_of_nearest(results: &[&[Field]]) -> &'static str {
    let is_nearest = |field: &Field| matches!(field.kind, FieldKind::Nearest(_));
    if results.iter().copied().flatten().any(is_nearest) { NEAREST } else { "" }
}
