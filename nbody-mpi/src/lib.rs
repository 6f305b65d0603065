//! Several GPUs and several machines: a [`Device`](nbody::Device) over ranks.
//!
//! Ranks are processes that MPI connects ([`Mpi`]), or threads of one process ([`Threads`]), each
//! with a device of its own. Every rank runs the same program on the same particles. Engines of a
//! device over ranks share out the i-particles of each evaluation, and gather the results, so that
//! a simulation is written as for one GPU:
//!
//! ```
//! use nbody::prelude::*;
//! use nbody_mpi::{Ranks, threads};
//!
//! #[nbody::interaction]
//! pub mod gravity {
//!     pub struct Gravity { pub eps2: Real }
//!     pub struct Body { pub pos: Point, pub mass: Real }
//!     pub struct Field { pub acc: Vector }
//!     impl Interaction for Gravity {
//!         type I = Body;
//!         type J = Body;
//!         type F = Field;
//!         fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
//!             let d = j.pos - i.pos;
//!             let rinv = (d.norm2() + self.eps2).rsqrt();
//!             f.acc += j.mass * rinv * rinv * rinv * d;
//!         }
//!     }
//! }
//! use gravity::{Body, Gravity};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let bodies: Vec<Body> = (0..100)
//!     .map(|k| Body { pos: Point::new(f64::from(k), 0.5, 0.0), mass: 1.0 })
//!     .collect();
//! // Two ranks; with GPUs, `Device::cuda(rank)` in place of `Device::cpu()`.
//! let results = threads(2, |communicator| {
//!     let device = Ranks::new(communicator, &Device::cpu())?.device();
//!     let mut direct = AllPairs::new(&device, Gravity { eps2: 1e-4 })?;
//!     direct.evaluate_self(&bodies)
//! });
//! // Each rank has all results.
//! let [first, second] = &results[..] else { panic!("two ranks") };
//! assert_eq!(first.as_ref().unwrap(), second.as_ref().unwrap());
//! # Ok(())
//! # }
//! ```
//!
//! All pairs are summed in an order that follows from the numbers of particles, so that results do
//! not depend on the number of ranks, to the last bit. Every rank builds the same tree, and walks for
//! its share of the groups. Neighbour lists distribute the particles over regions of space, as trees do on
//! request ([`Ranks::distribute_trees`]); programs per particle run where the particles are.
//!
//! A module depends only on earlier modules of this list: `error`, `alone`, `thread`, `mpi`,
//! `agreement`, `shared` with `distributed`, `ranks`.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Doctests of the page of the guide.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/several-gpus.md")]
struct SeveralGpus;

mod agreement;
mod alone;
mod distributed;
mod error;
mod mpi;
mod ranks;
mod shared;
mod thread;

pub use alone::Alone;
pub use error::Error;
pub use mpi::{Family, Launcher, Mpi};
pub use nbody_core::untyped::{Communicator, OnHost};
pub use ranks::Ranks;
pub use thread::{Threads, threads};
