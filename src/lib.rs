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
//! [`interaction`] is the macro; [`Device`] says where to compute, and [`Options`] how. [`AllPairs`]
//! evaluates all pairs, [`ShortRange`] pairs over [`Neighbours`], and [`Tree`] all pairs by a tree;
//! [`PairTotals`] sums one result over all pairs.
//! [`check`] compares results with a reference. The package `nbody-interactions` has ready
//! interactions.
//!
//! # Features
//!
//! - `cuda` (default): GPUs and the emulator as a [`Device`]. It needs neither a GPU nor the CUDA
//!   toolkit to build. Without it the only device is the CPU.
//! - `declare`: [`law::declare`](law) and `law::read`, laws from declarations as text at run time. On
//!   the CPU they need a C++ compiler.
//! - `models`: the module `models`, with model particles and snapshot files.
//! - `sass`: the module `cuda::sass`, which counts the instructions in the machine code of a
//!   kernel.
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod check;
mod device;
mod engine;

pub use device::Device;
#[cfg(feature = "cuda")]
pub use device::DeviceName;
pub use engine::{
    AllPairs, Engine, Inputs, Neighbours, PairTotal, PairTotals, Particles, PerParticle, Results,
    Selection, Sequence, ShortRange, Total, Tree, Tuples,
};
pub use nbody_core::{
    Accumulation, ArgMax, ArgMin, Csr, Domain, Error, Expansion, Interaction, Math, Measure,
    Nearest, Opening, Options, Pairs, Point, Precision, Skin, Sources, Spline, Splines, Store,
    SummationOrder, Tensor, Tuple, Update, Values, ValuesMut, Vector,
};
pub use nbody_macros::interaction;
#[cfg(feature = "models")]
pub use nbody_models as models;

/// Laws as values: the descriptions of interactions and programs, their records, and the tables from
/// which laws are made at run time.
pub mod law {
    pub use nbody_core::interval::{Function, Role, Step};
    pub use nbody_core::{
        Carried, ChargeSum, ChargeTable, Charges, Component, CudaText, DoubleSingle, Field,
        FieldKind, FieldValue, Interval, Lane, Law, LawTable, Lengths, Members, Mixed, Nothing,
        Open, Operations, Others, Output, ParticleProgram, ParticleText, Periodic, Reader, Record,
        Records, Scalar, Space, ThirdLaw, Writer,
    };
    pub use nbody_core::{ProgramRecords, ProgramTable};
    #[cfg(feature = "declare")]
    pub use nbody_declare::{
        Adjoint, AdjointLaw, Cotangent, Declarations, Error as DeclareError, Fault, Gradient,
        Refusal as AdjointRefusal, Selection as AdjointSelection, Variable as AdjointVariable,
        adjoint, declare, read,
    };
}

/// Figures and states of neighbour lists, and the interactions that lists cover.
pub mod lists {
    pub use crate::engine::HasCutoff;
    pub use nbody_core::{ListState, NeighbourStats, NeighbourTimes};
}

/// Figures of trees.
pub mod trees {
    pub use nbody_core::{TreeReport, TreeTimes};
}

/// The vector instructions of the CPU, and interrupts of long evaluations on it.
pub mod cpu {
    pub use nbody_core::{Interrupt, SimdLevel, peak};
}

/// CUDA programs: their text, compilation, cache, kernel configurations and errors.
#[cfg(feature = "cuda")]
pub mod cuda {
    #[cfg(feature = "sass")]
    pub use nbody_cuda::sass;
    pub use nbody_cuda::{
        Build, Cache, CacheContents, CompileError, Error, Image, KernelConfig, Layout, Origin,
        ParticleBuffers, Program, Properties, Schedule, Tuned, Usage, Walk, nvrtc, programs,
    };
}

/// Engines without the types of a law, and the traits of devices that implement them: for other
/// languages, and for laws that are made at run time.
pub mod untyped {
    pub use nbody_core::DeviceError;
    pub use nbody_core::untyped::*;
}

/// Items that most programs need.
pub mod prelude {
    pub use nbody_core::{
        Accumulation, Csr, Domain, Interaction as _, Math, Opening, Options, Pairs, Point,
        Precision, Skin, Sources, Spline, Splines, Store, SummationOrder, Tensor, Vector,
    };

    pub use crate::{
        AllPairs, Device, Engine as _, Neighbours, PairTotals, PerParticle, Selection, Sequence,
        ShortRange, Tree, Tuples,
    };
}

/// All names of generated code: the macro writes no other path of this crate.
#[doc(hidden)]
pub mod __private {
    pub use nbody_core::__private::*;
    pub use nbody_core::{
        ArgMax, ArgMin, Carried, ChargeSum, Charges, CudaText, Field, FieldKind, Interaction, Lane,
        Law, Measure, Nearest, Nothing, Operations, Others, Output, ParticleProgram, ParticleText,
        Point, Reader, Record, Space, Spline, Splines, Tensor, ThirdLaw, Tuple, Update, Vector,
        Writer,
    };
}

#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../docs/language.md")]
struct Language;

/// Doctests of the guide to neighbour lists.
#[cfg(all(doctest, feature = "cuda"))]
#[doc = include_str!("../docs/lists.md")]
struct Lists;

/// Doctests of the guide for newcomers.
#[cfg(all(doctest, feature = "cuda"))]
mod guide {
    #[doc = include_str!("../docs/guide/coming-from.md")]
    struct ComingFrom;

    #[doc = include_str!("../docs/guide/devices-and-precision.md")]
    struct DevicesAndPrecision;

    #[doc = include_str!("../docs/guide/first-interaction.md")]
    struct FirstInteraction;

    #[doc = include_str!("../docs/guide/lists-and-sph.md")]
    struct ListsAndSph;

    #[doc = include_str!("../docs/guide/time-integration.md")]
    struct TimeIntegration;

    #[doc = include_str!("../docs/guide/trees.md")]
    struct Trees;

    #[doc = include_str!("../docs/guide/verification.md")]
    struct Verification;
}
