//! Time integration on any device, for any declared interaction whose particles and results have the
//! fields that an integrator needs.
//!
//! Particles have a position, `pos: Point`, and a velocity, `vel: Vector`, if the interaction depends
//! on it. Results are accelerations, `acc: Vector`, or forces, `force: Vector`; energies need `pot: Real`,
//! per unit mass with the former.
#![forbid(unsafe_code)]

mod block;
mod clock;
mod error;
mod forces;
mod hermite;
mod leapfrog;
mod motion;
mod programs;

pub use block::{BlockCheckpoint, BlockHermite};
pub use error::Error;
pub use hermite::{Checkpoint, Hermite, HermiteOptions};
pub use leapfrog::Leapfrog;
pub use motion::Motion;
pub use programs::block::BlockStar;
pub use programs::hermite::Star;
pub use programs::leapfrog::Energies;
