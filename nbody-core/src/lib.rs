//! The core of `nbody`: the traits of interactions and engines, the CPU engine, and the reference
//! that results are checked against. It does not depend on CUDA.

mod check;
mod compiled;
mod cpu;
#[doc(hidden)] // for nbody-cuda alone, as the other rooms are
pub mod device;
mod domain;
mod error;
mod field;
mod interrupt;
mod law;
mod listed;
#[doc(hidden)]
pub mod lists;
mod memory;
mod numeric;
mod options;
#[doc(hidden)]
pub mod order;
mod pairs;
mod parallel;
mod particles;
mod ranks;
mod records;
mod state;
mod totals;
#[doc(hidden)]
pub mod trees;
mod triclinic;
mod tuples;

pub use crate::check::compare;
pub use crate::check::compare::{FieldReport, Report};
pub use crate::check::sample::sample;
pub use crate::check::typed::{
    ErrorBounds, check_range, check_range_self, check_range_tree, check_range_tree_self, compare,
    reference, reference_sample, reference_self, reference_self_sample,
};
pub use crate::cpu::Cpu;
pub use crate::cpu::peak::peak;
pub use crate::domain::{Domain, Lengths};
pub use crate::error::{DeviceError, Error, explain};
pub use crate::field::{Field, FieldKind};
pub use crate::interrupt::Interrupt;
pub use crate::law::charges::Expansion;
pub use crate::law::charges::{Carried, ChargeSum, Charges};
pub use crate::law::interaction::{CudaText, Interaction, Law, Operations, ThirdLaw};
pub use crate::law::program::{
    Measure, Members, Nothing, Others, ParticleProgram, ParticleText, Tuple, Update,
};
pub use crate::law::program_table::{ProgramRecords, ProgramTable};
pub use crate::law::table::{ChargeTable, LawTable};
pub use crate::listed::Listed;
pub use crate::lists::Skin;
pub use crate::lists::csr::Csr;
pub use crate::lists::stats::{NeighbourStats, NeighbourTimes};
pub use crate::numeric::components;
pub use crate::numeric::extremum::{ArgMax, ArgMin, Extremum};
pub use crate::numeric::interval::Interval;
pub use crate::numeric::lane::Lane;
pub use crate::numeric::mixed::{DoubleSingle, Mixed};
pub use crate::numeric::nearest::Nearest;
pub use crate::numeric::precision::Precision;
pub use crate::numeric::rows::{Reader, Writer};
pub use crate::numeric::scalar::Scalar;
pub use crate::numeric::simd::level::SimdLevel;
pub use crate::numeric::space::{Open, Periodic, Space, SpaceKind, Triclinic};
pub use crate::numeric::spline::{Cubic, Cubics, Spline};
pub use crate::numeric::splines::Splines;
pub use crate::numeric::tensor::Tensor;
pub use crate::numeric::vector::{Point, Vector};
pub use crate::options::{Accumulation, Math, Options, Pairs, SummationOrder};
pub use crate::pairs::sources::{Sources, Store};
pub use crate::records::field_value::{Component, FieldValue};
pub use crate::records::joined::Records;
pub use crate::records::record::{Output, Record};
pub use crate::records::values::{Values, ValuesMut};
pub use crate::state::EngineState;
pub use crate::state::ListState;
pub use crate::trees::opening::Opening;
pub use crate::trees::report::{TreeReport, TreeTimes};
pub use crate::triclinic::{BoxVectors, Cell};

/// Records as rows of 64-bit words, and their layout in the memory of devices.
#[doc(hidden)]
pub mod pack {
    pub use crate::memory::addresses::{APPENDED, rows_after, rows_with};
    pub use crate::memory::buffers::bound_field;
    pub use crate::memory::folding::fold_rows;
    pub use crate::records::binding::{Binding, Place};
    pub use crate::records::numbers::{along_axes, axes};
    pub use crate::records::pack::*;
    pub use crate::records::parameters::{Parameters, check_parameters};
    pub use crate::records::rows::{Once, OwnedRows, Rows, WriteRows};
    pub use crate::records::values::{
        find_field, no_values, read_into, rows_of_field, rows_of_fields,
    };
}

/// Engines without the types of a law.
///
/// Devices implement these traits, once for the CPU and once for CUDA programs.
/// Everything above them (the typed shells, integrators, other languages, ranks) knows only these
/// traits. A law or a program is a value, which may come from the compiler or from a table at run
/// time.
///
/// A row is one record as 64-bit words: the bits of an `f64` for a real number, or an integer.
/// Buffers of another device, precision or record are refused before anything is computed.
pub mod untyped {
    pub use crate::device::Device;
    pub use crate::listed::Listed;
    pub use crate::lists::engine::{Neighbours, Origin, ShortRange};
    pub use crate::lists::subset::{Subset, SubsetNumbers};
    pub use crate::memory::buffer::Buffer;
    pub use crate::memory::device_column::{CallerWork, DeviceColumn, NumberType};
    pub use crate::memory::lent::LentMemory;
    pub use crate::pairs::engine::Engine;
    pub use crate::pairs::images::{Images, bounds};
    pub use crate::particles::engine::{Beside, First, PerParticle, Selection, Sequence};
    pub use crate::ranks::communicator::{Communicator, Message, OnHost, PassMemory};
    pub use crate::ranks::connection::Connection;
    pub use crate::ranks::dealt::Dealt;
    pub use crate::ranks::exchange::{Exchange, Part, Team};
    pub use crate::ranks::gather::Gather;
    pub use crate::ranks::parts::{HostLists, Kept, Moves, Parts, Points, RowLists, replaced};
    pub use crate::ranks::regions::{Across, Bounds, Regions, TargetBox, Weighted};
    pub use crate::ranks::shares::Shares;
    pub use crate::records::binding::Binding;
    pub use crate::records::rows::{OwnedRows, Rows, WriteRows};
    pub use crate::state::EngineState;
    pub use crate::totals::engine::{PairTotals, most_counted, options_of_totals};
    pub use crate::totals::total::PairTotal;
    pub use crate::trees::engine::{
        ERROR_OF_PARTS, LENGTHS, PartLengths, Tree, TreePart, check_given, restore_tree,
    };
    pub use crate::trees::essential::{Essential, greatest_error};
    pub use crate::tuples::engine::Tuples;
    pub use crate::tuples::list::TupleList;

    /// Splines by their numbers.
    pub mod spline {
        pub use crate::numeric::spline::{cubic, hermite, linear};
    }

    /// Checks of results without the types of a law: the reference, error bounds and comparison of
    /// rows.
    pub mod check {
        pub use crate::check::compare::compare;
        pub use crate::check::error_bounds::ErrorBounds;
        pub use crate::check::range::{range, range_tree};
        pub use crate::check::reference::{reference, reference_sample};
    }
}

/// The text of interval arithmetic and programs of it, for nbody-cuda alone.
#[doc(hidden)]
pub mod interval {
    pub use crate::numeric::interval::steps::{Function, Kind, Role, Step, evaluate};
    pub use crate::numeric::interval::{TEXT, Text};
    pub use crate::numeric::shared;
    pub use crate::numeric::shared::Statement;
}

/// Loops that are compiled at run time, for nbody-declare alone.
#[doc(hidden)]
pub mod loaded {
    pub use crate::law::checked_pair::{CheckNumbers, CheckSetting, CheckedPair, LoadedPair};
    pub use crate::law::loops::{
        ActsOn, BySize, CHOSEN, Code, ListedSources, LoadLoops, LoadedLoops, Loops, PairSetting,
        Variant, View,
    };
    pub use crate::law::particle_loop::{
        BesideBlocks, LoadParticleLoop, LoadedParticleLoop, ParticleCode, ParticleLoop,
        ParticleSetting,
    };
    pub use crate::law::tuple_loop::{NO_SUMS, TupleWork};
    pub use crate::numeric::accuracy::text as accuracy;
    pub use crate::numeric::bounded::Bounded;
    pub use crate::numeric::simd::fits::text as fits;
    pub use crate::numeric::simd::lanes::{LINE, Line};
    pub use crate::order::image::INDEX_BITS;
    pub use crate::records::record::dim;
}

/// Items for generated code alone.
#[doc(hidden)]
pub mod __private {
    pub use crate::law::interaction::Declaration;
    pub use crate::law::loops::{Compiled, Variant};
    pub use crate::law::particle_loop::ParticleLoop;
    pub use crate::law::program::ParticleDeclaration;
    pub use crate::numeric::interval::steps::{Function, Role, Step};
    pub use crate::numeric::vector::{add_to_count, add_to_entry, select_array, select_counts};
    pub use crate::records::record::{compensate, dim};
    pub use bytemuck::{Pod, Zeroable};
}
