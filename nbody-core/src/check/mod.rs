//! Checks of an engine: the reference, running error bounds, and the comparison of results.

mod bounded;
pub mod case;
pub mod compare;
pub mod error_bounds;
pub mod reference;
pub mod sample;
