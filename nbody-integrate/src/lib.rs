//! Time integration on any device, for any declared interaction whose particles and results have
//! the fields that an integrator needs. The particles stay on the device.
//!
//! | integrator | steps | order | particles | results |
//! | --- | --- | --- | --- | --- |
//! | [`Leapfrog`] | shared, constant | 2 | `pos: Point` | `acc: Vector` or `force: Vector` |
//! | [`Hermite`] | shared, by accelerations | 4 | `pos`, `vel: Vector` | `acc`, `jerk: Vector` |
//! | [`BlockHermite`] | individual, in blocks | 4 | `pos`, `vel` | `acc`, `jerk` |
//!
//! Energies need `pot: Real` among the results: the whole potential of a particle, by all others, per
//! unit mass where the results are accelerations ([`energies`](Integrator::energies)).
//! A [`Motion`] is the position, the velocity and the mass of a particle.
//!
//! A planet about a star for a time of 100, in six lines:
//!
//! ```
//! # use nbody::prelude::*;
//! # use nbody_integrate::{Integrator, Leapfrog, Motion};
//! # use nbody_interactions::gravity::Gravity;
//! # fn main() -> Result<(), nbody_integrate::Error> {
//! let engine = AllPairs::new(&Device::best(), Gravity { eps2: 0.0 })?;
//! let star = Motion::new([0.0; 3], [0.0; 3], 1.0);
//! let planet = Motion::new([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], 1e-3);
//! let mut run = Leapfrog::new(engine, &[star, planet], 0.01)?;
//! run.advance_to(100.0)?; // takes the steps that end by then
//! let bodies = run.motions_at(100.0)?;
//! # let [star, planet] = bodies[..] else { panic!("two bodies") };
//! # let distance = (planet.pos - star.pos).norm();
//! # assert!((distance - 1.0).abs() < 0.01, "{distance}");
//! # Ok(())
//! # }
//! ```
//!
//! The gravity of two bodies alone, in two lines:
//!
//! ```
//! # use nbody::prelude::*;
//! # use nbody_interactions::gravity::{Body, Gravity};
//! # fn main() -> Result<(), nbody::Error> {
//! # let bodies: [Body; 2] =
//! #     [0.0, 1.0].map(|x| Body { pos: Point::new(x, 0.0, 0.0), mass: 1.0 - 0.999 * x });
//! let mut gravity = AllPairs::new(&Device::best(), Gravity { eps2: 0.0 })?;
//! let fields = gravity.evaluate_self(&bodies)?;
//! # assert!((fields[1].acc.x + 1.0).abs() < 1e-6 && (fields[0].pot + 1e-3).abs() < 1e-9);
//! # Ok(())
//! # }
//! ```
//!
//! Every integrator begins by `new(engine, &particles, step)`, where the step is a number or
//! [`HermiteOptions`]. [`Start`] in place of the particles sets the time at which a run begins,
//! and the motions of particles that have none. `resume(engine, &particles, &checkpoint, step)`
//! continues a run.
//!
//! Each integrator implements [`Integrator`], and takes any [`Engine`](nbody::Engine): all pairs,
//! a tree, neighbour lists. Block time steps take all pairs, and trees that are opened by an
//! angle.
//!
//! An integrator finds the fields of a law by name, so that it also takes laws that are text at run
//! time. `of(&device, engine, &particles, step)` begins a run with an engine of
//! [`untyped`](nbody::untyped), and `resume_of` continues it:
//!
//! ```no_run
//! # use nbody::law::read;
//! # use nbody::prelude::*;
//! # use nbody_integrate::{Integrator, Leapfrog, Motion};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let [star, planet] = [Motion::default(); 2];
//! let law = read("gravity.rs")?.only_law()?;
//! let device = Device::best();
//! let eps2 = [0.0_f64.to_bits()];
//! let engine = device.untyped().all_pairs(law, &eps2, Options::default())?;
//! let mut run = Leapfrog::of(&device, engine, &[star, planet], 0.01)?;
//! run.advance_to(100.0)?;
//! # Ok(())
//! # }
//! ```
//!
//! [`Start::rows`] takes particles without a Rust type, as other languages have them.
//!
//! The energy error of a run is (E − E₀) / |E₀|, with the total energies `energies()?.total()`: E now,
//! E₀ at the beginning.
#![forbid(unsafe_code)]

mod block;
mod clock;
mod constructors;
mod engine;
mod error;
mod forces;
mod hermite;
mod integrator;
mod leapfrog;
mod limits;
mod motion;
mod options;
mod prepare;
mod programs;
mod rows;
mod softening;
mod start;
mod steps;

pub use block::{BlockCheckpoint, BlockHermite};
pub use error::Error;
pub use hermite::{Hermite, HermiteCheckpoint};
pub use integrator::Integrator;
pub use leapfrog::{Leapfrog, LeapfrogCheckpoint};
pub use limits::StepLimits;
pub use motion::Motion;
pub use options::HermiteOptions;
pub use programs::block::BlockStar;
pub use programs::hermite::Star;
pub use programs::leapfrog::Energies;
pub use start::Start;
pub use steps::Steps;

/// Doctests of the page of the package.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
