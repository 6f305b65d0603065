//! Neighbour lists: a warp for each group of i-particles stages the j-particles of its list in bags.

use std::ffi::CStr;
use std::fmt::Write as _;

use nbody_core::near::cutoff::position;
use nbody_core::pack::{Binding, Place};
use nbody_core::{Field, Law, Mixed, Options, Precision};

use super::Text;
use super::resources::{ALIGNED, REGISTERS, RESERVED, Registers, SHARED_MEMORY, parameters, slot};
use crate::layout::numbers_of;
use crate::{Error, KernelConfig, Program, Schedule};

/// Threads of a block: a warp.
const BLOCK: usize = 32;
/// Typical number of registers per thread beside particles and accumulators.
const OTHER_REGISTERS: usize = 40;
/// The fewest and the most blocks per multiprocessor.
const RESIDENT: [usize; 2] = [8, 32];
/// Candidates per word of the cutoff filter, and bytes of its hits.
const WORD: usize = 32;
const HITS: usize = 8;
/// Bytes of the table of j-particles that are left out.
const TABLE: usize = 2056;

/// The kernels, of which the first evaluates pairs.
pub(crate) const KERNELS: &[&CStr] = &[c"list", c"copy_i", c"copy_j", c"add_listed"];

impl Program {
    /// Returns the program that evaluates the pairs of neighbour lists, for particles in buffers of these
    /// fields: those of i-particles and of j-particles.
    pub fn list(
        law: &Law,
        options: Options,
        buffers: [&'static [Field]; 2],
    ) -> Result<Self, Error> {
        Self::over_lists(law, options, buffers, false)
    }

    /// Returns the program for neighbour lists from which pairs are left out, and for given pairs.
    pub fn restricted_list(
        law: &Law,
        options: Options,
        buffers: [&'static [Field]; 2],
    ) -> Result<Self, Error> {
        Self::over_lists(law, options, buffers, true)
    }

    fn over_lists(
        law: &Law,
        options: Options,
        buffers: [&'static [Field]; 2],
        is_restricted: bool,
    ) -> Result<Self, Error> {
        let config = config(law, options, is_restricted)?;
        let words = words(law, options.precision, buffers)?;
        let (title, restriction) = if is_restricted {
            ("some pairs of neighbour lists", include_str!("restricted.cuh"))
        } else {
            ("the pairs of neighbour lists", include_str!("unrestricted.cuh"))
        };
        let parts = &[
            include_str!("listed_bag.cuh"),
            include_str!("../../kernels/force_loop.cuh"),
            restriction,
            include_str!("list.cuh"),
        ];
        let text = Text { title, parts, merging: 0, kernels: KERNELS };
        Ok(Self::assemble(law, options, config, text, &words))
    }
}

/// Returns the configuration, with as many resident blocks as registers and shared memory allow.
fn config(law: &Law, options: Options, is_restricted: bool) -> Result<KernelConfig, Error> {
    const MULTIPROCESSOR: usize = 220 * 1024; // bytes of shared memory
    let bag = options.order.unwrap_or_default().bag;
    let restriction = if is_restricted { TABLE + bag.next_multiple_of(WORD) * 4 } else { 0 };
    let shared = shared_memory(law, options, bag) + restriction;
    if shared > SHARED_MEMORY {
        return Err(Error::KernelDoesNotFit {
            what: "bytes of shared memory",
            needed: shared,
            available: SHARED_MEMORY,
            hint: "give the summation order smaller bags, or the j-particles fewer numbers",
        });
    }
    let registers = Registers::of(law, options).with_backup + OTHER_REGISTERS;
    let resident = REGISTERS / (BLOCK * registers);
    let resident = resident.min(MULTIPROCESSOR / (shared + RESERVED));
    Ok(KernelConfig {
        schedule: Schedule::Ordered,
        block: BLOCK,
        i_per_thread: 1,
        bag,
        unroll: 4,
        resident: resident.clamp(RESIDENT[0], RESIDENT[1]),
    })
}

/// Returns the bytes of shared memory per block: parameters, a bag, hits.
fn shared_memory(law: &Law, options: Options, bag: usize) -> usize {
    let words = bag.div_ceil(WORD);
    let hits = (words + 1) * BLOCK * HITS;
    words * WORD * (slot(law, options) + ALIGNED) + hits + parameters(law, options) + ALIGNED
}

/// Returns the text of where the words of particles are in the records of buffers.
fn words(law: &Law, precision: Precision, buffers: [&'static [Field]; 2]) -> Result<String, Error> {
    let mut text = "\
// The records of the buffers, in words: those of a particle, and the coordinates of its position.
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
        let is_position = |place: &Place| at.places().contains(place);
        let count = if precision == Precision::Mixed { 2 } else { 1 };
        let words = record.places().iter().flat_map(|place| {
            let words = if is_position(place) { count } else { 1 };
            first(place)..first(place) + words
        });
        let words: Vec<_> = words.map(|word| word.to_string()).collect();
        let coordinates: Vec<_> = at.places().iter().map(|it| first(it).to_string()).collect();
        let _ = writeln!(
            text,
            "
struct Words{name} {{
    static constexpr int ROW = {row}, COUNT = {count};
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
            words = words.join(", "),
            coordinates = coordinates.join(", "),
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
