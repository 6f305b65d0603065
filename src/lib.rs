//! Write a pairwise interaction once, as a few lines of Rust; run it on the GPU and the CPU,
//! checked against an `f64` reference.
//!
#![cfg_attr(feature = "cuda", doc = "```")]
#![cfg_attr(not(feature = "cuda"), doc = "```ignore")]
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
//!         type I = Body; // i-particles: the targets
//!         type J = Body; // j-particles: the sources
//!         type F = Field; // results: sums over j, for each i
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
//! let results = direct.evaluate_self(&bodies)?; // a `Vec` with a `Field` for each body
//! assert!((results[0].acc.x - 0.75).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```
//!
//! This package only re-exports: [`interaction`] is the macro, [`Device`] says where to compute
//! and [`Options`] how, [`AllPairs`] evaluates, [`ShortRange`] does so over [`Neighbours`], and
//! [`reference()`], [`compare()`] and [`Case`] check. The package `nbody-interactions` has interactions that are ready.
//!
//! # Features
//!
//! - `cuda` (default): [`AllPairs`], [`ShortRange`], [`Device`] and all that concerns GPUs. It needs neither a GPU nor
//!   the CUDA toolkit to build. Without it [`CpuAllPairs`], the reference and the comparison remain,
//!   whose errors are [`CoreError`].
//! - `models`: the module `models`, with model particles and snapshot files.
//! - `sass`: the module `sass`, which counts the instructions in the machine code of a kernel.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub use nbody_core::{
    __private, Accumulation, ArgMin, Carried, Case, ChargeSum, Charges, CpuAllPairs, CpuInputs,
    CpuNeighbours, CpuParticles, CpuPerParticle, CpuResults, CpuShortRange, CpuTree, Csr, CudaText,
    Domain, DoubleSingle, Engine, Error as CoreError, ErrorBounds, Expansion, Field, FieldKind,
    FieldReport, FieldValue, HasCutoff, Interaction, Interval, Lane, Law, Lengths, ListState, Math,
    Measure, Mixed, NeighbourStats, NeighbourTimes, Nothing, Open, Opening, Operations, Options,
    Output, Pairs, ParticleProgram, ParticleText, Periodic, Point, Precision, Reader, Record,
    Report, Scalar, SimdLevel, Skin, Sources, Space, Store, SummationOrder, ThirdLaw, TreeReport,
    TreeTimes, Update, Vector, Writer, check_range, check_range_self, check_range_tree,
    check_range_tree_self, compare, peak, reference, reference_sample, reference_self,
    reference_self_sample, sample,
};
#[cfg(feature = "sass")]
pub use nbody_cuda::sass;
#[cfg(feature = "cuda")]
pub use nbody_cuda::{
    AllPairs, Build, Cache, CacheContents, CudaAllPairs, CudaParticles, CudaResults, Device,
    DeviceName, Error, Image, Inputs, KernelConfig, Layout, Neighbours, Origin, ParticleBuffers,
    Particles, PerParticle, Program, Properties, Results, Schedule, Selection, Sequence,
    ShortRange, Tree, Tuned, Usage, Walk, nvrtc,
};
pub use nbody_macros::interaction;
#[cfg(feature = "models")]
pub use nbody_models as models;

/// Items that most programs need.
pub mod prelude {
    pub use nbody_core::{
        Accumulation, CpuAllPairs, CpuPerParticle, Domain, Engine as _, Interaction as _, Math,
        Opening, Options, Pairs, Point, Precision, Skin, Sources, SummationOrder, Vector,
    };
    #[cfg(feature = "cuda")]
    pub use nbody_cuda::{AllPairs, Device, Neighbours, PerParticle, ShortRange, Tree};
}

/// Doctests of the language reference.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../docs/language.md")]
struct Language;

/// Doctests of the guide to neighbour lists.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../docs/lists.md")]
struct Lists;
