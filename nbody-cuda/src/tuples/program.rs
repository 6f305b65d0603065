//! The whole CUDA program of a tuple: configuration, prelude, generated part, buffers and kernels.

use std::fmt::Write as _;

use nbody_core::pack::dim;
use nbody_core::{Domain, FieldKind, Math, Options, ParticleProgram, Precision};

use super::shares::Share;
use crate::border::{self, Declared as _};
use crate::compile::program::Program;
use crate::config::KernelConfig;
use crate::engine::counts::text_of_counts;
use crate::engine::parameters::text_of_parameters;
use crate::error::Error;
use crate::layout::{kind_of_space, kind_of_word};
use crate::particles::program::{BUFFERS, Layout, POSITIONS, PRELUDE, columns, numbers, row};

const RESULTS: &str = include_str!("results.cuh");
const SUM: &str = include_str!("sum.cuh");

/// Threads of a block. Blocks are small, so that few tuples use the `f64` units of several
/// multiprocessors.
pub(super) const BLOCK: usize = 128;

/// The size of the records of a thread, for the emulator.
const RECORDS: &str = "sizeof(Parameters) + MEMBERS * (sizeof(ParticleP) + sizeof(RowP) + sizeof(Accumulators)) \
     + sizeof(TupleT) + sizeof(RowT) + 4 * FDIM * sizeof(backup)";

impl Program {
    /// Returns the program of a tuple, for particles and results of these layouts. Records that
    /// lack a field of the program are an error.
    pub fn per_tuple(
        program: &ParticleProgram,
        particles: Layout,
        results: Layout,
        domain: Domain,
    ) -> Result<Self, Error> {
        program.check_tuple()?;
        let mut source = header(program, particles, results, &kind_of_space(domain));
        let counts = text_of_counts(&[program.total]);
        for part in [PRELUDE, text_of_parameters(program.parameters), counts, POSITIONS] {
            if !part.is_empty() {
                let _ = writeln!(source, "{part}");
            }
        }
        let begin = source.len();
        let (law, names) = (program.cuda.law, program.cuda.names);
        let _ = writeln!(source, "namespace nbody::law {{\n\n{law}}} // namespace nbody::law");
        let declared = begin..source.len();
        let _ = writeln!(source, "\nnamespace nbody {{\n\n{names}}} // namespace nbody\n");
        let types = types(program, particles, results)?;
        let share = border::text(&[Share::text()]);
        let _ = writeln!(source, "{BUFFERS}\n{types}\n{RESULTS}\n{share}\n{SUM}");
        Ok(Self {
            name: program.name,
            source,
            kernels: &[c"sum_tuples"],
            config: KernelConfig::per_thread(BLOCK),
            options: Options::default()
                .precision(Precision::Double)
                .math(Math::Exact)
                .domain(domain),
            declared,
            records: RECORDS,
        })
    }
}

fn header(program: &ParticleProgram, particles: Layout, results: Layout, space: &str) -> String {
    format!(
        "\
// {name}: tuples of {members} particles in {p} precision, with results in {f} precision.
namespace nbody {{

using real = double; // the arithmetic of tuples
using Coordinate = real; // of a position
using backup = double; // sums over tuples
constexpr int BLOCK = {BLOCK}; // threads of a block
constexpr bool IN_ORDER = true; // particles come in the order of their indices
constexpr bool EXACT = true; // IEEE roots and divisions
{space}
}} // namespace nbody

",
        name = program.name,
        members = program.members,
        p = particles.precision,
        f = results.precision,
    )
}

/// Returns the types of the buffers.
fn types(program: &ParticleProgram, particles: Layout, results: Layout) -> Result<String, Error> {
    let [of_p, of_t, of_f] = [program.p, program.record, program.total].map(dim);
    let records = Layout { fields: program.record, precision: Precision::Double };
    let is_integer = program.total.iter().flat_map(|field| {
        let is_integer = field.kind.is_count() || field.kind == FieldKind::U32;
        std::iter::repeat_n(is_integer, field.kind.components())
    });
    let is_integer: Vec<_> = is_integer.map(|is| is.to_string()).collect();
    let is_integer = is_integer.join(", ");
    Ok(format!(
        "\
// The buffers of this program.
namespace nbody {{

using RowP = {}; // {}
using RowT = {}; // {}
using ColumnsF = {}; // {}
using Word = {}; // of results
constexpr bool INTEGER[FDIM] = {{{}}}; // numbers of results
static_assert(PDIM == {of_p} && TDIM == {of_t} && FDIM == {of_f}, \"records of other lengths\");

}} // namespace nbody
",
        row(program.name, program.p, particles)?,
        numbers(of_p, particles),
        row(program.name, program.record, records)?,
        numbers(of_t, records),
        columns(program.name, program.total, results)?,
        numbers(of_f, results),
        kind_of_word(results.precision),
        is_integer,
    ))
}
