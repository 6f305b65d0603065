//! Properties of a GPU.

/// What the driver says of a GPU.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Properties {
    /// How many multiprocessors it has.
    pub multiprocessors: u32,
    /// The highest clock of the multiprocessors, in Hz.
    pub hertz: f64,
    /// Its architecture: 90 for compute capability 9.0.
    pub architecture: u32,
    /// The newest CUDA version that the driver knows: `13.0`.
    pub driver: String,
}
