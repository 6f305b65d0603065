//! What the scheme knows an interaction by: how its accumulators begin, fold and merge, and the
//! names of its parts.
//!
//! The backup accumulators are an array of words, one for each number of the result; integers
//! lie in them by their bits.

use crate::emit_cuda::text::Text;
use crate::emit_cuda::{expr, numbers};
use crate::ir::{Body, Cutoff, Interaction, LONGEST_UNROLLED, Module, Reduction, Struct, Type};
use crate::symmetry::Symmetric;

pub(super) fn emit(text: &mut Text, module: &Module, interaction: &Interaction) {
    let output = &module[interaction.f.id];
    nothing(text, output);
    add(text, output);
    reset(text, output);
    fold(text, output);
    merge(text, output);
    names(text, module, interaction);
}

/// Results of more numbers than a thread has registers gain nothing from loops that are unrolled.
const REGISTERS: usize = 255;

/// One word of the backup accumulators, or as many as a long array has elements.
struct Slot {
    /// The first of these words.
    at: usize,
    /// The number or the array that it holds, in the accumulators `f`.
    source: String,
    kind: Kind,
    /// The elements of a long array.
    elements: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Min,
    Max,
    /// The value; its index is in the next slot.
    ArgMin,
    Index,
    Count,
}

impl Kind {
    fn begins_with_zero(self) -> bool {
        matches!(self, Self::Sum | Self::Count)
    }
}

fn slots(output: &Struct) -> Vec<Slot> {
    let mut slots = Vec::new();
    let mut at = 0;
    for field in &output.fields {
        let whole = format!("f.{}", field.name);
        if let Type::Array(n) = field.ty
            && n > LONGEST_UNROLLED
        {
            slots.push(Slot { at, source: whole, kind: Kind::Sum, elements: Some(n) });
            at += n;
            continue;
        }
        let mut push = |source: String, kind| {
            slots.push(Slot { at, source, kind, elements: None });
            at += 1;
        };
        match field.ty {
            Type::Reduced(Reduction::Min) => push(whole, Kind::Min),
            Type::Reduced(Reduction::Max) => push(whole, Kind::Max),
            Type::Reduced(Reduction::Count) => push(whole, Kind::Count),
            Type::Reduced(Reduction::ArgMin) => {
                push(format!("{whole}.value"), Kind::ArgMin);
                push(format!("{whole}.index"), Kind::Index);
            }
            Type::Real => push(whole, Kind::Sum),
            ty => {
                (0..ty.components()).for_each(|k| push(expr::component(&whole, ty, k), Kind::Sum));
            }
        }
    }
    slots
}

/// The accumulators before the first pair.
fn nothing(text: &mut Text, output: &Struct) {
    let parts = output.fields.iter().map(|field| match field.ty {
        Type::Reduced(Reduction::Min) => "infinity()",
        Type::Reduced(Reduction::Max) => "-infinity()",
        Type::Reduced(Reduction::ArgMin) => "{infinity(), ArgMin::NONE}",
        _ => "{}",
    });
    let parts: Vec<_> = parts.collect();
    let parts =
        if parts.iter().all(|part| *part == "{}") { String::new() } else { parts.join(", ") };
    text.comment(&["The accumulators before the first pair."]);
    text.line(&format!("__device__ __forceinline__ {} nothing()", output.name));
    text.open("{");
    text.line(&format!("return {{{parts}}};"));
    text.close("}");
    text.gap();
}

/// How compensated sums take what one pair gives.
fn add(text: &mut Text, output: &Struct) {
    text.comment(&[
        "Adds what one pair gives to the accumulators, and what rounding takes from their sums to",
        "`lost`.",
    ]);
    text.line(&format!(
        "__device__ __forceinline__ void add(const {0} &term, {0} &f, {0} &lost)",
        output.name
    ));
    text.open("{");
    for field in &output.fields {
        let [term, f, lost] = ["term", "f", "lost"].map(|of| format!("{of}.{}", field.name));
        text.line(&match field.ty {
            Type::Reduced(Reduction::Min) => format!("{f} = min({f}, {term});"),
            Type::Reduced(Reduction::Max) => format!("{f} = max({f}, {term});"),
            Type::Reduced(Reduction::Count) => format!("{f} += {term};"),
            Type::Reduced(Reduction::ArgMin) => {
                format!("take_min({f}, {term}.value, {term}.index);")
            }
            _ => format!("compensate({term}, {f}, {lost});"),
        });
    }
    text.close("}");
    text.gap();
}

/// How the backup accumulators begin.
fn reset(text: &mut Text, output: &Struct) {
    text.comment(&["The backup accumulators before the first bag."]);
    text.line("template <typename T>");
    text.line(&format!("__device__ __forceinline__ void reset(T (&total)[{}])", output.dim()));
    text.open("{");
    let slots = slots(output);
    if slots.iter().any(|slot| slot.kind.begins_with_zero()) {
        text.line("for (T &sum : total) sum = 0;");
    }
    for Slot { at, kind, .. } in &slots {
        match kind {
            Kind::Min | Kind::ArgMin => text.line(&format!("total[{at}] = infinity();")),
            Kind::Max => text.line(&format!("total[{at}] = -infinity();")),
            Kind::Index => text.line(&format!("total[{at}] = word<T>(ArgMin::NONE);")),
            Kind::Sum | Kind::Count => {}
        }
    }
    text.close("}");
    text.gap();
}

fn fold(text: &mut Text, output: &Struct) {
    text.comment(&["Folds the accumulators of one bag into the backup accumulators."]);
    text.line("template <typename T>");
    text.line(&format!(
        "__device__ __forceinline__ void fold(const {} &f, T (&total)[{}])",
        output.name,
        output.dim()
    ));
    text.open("{");
    for Slot { at, source, kind, elements } in &slots(output) {
        if let Some(n) = *elements {
            let total = element("total", *at);
            each_element(text, output, n, &format!("{total} += {source}[k];"));
            continue;
        }
        let total = format!("total[{at}]");
        match kind {
            Kind::Sum => text.line(&format!("{total} += {source};")),
            Kind::Min => text.line(&format!("if ({source} < {total}) {total} = {source};")),
            Kind::Max => text.line(&format!("if ({source} > {total}) {total} = {source};")),
            Kind::Count => {
                text.line(&format!("{total} = word<T>(integer({total}) + {source});"));
            }
            Kind::ArgMin => {
                text.open(&format!("if ({source} < {total}) {{"));
                text.line(&format!("{total} = {source};"));
            }
            Kind::Index => {
                text.line(&format!("{total} = word<T>({source});"));
                text.close("}");
            }
        }
    }
    text.close("}");
    text.gap();
}

fn merge(text: &mut Text, output: &Struct) {
    text.comment(&["Merges the backup accumulators of a later split."]);
    text.line("template <typename T>");
    let n = output.dim();
    text.line(&format!(
        "__device__ __forceinline__ void merge(const T (&part)[{n}], T (&total)[{n}])"
    ));
    text.open("{");
    let slots = slots(output);
    if slots.iter().all(|slot| slot.kind == Kind::Sum) {
        text.line(&format!("for (int k = 0; k < {n}; ++k) total[k] += part[k];"));
    } else {
        for Slot { at, kind, elements, .. } in &slots {
            if let Some(n) = *elements {
                let [total, part] = ["total", "part"].map(|of| element(of, *at));
                each_element(text, output, n, &format!("{total} += {part};"));
            } else {
                merge_slot(text, *at, *kind);
            }
        }
    }
    text.close("}");
    text.gap();
}

/// Element `k` of an array that begins at this word.
fn element(words: &str, at: usize) -> String {
    if at == 0 { format!("{words}[k]") } else { format!("{words}[{at} + k]") }
}

/// A statement for each element of a long array.
fn each_element(text: &mut Text, output: &Struct, n: usize, statement: &str) {
    let is_kept_in_registers = output.dim() <= REGISTERS;
    text.directive(if is_kept_in_registers { "#pragma unroll" } else { "#pragma unroll 1" });
    text.line(&format!("for (int k = 0; k < {n}; ++k) {statement}"));
}

fn merge_slot(text: &mut Text, k: usize, kind: Kind) {
    let (part, total) = (format!("part[{k}]"), format!("total[{k}]"));
    match kind {
        Kind::Sum => text.line(&format!("{total} += {part};")),
        Kind::Min => text.line(&format!("if ({part} < {total}) {total} = {part};")),
        Kind::Max => text.line(&format!("if ({part} > {total}) {total} = {part};")),
        Kind::Count => {
            text.line(&format!("{total} = word<T>(integer({total}) + integer({part}));"));
        }
        Kind::ArgMin => {
            text.open(&format!("if ({part} < {total}) {{"));
            text.line(&format!("{total} = {part};"));
        }
        Kind::Index => {
            text.line(&format!("{total} = {part};"));
            text.close("}");
        }
    }
}

fn names(text: &mut Text, module: &Module, interaction: &Interaction) {
    text.comment(&["What the scheme knows the interaction by."]);
    let roles = [
        ("Parameters", &interaction.parameters),
        ("ParticleI", &interaction.i),
        ("ParticleJ", &interaction.j),
        ("Accumulators", &interaction.f),
    ];
    for (role, named) in roles {
        text.line(&format!("using {role} = {};", module[named.id].name));
    }
    let dims = [("IDIM", &interaction.i), ("JDIM", &interaction.j), ("FDIM", &interaction.f)];
    for (dim, named) in dims {
        text.line(&format!("constexpr int {dim} = {};", numbers(&module[named.id])));
    }
    text.line(&format!("constexpr bool SELF_PAIRS = {};", interaction.self_pairs));
    text.line(&format!("constexpr bool LOOKS_UP = {};", interaction.looks_up()));
    within(text, module, interaction);
    text.line("__device__ __forceinline__ void act(");
    text.line(
        "    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j,",
    );
    text.line("    u32 index, Accumulators &f)");
    text.open("{");
    let space = space_argument(&interaction.pair.body);
    let index = if module[interaction.f.id].keeps_index() { "index, " } else { "" };
    text.line(&format!("pair(self, {space}i, j, {index}f);"));
    text.close("}");
}

/// What the scheme calls for both directions of a pair.
pub(super) fn act_symmetric(text: &mut Text, both: &Symmetric) {
    text.comment(&["Both directions of a pair, under the names of the scheme."]);
    text.line("__device__ __forceinline__ void act_symmetric(");
    text.line(
        "    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j,",
    );
    text.line("    Accumulators &f, Accumulators &g)");
    text.open("{");
    let space = space_argument(&both.body);
    text.line(&format!("pair_symmetric(self, {space}i, j, f, g);"));
    text.close("}");
}

/// The cutoff, which says at once which pairs contribute nothing.
fn within(text: &mut Text, module: &Module, interaction: &Interaction) {
    text.line(&format!("constexpr bool CUTOFF = {};", interaction.cutoff.is_some()));
    text.gap();
    text.comment(&["Negative at the cutoff and beyond it."]);
    text.line("__device__ __forceinline__ real within(");
    text.line(
        "    const Parameters &self, const Space &space, const ParticleI &i, const ParticleJ &j)",
    );
    text.open("{");
    if let Some(Cutoff { body, points, .. }) = &interaction.cutoff {
        let [i, j] = points.map(|point| &module[point].name);
        let space = space_argument(body);
        text.line(&format!("const real reach = cutoff(self, {space}i, j);"));
        let difference = format!("space.difference(j.{j}, i.{i})");
        text.line(&format!("return within_reach(reach, {difference});"));
    } else {
        text.line("return infinity();");
    }
    text.close("}");
    text.gap();
}

/// The first of the arguments for a function that takes differences of positions.
fn space_argument(body: &Body) -> &'static str {
    if body.summary.needs_space { "space, " } else { "" }
}
