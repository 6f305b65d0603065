//! The arithmetic of one pair.

/// The arithmetic of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// `f32`.
    #[default]
    Single,
    /// `f64`.
    Double,
    /// `f32` with double-single positions (48 bits,
    /// [`DoubleSingle`](crate::numeric::mixed::DoubleSingle)), whose differences are rounded to
    /// `f32` once or twice, wherever the particles are. In fast mathematics the CPU rounds only
    /// the particles so and computes in `f64`, with the range of `f64`. Devices and exact
    /// mathematics have the range of `f32` (see
    /// [`check_range`](crate::check_range)).
    Mixed,
}
