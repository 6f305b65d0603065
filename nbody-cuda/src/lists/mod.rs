//! Neighbour lists and the evaluations over them.
//!
//! Two programs are assembled from the files `.cuh`. One rebuilds lists: the device looks by itself whether
//! lists must be built, and if not the launches that would do it end at once. The other evaluates the pairs
//! of lists.

mod bounds;
mod declared;
mod device_lists;
mod evaluation;
mod extent;
mod given;
#[cfg(test)]
mod interval;
pub mod neighbours;
mod reach;
mod rebuild;
mod sets;
pub mod short_range;
mod subset;

/// The text of the motion of particles.
const MOTION: &str = include_str!("motion.cuh");
