//! Input that neighbour lists refuse with typed errors.

#[cfg(not(feature = "quick"))]
mod cutoffs;
mod devices;
#[cfg(not(feature = "quick"))]
mod given;
#[cfg(not(feature = "quick"))]
mod later;
mod messages;

use nbody_tests::contacts::contact::Uniform;

const UNIFORM: Uniform = Uniform { cutoff: 0.25 };
