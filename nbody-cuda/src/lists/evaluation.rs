//! Neighbour lists: each group of i-particles has a warp for each split of its list, which stages
//! the j-particles in bags.

use std::ffi::CStr;
use std::fmt::Write as _;

use nbody_core::lists::cutoff::position;
use nbody_core::pack::{Binding, Place, dim};
use nbody_core::{Field, Law, Mixed, Options, Precision, SummationOrder};

use super::MOTION;
use super::declared::{self, entry, exclusion};
use crate::compile::program::Program;
use crate::config::warp;
use crate::config::{KernelConfig, Schedule};
use crate::error::Error;
use crate::layout::{bytes_of, numbers_of};
use crate::order::keys::Position;
use crate::order::tilted;
use crate::schedule::ScheduleText;
use crate::schedule::resources::{
    ALIGNED, HITS, REGISTERS, RESERVED, Registers, SHARED_MEMORY, WORD, does_not_fit, parameters,
    slot,
};

/// Threads of a warp.
const WARP: usize = warp::LANES as usize;
/// The largest number of threads of a block.
const THREADS: usize = 1024;
/// Typical number of registers per thread besides particles and accumulators.
const OTHER_REGISTERS: usize = 82;
/// The smallest number of warps per multiprocessor, and the largest number of blocks.
const RESIDENT: [usize; 2] = [8, 32];
/// Bytes of the displacements of images.
const DISPLACEMENTS: usize = entry::IMAGES as usize * size_of::<Position>();
/// Bytes of a squared distance for the screen.
const NORM: usize = 4;
/// Bytes of the table of excluded j-particles: an index and a mask for each place, and a mark.
const TABLE: usize = ((2 * size_of::<u32>()) << exclusion::TABLE_BITS) + 8;

/// The kernels; the first evaluates pairs.
pub(crate) const KERNELS: &[&CStr] = &[c"list", c"copy_i", c"copy_j", c"add_listed"];

/// The kind of an evaluation over lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "any of them may meet any other")]
pub(crate) struct ListKind {
    /// Some pairs of the lists do not act.
    pub is_restricted: bool,
    /// The results of the first particles alone are wanted.
    pub is_first: bool,
    /// Excluded pairs name particles by other numbers than their rows.
    pub is_subset: bool,
    /// The box of the lists is triclinic.
    pub is_tilted: bool,
}

impl Program {
    /// Returns the program that evaluates the pairs of neighbour lists, for i-particles and
    /// j-particles in buffers with these fields.
    pub fn list(
        law: &Law,
        options: Options,
        buffers: [&'static [Field]; 2],
    ) -> Result<Self, Error> {
        Self::over_lists(law, options, buffers, ListKind::default())
    }

    /// Returns the program for neighbour lists with excluded pairs, and for given pairs.
    pub fn restricted_list(
        law: &Law,
        options: Options,
        buffers: [&'static [Field]; 2],
    ) -> Result<Self, Error> {
        let kind = ListKind { is_restricted: true, ..ListKind::default() };
        Self::over_lists(law, options, buffers, kind)
    }

    /// Returns the program for lists of this kind.
    pub(crate) fn over_lists(
        law: &Law,
        options: Options,
        buffers: [&'static [Field]; 2],
        ListKind { is_restricted, is_first, is_subset, is_tilted }: ListKind,
    ) -> Result<Self, Error> {
        let config = config(law, options, is_restricted)?;
        let subset = if is_restricted {
            format!("constexpr bool SUBSET = {is_subset}; // pairs name particles by numbers\n")
        } else {
            String::new()
        };
        let first = format!(
            "namespace nbody {{\n\nconstexpr bool FIRST = {is_first}; // the results of the first \
             particles alone are wanted\n{subset}\n}} // namespace nbody\n\n"
        );
        let words = words(law, options.precision, buffers)?;
        let words = declared::of_evaluation() + &tilted(is_tilted) + &words + &first;
        let (title, restriction) = if is_restricted {
            ("some pairs of neighbour lists", include_str!("restricted.cuh"))
        } else {
            ("the pairs of neighbour lists", include_str!("unrestricted.cuh"))
        };
        let parts = &[
            include_str!("listed_bag.cuh"),
            include_str!("../../kernels/force_loop.cuh"),
            include_str!("tensor.cuh"),
            include_str!("screen.cuh"),
            restriction,
            include_str!("../../kernels/wrap.cuh"),
            MOTION,
            include_str!("evaluation.cuh"),
        ];
        let text = ScheduleText { title, parts, merging: 0, in_order: false, kernels: KERNELS };
        Ok(Self::assemble(law, options, config, text, &words))
    }
}

/// Returns the configuration, with the largest number of resident blocks that registers and shared
/// memory allow.
fn config(law: &Law, options: Options, is_restricted: bool) -> Result<KernelConfig, Error> {
    const MULTIPROCESSOR: usize = 220 * 1024; // bytes of shared memory
    let SummationOrder { bag, splits } = options.order.unwrap_or_default();
    let masks = bag.div_ceil(WORD).saturating_mul(WORD * 4);
    let restriction = if is_restricted { masks.saturating_add(TABLE) } else { 0 };
    let of_warp = shared_memory(law, options, bag).saturating_add(restriction);
    let merged = dim(law.f) * bytes_of(options.backup()) * WARP;
    let of_block = parameters(law, options) + DISPLACEMENTS;
    let shared = splits.saturating_mul(of_warp).saturating_add(of_block);
    let shared = shared.saturating_add(splits.saturating_sub(1).saturating_mul(merged));
    let block = WARP.saturating_mul(splits);
    let hint =
        "give the summation order smaller bags or fewer splits, or the j-particles fewer numbers";
    if shared > SHARED_MEMORY {
        return Err(does_not_fit(law, options, shared, hint));
    }
    if block > THREADS {
        let (what, needed, available) = ("threads", block, THREADS);
        return Err(Error::KernelDoesNotFit { what, needed, available, hint });
    }
    let registers = Registers::of(law, options).with_backup + OTHER_REGISTERS;
    let resident = REGISTERS / (block * registers);
    let resident = resident.min(MULTIPROCESSOR / (shared + RESERVED));
    Ok(KernelConfig {
        schedule: Schedule::Ordered,
        block,
        i_per_thread: 1,
        bag,
        unroll: 4,
        resident: resident.clamp(RESIDENT[0].div_ceil(splits), RESIDENT[1]),
    })
}

/// Returns the bytes of shared memory of a warp: a bag, the places of its own group, and hits.
fn shared_memory(law: &Law, options: Options, bag: usize) -> usize {
    let words = bag.div_ceil(WORD);
    let hits = words.saturating_add(2).saturating_mul(WARP * HITS);
    let index = if keeps_index(law) { ALIGNED } else { 0 };
    let slots = words.saturating_mul(WORD * (slot(law, options) + index + NORM));
    slots.saturating_add(hits).saturating_add(WARP * 4 + ALIGNED)
}

/// Returns whether results keep indices of j-particles.
fn keeps_index(law: &Law) -> bool {
    law.f.iter().any(|field| field.kind.keeps_index())
}

/// Returns the elements of an array. NVRTC refuses an empty array, so particles without a position
/// have the element 0.
fn numbers(elements: &[String]) -> String {
    if elements.is_empty() { "0".to_owned() } else { elements.join(", ") }
}

/// Returns the text with the places of the words of particles in the records of buffers.
fn words(law: &Law, precision: Precision, buffers: [&'static [Field]; 2]) -> Result<String, Error> {
    let mut text = "\
// The words of a particle, and of its position, in the records of the buffers.
namespace nbody {
"
    .to_owned();
    let first = |place: &Place| match precision {
        Precision::Single => place.word::<f32>(),
        Precision::Double => place.word::<f64>(),
        Precision::Mixed => place.word::<Mixed>(),
    };
    for ((name, fields), buffer) in [("I", law.i), ("J", law.j)].into_iter().zip(buffers) {
        let record = Binding::new(law.name, fields, buffer)?;
        let point = position(fields);
        let at = Binding::new(law.name, point, buffer)?;
        let own = Binding::new(law.name, point, fields)?;
        let words = record.places().iter().flat_map(|place| match precision {
            Precision::Single => place.words::<f32>(),
            Precision::Double => place.words::<f64>(),
            Precision::Mixed => place.words::<Mixed>(),
        });
        let words: Vec<_> = words.map(|word| word.to_string()).collect();
        let coordinates: Vec<_> = at.places().iter().map(|it| first(it).to_string()).collect();
        let _ = writeln!(
            text,
            "
struct Words{name} {{
    static constexpr int ROW = {row}, COUNT = {count}, DIMENSIONS = {dimensions};
    static __device__ __forceinline__ constexpr int word(int k)
    {{
        constexpr int words[] = {{{words}}};
        return words[k];
    }}
    static __device__ __forceinline__ constexpr int coordinate(int axis)
    {{
        constexpr int words[] = {{{coordinates}}};
        return words[axis];
    }}
}};
constexpr int POSITION_{name} = {own}; // of the coordinates in Particle{name}",
            row = numbers_of(buffer, precision),
            count = words.len(),
            dimensions = coordinates.len(),
            words = numbers(&words),
            coordinates = numbers(&coordinates),
            own = own.places().first().map_or(0, first),
        );
    }
    let dimensions = position(law.i).iter().map(|field| field.kind.components()).sum::<usize>();
    let _ = writeln!(
        text,
        "constexpr int DIMENSIONS = {dimensions};

}} // namespace nbody
"
    );
    Ok(text)
}
