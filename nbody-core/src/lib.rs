//! The core of `nbody`: what an interaction is, how the CPU evaluates it, and what a result is
//! checked against. It knows nothing of CUDA.

mod arg_min;
mod case;
pub mod compare;
pub mod components;
mod cpu;
mod domain;
mod engine;
mod error;
mod interaction;
mod lane;
mod mixed;
mod options;
pub mod pack;
mod parallel;
mod record;
mod reference;
mod roundings;
mod scalar;
mod simd;
mod traced;
mod vector;

pub use arg_min::ArgMin;
pub use case::Case;
pub use compare::{FieldReport, Report, compare};
pub use cpu::{CpuAllPairs, CpuFields, CpuParticles, peak};
pub use domain::{Domain, Lengths, Open, Periodic, Space};
pub use engine::Engine;
pub use error::{Error, explain};
pub use interaction::{Interaction, Law, Operations, ThirdLaw};
pub use lane::Lane;
pub use mixed::{Mixed, Split};
pub use options::{Accumulation, Math, Options, Pairs, Precision, Tiling};
pub use record::{Field, FieldKind, Output, Reader, Record, Writer, compensate, dim};
pub use reference::{reference, reference_self};
pub use roundings::Roundings;
pub use scalar::Scalar;
pub use simd::SimdLevel;
pub use vector::{Point, Vector, add_to_entry, gather_entry, select_array};

/// What generated code names besides.
#[doc(hidden)]
pub mod __private {
    pub use crate::cpu::{Compiled, Variant};
    pub use bytemuck::{Pod, Zeroable};
}
