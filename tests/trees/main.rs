//! Trees, on every device.

#[cfg(not(feature = "quick"))]
mod all_pairs;
#[cfg(not(feature = "quick"))]
mod bodies;
#[cfg(not(feature = "quick"))]
mod charges;
#[cfg(not(feature = "quick"))]
mod devices;
#[cfg(not(feature = "quick"))]
mod errors;
#[cfg(not(feature = "quick"))]
mod inputs;
#[cfg(not(feature = "quick"))]
mod refusals;
mod scales;
#[cfg(not(feature = "quick"))]
mod sums;
#[cfg(not(feature = "quick"))]
mod walks;
mod ways;
