//! The core of `nbody`: the traits of interactions and engines, the CPU engine, and the reference
//! that results are checked against. It does not depend on CUDA.

mod check;
mod cpu;
mod error;
mod law;
mod listed;
#[doc(hidden)] // for nbody-cuda alone, as `tree` is
pub mod near;
mod numeric;
mod options;
mod parallel;
mod sources;
#[doc(hidden)]
pub mod tree;
pub mod untyped;

pub use check::compare::{self, FieldReport, Report, compare};
pub use check::error_bounds::ErrorBounds;
pub use check::range::{check_range, check_range_self, check_range_tree, check_range_tree_self};
pub use check::reference::{reference, reference_sample, reference_self, reference_self_sample};
pub use check::sample::sample;
pub use cpu::{Cpu, peak};
pub use error::{DeviceError, Error, explain};
pub use law::charges::{Carried, ChargeSum, Charges};
pub use law::field_value::FieldValue;
pub use law::interaction::{CudaText, Interaction, Law, Operations, ThirdLaw};
pub use law::pack;
pub use law::particle::{Measure, Nothing, ParticleProgram, ParticleText, Update};
pub use law::record::{Field, FieldKind, Output, Reader, Record, Writer};
pub use law::space::{Domain, Lengths, Open, Periodic, Space};
pub use law::table::{ChargeTable, LawTable};
pub use listed::Listed;
pub use near::Skin;
pub use near::pairs::Csr;
pub use near::state::ListState;
pub use near::stats::{NeighbourStats, NeighbourTimes};
pub use numeric::arg_min::ArgMin;
pub use numeric::components;
pub use numeric::interval::Interval;
pub use numeric::lane::Lane;
pub use numeric::mixed::{DoubleSingle, Mixed};
pub use numeric::scalar::Scalar;
pub use numeric::simd::SimdLevel;
pub use numeric::vector::{Point, Vector};
pub use options::{Accumulation, Math, Options, Pairs, Precision, SummationOrder};
pub use sources::{Sources, Store};
pub use tree::opening::{Expansion, Opening};
pub use tree::report::{TreeReport, TreeTimes};
pub use untyped::EngineState;

/// The text of interval arithmetic and programs of it, for nbody-cuda alone.
#[doc(hidden)]
pub mod interval {
    pub use crate::numeric::interval::steps::{Function, Kind, Role, Step, evaluate};
    pub use crate::numeric::interval::{TEXT, Text};
    pub use crate::numeric::shared::{self, Statement};
}

/// Items for generated code alone.
#[doc(hidden)]
pub mod __private {
    pub use crate::cpu::{Compiled, ParticleLoop, Variant};
    pub use crate::law::interaction::Declaration;
    pub use crate::law::particle::ParticleDeclaration;
    pub use crate::law::record::{compensate, dim};
    pub use crate::numeric::interval::steps::{Function, Role, Step};
    pub use crate::numeric::vector::{add_to_entry, select_array};
    pub use bytemuck::{Pod, Zeroable};
}
