//! The whole CUDA program of a program per particle: configuration, prelude, generated part,
//! buffers and kernels.

use std::fmt::Write as _;

use nbody_core::pack::{Binding, Place, are_integers, axes, dim};
use nbody_core::{Domain, Field, Math, Mixed, Options, ParticleProgram, Precision};

use crate::compile::program::Program;
use crate::config::KernelConfig;
use crate::engine::counts::text_of_counts;
use crate::engine::nearest::text_of_nearest;
use crate::engine::parameters::{offsets, text_of_parameters};
use crate::error::Error;
use crate::layout::{kind_of_space, kind_of_word, numbers_of};

pub(crate) const PRELUDE: &str = include_str!("../../kernels/prelude.cuh");
const WRAP: &str = include_str!("../../kernels/wrap.cuh");
pub(crate) const POSITIONS: &str = include_str!("positions.cuh");
pub(crate) const BUFFERS: &str = include_str!("buffers.cuh");
const RESULTS: &str = include_str!("results.cuh");
const JOINED: &str = include_str!("joined.cuh");
const UPDATE: &str = include_str!("update.cuh");
const MERGE: &str = include_str!("../../kernels/merge_block.cuh");
const MEASURE: &str = include_str!("measure.cuh");
const SPOIL: &str = include_str!("spoil.cuh");

/// Threads of a block: the number of particles whose totals are merged in one tree.
pub(crate) const BLOCK: usize = 256;
/// Threads of a block of an update. Blocks are small, so that few particles use the `f64` units of
/// several multiprocessors.
const UPDATE_BLOCK: usize = 64;

/// The layouts of the buffers of a program per particle, in the order of its records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticleBuffers {
    /// The particles.
    pub p: Layout,
    /// The second particles.
    pub q: Vec<Layout>,
    /// The results, in single or double precision.
    pub f: Vec<Layout>,
    /// The totals that all particles read.
    pub g: Vec<Layout>,
}

/// The records of a buffer and their precision. The records have the fields of the program's
/// records, and possibly other fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The fields.
    pub fields: &'static [Field],
    /// The precision.
    pub precision: Precision,
}

impl ParticleBuffers {
    /// Returns the layouts of the program's own records in these precisions; totals are in double
    /// precision.
    pub fn of(program: &ParticleProgram, [p, q, f]: [Precision; 3]) -> Self {
        let layout = |fields, precision| Layout { fields, precision };
        let each = |records: &[&'static [Field]], precision| {
            records.iter().map(|fields| layout(fields, precision)).collect()
        };
        let (q, f) = (each(program.q, q), each(program.f, f));
        Self { p: layout(program.p, p), q, f, g: each(program.g, Precision::Double) }
    }

    /// Returns whether some records of one kind are several.
    fn is_joined(&self) -> bool {
        [&self.q, &self.f, &self.g].iter().any(|layouts| layouts.len() > 1)
    }
}

impl Program {
    /// Returns the program of an update or a measure, for these buffers. With `wrap`, an update
    /// wraps positions into the box. Records that lack a field of the program are an error.
    pub fn per_particle(
        program: &ParticleProgram,
        buffers: ParticleBuffers,
        domain: Domain,
        wrap: bool,
    ) -> Result<Self, Error> {
        program.check_particle()?;
        let is_update = program.total.is_empty();
        let (title, kernels, text, block) = if is_update {
            ("an update", &[c"update"][..], UPDATE, UPDATE_BLOCK)
        } else if program.g.is_empty() {
            ("a measure", &[c"measure", c"merge_totals"][..], MEASURE, BLOCK)
        } else {
            ("a measure", &[c"measure", c"merge_totals", c"spoil"][..], MEASURE, BLOCK)
        };
        let mut source = header(program, title, &buffers, block, &kind_of_space(domain));
        let results = [program.f, program.g, &[program.total]].concat();
        let (counts, nearest) = (text_of_counts(&results), text_of_nearest(&results));
        let parameters = text_of_parameters(program.parameters);
        for part in [PRELUDE, parameters, counts, nearest, POSITIONS] {
            if !part.is_empty() {
                let _ = writeln!(source, "{part}");
            }
        }
        let begin = source.len();
        let (law, names) = (program.cuda.law, program.cuda.names);
        let _ = writeln!(source, "namespace nbody::law {{\n\n{law}}} // namespace nbody::law");
        let declared = begin..source.len();
        let _ = writeln!(source, "\nnamespace nbody {{\n\n{names}}} // namespace nbody\n");
        let _ = writeln!(source, "{BUFFERS}\n{RESULTS}");
        if buffers.is_joined() {
            let _ = writeln!(source, "{JOINED}");
        }
        let _ = writeln!(source, "{}", types(program, &buffers)?);
        if is_update {
            let _ = writeln!(source, "{WRAP}\n{}\n{}", wrapping(program, wrap), due(program)?);
        }
        if !is_update {
            let _ = writeln!(source, "{MERGE}");
        }
        let _ = writeln!(source, "{text}");
        if !is_update && !program.g.is_empty() {
            let _ = writeln!(source, "{}\n{SPOIL}", integers(program));
        }
        Ok(Self {
            name: program.name,
            source,
            kernels,
            config: KernelConfig::per_thread(block),
            options: Options::default()
                .precision(Precision::Double)
                .math(Math::Exact)
                .domain(domain),
            declared,
            records: if is_update { RECORDS } else { RECORDS_AND_TOTALS },
        })
    }
}

/// The size of the records of a thread, for the emulator.
const RECORDS: &str = "sizeof(Parameters) + 2 * sizeof(ParticleP) + (1 + GATHERS) * sizeof(ParticleQ) + sizeof(ResultsF) + sizeof(TotalG) + sizeof(RowP)";
const RECORDS_AND_TOTALS: &str = "sizeof(Parameters) + 2 * sizeof(ParticleP) + (1 + GATHERS) * sizeof(ParticleQ) + sizeof(ResultsF) + sizeof(TotalG) \
     + 2 * sizeof(Accumulators) + 2 * FDIM * sizeof(backup)";

fn header(
    program: &ParticleProgram,
    title: &str,
    buffers: &ParticleBuffers,
    block: usize,
    space: &str,
) -> String {
    let ParticleBuffers { p, q, f, g } = buffers;
    let mut of = format!("{title} of particles in {} precision", p.precision);
    for (records, layouts) in [("others", q), ("results", f), ("a total", g)] {
        let precisions: Vec<_> = layouts.iter().map(|it| it.precision.to_string()).collect();
        if !precisions.is_empty() {
            let _ = write!(of, ", with {records} in {} precision", precisions.join(" and "));
        }
    }
    format!(
        "\
// {name}: {of}.
namespace nbody {{

using real = double; // the arithmetic of programs per particle
using Coordinate = real; // of a position
using backup = double; // totals
constexpr int BLOCK = {block}; // threads of a block
constexpr bool IN_ORDER = true; // particles come in the order of their indices
constexpr bool EXACT = true; // IEEE roots and divisions
{space}
}} // namespace nbody

",
        name = program.name
    )
}

/// Returns the types of the buffers.
fn types(program: &ParticleProgram, buffers: &ParticleBuffers) -> Result<String, Error> {
    let ParticleBuffers { p, q, f, g } = buffers;
    let all =
        |records: &[&'static [Field]]| records.iter().map(|fields| dim(fields)).sum::<usize>();
    let [of_q, of_f, of_g] = [program.q, program.f, program.g].map(all);
    let (of_p, name) = (dim(program.p), program.name);
    let mut text = String::from("// The buffers of this program.\nnamespace nbody {\n\n");
    let _ = writeln!(text, "using RowP = {}; // {}", row(name, program.p, *p)?, numbers(of_p, *p));
    for (role, records, layouts, type_of) in [
        ("Q", program.q, q, row as TypeOf),
        ("F", program.f, f, columns),
        ("G", program.g, g, columns),
    ] {
        let mut pointers = Vec::new();
        let mut comments = Vec::new();
        for (fields, layout) in records.iter().zip(layouts) {
            pointers.push(format!("const {} *", type_of(name, fields, *layout)?));
            comments.push(numbers(dim(fields), *layout));
        }
        let (ty, comment) = match &pointers[..] {
            [] => ("const Nothing *__restrict__".to_owned(), "is not read".to_owned()),
            [one] => (format!("{one}__restrict__"), comments.join("; ")),
            several => (joined(several), comments.join("; ")),
        };
        let _ = writeln!(text, "using Pointer{role} = {ty}; // {comment}");
    }
    let _ = writeln!(
        text,
        "static_assert(PDIM == {of_p} && QDIM == {of_q} && RDIM == {of_f} && GDIM == {of_g}, \"records of other lengths\");\n"
    );
    text.push_str("} // namespace nbody\n");
    Ok(text)
}

/// Returns the type of a record in memory.
type TypeOf = fn(&'static str, &'static [Field], Layout) -> Result<String, Error>;

/// Returns the type of several records of one kind.
fn joined(records: &[String]) -> String {
    match records {
        [first, rest @ ..] if !rest.is_empty() => format!("Joined<{first}, {}>", joined(rest)),
        records => records.concat(),
    }
}

/// Returns the function that tells an update the time of a selection, in place of a parameter that is a `u32`.
fn due(program: &ParticleProgram) -> Result<String, Error> {
    let mut text = String::from(
        "\
namespace nbody {

// Sets the parameter of 32 bits at this word of 64 bits.
__device__ __forceinline__ void set_due(Parameters &self, u32 at, u32 due)
{
",
    );
    let whole = Binding::new(program.name, program.parameters, program.parameters)?;
    let places = whole.places().iter().zip(offsets(program.parameters));
    for (place, offset) in places.filter(|(place, _)| place.is_integer()) {
        // Fixed words keep the parameters in registers.
        let set = format!("reinterpret_cast<u32 *>(&self)[{offset}] = due;");
        let _ = writeln!(text, "    if (at == {}) {set}", place.word::<f64>());
    }
    text.push_str("}\n\n} // namespace nbody\n");
    Ok(text)
}

/// Returns the constants that tell whether to wrap positions, and the axis of each coordinate.
fn wrapping(program: &ParticleProgram, wrap: bool) -> String {
    let axes = list(axes(program.p).map(|axis| axis.unwrap_or(0)));
    format!(
        "\
// Positions in a periodic box.
namespace nbody {{

constexpr bool WRAP = {wrap}; // positions that change, into the box
constexpr int AXES[PDIM] = {{{axes}}}; // of the numbers that are coordinates

}} // namespace nbody
"
    )
}

/// Returns the constant that tells which numbers of a total are integers.
fn integers(program: &ParticleProgram) -> String {
    let integers: Vec<_> = are_integers(program.total).map(|is| is.to_string()).collect();
    format!(
        "\
// The total of this measure.
namespace nbody {{

constexpr bool INTEGERS[FDIM] = {{{}}}; // whether each number is an integer

}} // namespace nbody
",
        integers.join(", ")
    )
}

/// Returns the type of a particle in memory.
pub(crate) fn row(
    name: &'static str,
    fields: &'static [Field],
    layout: Layout,
) -> Result<String, Error> {
    if fields.is_empty() {
        return Ok("Nothing".to_owned());
    }
    let Layout { fields: found, precision } = layout;
    let binding = Binding::new(name, fields, found)?;
    let word = |place: &Place| match precision {
        Precision::Single => place.word::<f32>(),
        Precision::Double => place.word::<f64>(),
        Precision::Mixed => place.word::<Mixed>(),
    };
    let places = list(binding.places().iter().map(word));
    let (word, words) = (kind_of_word(precision), numbers_of(found, precision));
    Ok(format!("Row<{word}, {words}, {}, {places}>", precision == Precision::Mixed))
}

/// Returns the type of results in memory.
pub(crate) fn columns(
    name: &'static str,
    fields: &'static [Field],
    layout: Layout,
) -> Result<String, Error> {
    if fields.is_empty() {
        return Ok("Nothing".to_owned());
    }
    let binding = Binding::new(name, fields, layout.fields)?;
    let places = list(binding.places().iter().map(|place| place.component()));
    Ok(format!("Columns<{}, {places}>", kind_of_word(layout.precision)))
}

fn list(places: impl Iterator<Item = usize>) -> String {
    let places: Vec<_> = places.map(|place| place.to_string()).collect();
    places.join(", ")
}

pub(crate) fn numbers(dim: usize, layout: Layout) -> String {
    if dim == 0 {
        "is not read".to_owned()
    } else {
        format!("{dim} of {} numbers, in {} precision", self::dim(layout.fields), layout.precision)
    }
}
