//! Plots of measurements and pictures of particles, in one style.
//!
//! ```
//! use nbody_plots::{Axis, Curve, Figure};
//!
//! let points = (1..=100).map(|k| (f64::from(k) / 10.0, 1e-9 * f64::from(k * k))).collect();
//! let text = Figure::new(
//!     "Error of the energy",
//!     Axis::linear("time (N-body units)"),
//!     Axis::logarithmic("relative error"),
//! )
//! .caption("1000 particles")
//! .curve(Curve::line("this run", points))
//! .svg()?;
//! assert!(text.starts_with("<svg"));
//! # Ok::<(), nbody_plots::Error>(())
//! ```
#![forbid(unsafe_code)]

mod axis;
mod curve;
pub mod density;
mod figure;
mod names;
mod numbers;
mod overlap;
mod rows;
mod sheet;

pub use axis::Axis;
pub use curve::Curve;
pub use figure::Figure;
pub use numbers::{ascii, plain, prefixed};
pub use rows::{Row, Rows, Wall};
pub use sheet::Error;
