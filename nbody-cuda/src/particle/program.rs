//! The whole CUDA program of a program per particle: configuration, prelude, generated part, buffers and
//! kernels.

use std::fmt::Write as _;

use nbody_core::pack::dim;
use nbody_core::{Domain, Field, Math, Options, ParticleProgram, Precision};

use crate::layout::{kind_of_word, numbers_of};
use crate::{KernelConfig, Program, Schedule};

const PRELUDE: &str = include_str!("../../kernels/prelude.cuh");
const POSITIONS: &str = include_str!("positions.cuh");
const BUFFERS: &str = include_str!("buffers.cuh");
const UPDATE: &str = include_str!("update.cuh");
const MEASURE: &str = include_str!("measure.cuh");

/// Threads of a block, and so the particles whose totals are merged in one tree.
pub(crate) const BLOCK: usize = 256;

/// Precisions of the buffers that a program per particle takes; those that it does not read have no
/// effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferPrecisions {
    /// The precision of the particles.
    pub p: Precision,
    /// The precision of the second particles.
    pub q: Precision,
    /// The precision of the results: single or double.
    pub f: Precision,
}

impl Default for BufferPrecisions {
    fn default() -> Self {
        Self { p: Precision::Single, q: Precision::Single, f: Precision::Single }
    }
}

impl Program {
    /// Returns the program of an update or a measure, for buffers of these precisions.
    pub fn per_particle(
        program: &ParticleProgram,
        precisions: BufferPrecisions,
        domain: Domain,
    ) -> Self {
        let is_update = program.total.is_empty();
        let (title, kernels, text) = if is_update {
            ("an update", &[c"update"][..], UPDATE)
        } else {
            ("a measure", &[c"measure", c"merge_totals"][..], MEASURE)
        };
        let mut source = header(program, title, precisions, domain.is_periodic());
        for part in [PRELUDE, POSITIONS] {
            let _ = writeln!(source, "{part}");
        }
        let begin = source.len();
        let (law, names) = (program.cuda.law, program.cuda.names);
        let _ = writeln!(source, "namespace nbody::law {{\n\n{law}}} // namespace nbody::law");
        let declared = begin..source.len();
        let _ = writeln!(source, "\nnamespace nbody {{\n\n{names}}} // namespace nbody\n");
        let _ = writeln!(source, "{BUFFERS}\n{}\n{text}", buffers(program, precisions));
        Self {
            name: program.name,
            source,
            kernels,
            config: KernelConfig {
                schedule: Schedule::Ordered,
                block: BLOCK,
                i_per_thread: 1,
                bag: 1,
                unroll: 1,
                resident: 1,
            },
            options: Options::default()
                .precision(Precision::Double)
                .math(Math::Exact)
                .domain(domain),
            declared,
            records: if is_update { RECORDS } else { RECORDS_AND_TOTALS },
        }
    }
}

/// The records that a thread keeps, for the emulator.
const RECORDS: &str = "sizeof(Parameters) + 2 * sizeof(ParticleP) + sizeof(ParticleQ) + sizeof(ResultsF) + sizeof(RowP)";
const RECORDS_AND_TOTALS: &str = "sizeof(Parameters) + 2 * sizeof(ParticleP) + sizeof(ParticleQ) + sizeof(ResultsF) \
     + 2 * sizeof(Accumulators) + 2 * FDIM * sizeof(backup)";

fn header(
    program: &ParticleProgram,
    title: &str,
    precisions: BufferPrecisions,
    periodic: bool,
) -> String {
    let BufferPrecisions { p, q, f } = precisions;
    let mut of = format!("{title} of particles in {p} precision");
    if !program.q.is_empty() {
        let _ = write!(of, ", with others in {q} precision");
    }
    if !program.f.is_empty() {
        let _ = write!(of, ", with results in {f} precision");
    }
    format!(
        "\
// {name}: {of}.
namespace nbody {{

using real = double; // the arithmetic of programs per particle
using Coordinate = real; // of a position
using backup = double; // totals
constexpr int BLOCK = {BLOCK}; // threads of a block
constexpr bool EXACT = true; // IEEE roots and divisions
constexpr bool PERIODIC = {periodic}; // the nearest image in a periodic box

}} // namespace nbody

",
        name = program.name
    )
}

/// Returns the types of the buffers.
fn buffers(program: &ParticleProgram, precisions: BufferPrecisions) -> String {
    let BufferPrecisions { p, q, f } = precisions;
    let [of_p, of_q, of_f] = [program.p, program.q, program.f].map(dim);
    let results = if of_f == 0 { "Nothing" } else { kind_of_word(f) };
    format!(
        "\
// The buffers of this program.
namespace nbody {{

using RowP = {}; // {}
using RowQ = {}; // {}
using WordF = {results}; // {}
static_assert(PDIM == {of_p} && QDIM == {of_q} && RDIM == {of_f}, \"records of other lengths\");

}} // namespace nbody
",
        row(program.p, p),
        words(of_p, p),
        row(program.q, q),
        words(of_q, q),
        words(of_f, f),
    )
}

fn row(fields: &[Field], precision: Precision) -> String {
    let is_mixed = precision == Precision::Mixed;
    match numbers_of(fields, precision) {
        0 => "Nothing".to_owned(),
        words => format!("Row<{}, {words}, {is_mixed}>", kind_of_word(precision)),
    }
}

fn words(dim: usize, precision: Precision) -> String {
    if dim == 0 {
        "is not read".to_owned()
    } else {
        format!("{dim} numbers in {precision} precision")
    }
}
