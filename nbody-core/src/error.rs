//! What can go wrong without a GPU.

/// An evaluation or a comparison that was refused. Nothing was computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two things that belong together differ in length.
    #[error("{what}: found {found}, expected {expected}; give one for each particle")]
    LengthMismatch {
        /// What has the wrong length.
        what: &'static str,
        /// The length that it has.
        found: usize,
        /// The length that it must have.
        expected: usize,
    },
    /// A tiling that orders nothing.
    #[error("tiling of bags of {bag} in {splits} splits: both must be at least 1")]
    EmptyTiling {
        /// The bag that was asked for.
        bag: usize,
        /// The splits that were asked for.
        splits: usize,
    },
}
