//! Time integration on any device, for any declared interaction whose particles and results have
//! the fields that an integrator needs. The particles stay on the device.
//!
//! | integrator | steps | order | particles | results |
//! | --- | --- | --- | --- | --- |
//! | [`Leapfrog`] | shared, constant | 2 | `pos: Point` | `acc: Vector` or `force: Vector` |
//! | [`Hermite`] | shared, by accelerations | 4 | `pos`, `vel: Vector` | `acc`, `jerk: Vector` |
//! | [`BlockHermite`] | individual, in blocks | 4 | `pos`, `vel` | `acc`, `jerk` |
//!
//! Energies need `pot: Real` among the results, per unit mass if the results are accelerations. A
//! [`Motion`] is the position, the velocity and the mass of a particle; if the particles of an
//! interaction lack these fields, motions are given separately.
//!
//! Each integrator implements [`Integrator`], and takes any [`Engine`](nbody::Engine): all pairs,
//! a tree, neighbour lists. Block time steps take all pairs, and trees that are opened by an
//! angle.
//!
//! The energy error of a run is the change of `energies()?.total()`.
#![forbid(unsafe_code)]

mod block;
mod clock;
mod error;
mod forces;
mod hermite;
mod integrator;
mod leapfrog;
mod limits;
mod motion;
mod programs;
mod softening;
mod steps;

pub use block::{BlockCheckpoint, BlockHermite};
pub use error::Error;
pub use hermite::{Hermite, HermiteCheckpoint, HermiteOptions};
pub use integrator::Integrator;
pub use leapfrog::{Leapfrog, LeapfrogCheckpoint};
pub use limits::StepLimits;
pub use motion::Motion;
pub use programs::block::BlockStar;
pub use programs::hermite::Star;
pub use programs::leapfrog::Energies;
pub use steps::Steps;

/// Doctests of the page of the package.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
