//! All pairs, on every device.

mod adding;
mod bags;
mod boxes;
mod compilation;
mod cpu;
#[cfg(not(feature = "quick"))]
mod cutoffs;
mod few;
mod first_use;
#[cfg(not(feature = "quick"))]
mod functions;
mod gradients;
#[cfg(not(feature = "quick"))]
mod images;
mod inputs;
mod large;
mod line;
mod random;
#[cfg(not(feature = "quick"))]
mod reductions;
#[cfg(not(feature = "quick"))]
mod refusals;
mod repeated;
mod scales;
mod splines;
#[cfg(not(feature = "quick"))]
mod sums;
#[cfg(not(feature = "quick"))]
mod totals;
