//! Write a pairwise interaction once, as a few lines of Rust; run it on the GPU and the CPU,
//! checked against an `f64` reference.
//!
//! ```
//! use nbody::prelude::*;
//!
//! #[nbody::interaction]
//! pub mod gravity {
//!     /// Newtonian gravity with Plummer softening; G = 1.
//!     pub struct Gravity {
//!         /// Squared softening length.
//!         pub eps2: Real,
//!     }
//!     pub struct Body { pub pos: Point, pub mass: Real }
//!     pub struct Field { pub acc: Vector, pub pot: Real }
//!
//!     impl Interaction for Gravity {
//!         type I = Body; // what feels
//!         type J = Body; // what acts
//!         type F = Field; // what is accumulated, one per i
//!
//!         fn pair(&self, i: &Body, j: &Body, f: &mut Field) {
//!             let d = j.pos - i.pos;
//!             let rinv = (d.norm2() + self.eps2).rsqrt();
//!             let mr = j.mass * rinv;
//!             f.acc += mr * rinv * rinv * d;
//!             f.pot -= mr;
//!         }
//!     }
//! }
//! use gravity::{Body, Gravity};
//!
//! # fn main() -> Result<(), nbody::Error> {
//! let bodies: [Body; 2] = [
//!     Body { pos: Point::new(0.0, 0.0, 0.0), mass: 1.0 },
//!     Body { pos: Point::new(2.0, 0.0, 0.0), mass: 3.0 },
//! ];
//! let device = Device::best(); // a GPU if one answers, else the CPU
//! let mut direct = AllPairs::new(&device, Gravity { eps2: 0.0 })?;
//! let fields = direct.evaluate_self(&bodies)?; // a `Vec` with a `Field` for each body
//! assert!((fields[0].acc.x - 0.75).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```
//!
//! This package only re-exports: [`interaction`] is the macro, [`Device`] says where to compute
//! and [`Options`] how, [`AllPairs`] evaluates, and [`reference()`], [`compare()`] and [`Case`]
//! check. The package `nbody-models` has particles to try it on.
#![forbid(unsafe_code)]

pub use nbody_core::{
    __private, Accumulation, ArgMin, Case, CpuAllPairs, Domain, Engine, ErrorBounds, Field,
    FieldKind, FieldReport, Interaction, Lane, Law, Lengths, Math, Mixed, Open, Operations,
    Options, Output, Pairs, Periodic, Point, Precision, Reader, Record, Report, Scalar, SimdLevel,
    Sources, Space, Split, Store, SummationOrder, ThirdLaw, Vector, Writer, compare, peak,
    reference, reference_self,
};
#[cfg(feature = "sass")]
pub use nbody_cuda::sass;
pub use nbody_cuda::{
    AllPairs, Build, Cache, CacheContents, CudaAllPairs, Device, Error, Image, KernelConfig,
    Origin, Particles, Program, Properties, Results, Schedule, Tuned, Usage, nvrtc,
};
pub use nbody_macros::interaction;

/// What most programs need.
pub mod prelude {
    pub use nbody_core::{
        Accumulation, Domain, Engine as _, Interaction as _, Math, Options, Pairs, Point,
        Precision, Sources, SummationOrder, Vector,
    };
    pub use nbody_cuda::{AllPairs, Device};
}

/// The programs of the language's reference.
#[cfg(doctest)]
#[doc = include_str!("../docs/language.md")]
struct Language;
