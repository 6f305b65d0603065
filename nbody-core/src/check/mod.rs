//! Checks of an engine: the reference, running error bounds, and the comparison of results.

mod bounded;
pub mod compare;
pub mod error_bounds;
mod narrow;
pub mod range;
pub mod reference;
pub mod sample;
mod terms;
