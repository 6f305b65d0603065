//! Properties of a GPU.

/// Properties of a GPU, as the driver reports them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Properties {
    /// The number of multiprocessors.
    pub multiprocessors: u32,
    /// The highest clock rate of the multiprocessors, in Hz.
    pub hertz: f64,
    /// The architecture: 90 for compute capability 9.0.
    pub architecture: u32,
    /// The newest CUDA version that the driver supports: `13.0`.
    pub driver: String,
}
