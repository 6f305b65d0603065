//! Arrays of counts among results.

use nbody_core::{Field, FieldKind};

const COUNTS: &str = include_str!("../../kernels/counts.cuh");

/// Returns the text that programs with these results need besides the prelude.
pub(crate) fn text_of_counts(results: &[&[Field]]) -> &'static str {
    let is_array = |field: &Field| matches!(field.kind, FieldKind::Counts(_));
    if results.iter().copied().flatten().any(is_array) { COUNTS } else { "" }
}
