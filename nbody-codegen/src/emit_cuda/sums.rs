//! Prints the interface to the kernels: names for the parts of the declaration, and the initial
//! values, folding and merging of accumulators.
//!
//! The backup accumulators are an array of words, one for each number of the result; an integer is
//! stored by its bits.

use std::fmt;

use crate::emit_cuda::expr;
use crate::emit_cuda::structure::numbers;
use crate::emit_cuda::text::Text;
use crate::ir::{Cutoff, Extremum, Interaction, LONGEST_UNROLLED, Module, Reduction, Struct, Type};

/// Prints the text that every kernel needs.
pub fn sums(module: &Module, interaction: &Interaction) -> String {
    let mut text = Text::default();
    names(&mut text, module, interaction);
    if let Some(cutoff) = &interaction.cutoff {
        self::cutoff(&mut text, module, interaction, cutoff);
    }
    accumulation(&mut text, &module[interaction.f.id]);
    text.finish()
}

/// Prints the initial values, folding and merging of accumulators.
pub(super) fn accumulation(text: &mut Text, output: &Struct) {
    nothing(text, output);
    reset(text, output);
    fold(text, output);
    merge(text, output);
}

/// Prints the addition of compensated sums.
pub fn compensated(module: &Module, interaction: &Interaction) -> String {
    let mut text = Text::default();
    text.comment(&[
        "Adds the terms of one pair to the accumulators, and their rounding errors to `lost`.",
    ]);
    let parameters = ["const Accumulators &term", "Accumulators &f", "Accumulators &lost"];
    text.function("void add", &parameters.map(str::to_owned));
    text.open("{");
    for field in &module[interaction.f.id].fields {
        let [term, f, lost] = ["term", "f", "lost"].map(|of| format!("{of}.{}", field.name));
        text.line(&match field.ty {
            Type::Reduced(Reduction::Min) => format!("{f} = min({f}, {term});"),
            Type::Reduced(Reduction::Max) => format!("{f} = max({f}, {term});"),
            Type::Reduced(Reduction::Count) => format!("{f} += {term};"),
            Type::Counts(_) => format!("add_counts({term}, {f});"),
            Type::Reduced(Reduction::Nearest(_)) => {
                format!("merge_nearest<IN_ORDER>({term}, {f});")
            }
            Type::Reduced(Reduction::Arg(_)) => {
                format!("take({f}, {term}.value, {term}.index);")
            }
            _ => format!("compensate({term}, {f}, {lost});"),
        });
    }
    text.close("}");
    text.gap();
    text.finish()
}

/// Longest result whose loops are unrolled: registers cannot hold more numbers.
const REGISTERS: usize = 255;

/// One word of the backup accumulators, or the words of all elements of a long array.
struct Slot {
    /// Index of the first word.
    at: At,
    /// The number or the array that it stores, in the accumulators `f`.
    source: String,
    kind: Kind,
    /// Number of elements of a long array.
    elements: Option<usize>,
}

/// Index of a word: some numbers after some arrays of counts, which not every kernel keeps among
/// the words.
#[derive(Clone, Copy, Default)]
struct At {
    numbers: usize,
    counts: usize,
}

impl At {
    /// Returns the index of a later word.
    fn plus(self, numbers: usize) -> Self {
        Self { numbers: self.numbers + numbers, ..self }
    }
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { numbers, counts: 0 } => write!(f, "{numbers}"),
            Self { numbers, counts } => write!(f, "{numbers} + kept({counts})"),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Sum,
    Min,
    Max,
    /// The value; its index is in the next slot.
    Arg(Extremum),
    Index,
    /// This number of least values, and their indices.
    Nearest(usize),
    Count,
    /// An array of counts.
    Counts,
}

impl Kind {
    fn begins_with_zero(self) -> bool {
        matches!(self, Self::Sum | Self::Count | Self::Counts)
    }
}

fn slots(output: &Struct) -> Vec<Slot> {
    let mut slots = Vec::new();
    let mut at = At::default();
    for field in &output.fields {
        let whole = format!("f.{}", field.name);
        if let Type::Array(n) = field.ty
            && n > LONGEST_UNROLLED
        {
            slots.push(Slot { at, source: whole, kind: Kind::Sum, elements: Some(n) });
            at.numbers += n;
            continue;
        }
        if let Type::Counts(n) = field.ty {
            slots.push(Slot { at, source: whole, kind: Kind::Counts, elements: Some(n) });
            at.counts += n;
            continue;
        }
        if let Type::Reduced(Reduction::Nearest(n)) = field.ty {
            slots.push(Slot { at, source: whole, kind: Kind::Nearest(n), elements: None });
            at.numbers += 2 * n;
            continue;
        }
        let mut push = |source: String, kind| {
            slots.push(Slot { at, source, kind, elements: None });
            at.numbers += 1;
        };
        match field.ty {
            Type::Reduced(Reduction::Min) => push(whole, Kind::Min),
            Type::Reduced(Reduction::Max) => push(whole, Kind::Max),
            Type::Reduced(Reduction::Count) => push(whole, Kind::Count),
            Type::Reduced(Reduction::Arg(extremum)) => {
                push(format!("{whole}.value"), Kind::Arg(extremum));
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

/// Prints the accumulators before the first pair.
fn nothing(text: &mut Text, output: &Struct) {
    let parts = output.fields.iter().map(|field| match field.ty {
        Type::Reduced(Reduction::Min) => "infinity()".to_owned(),
        Type::Reduced(Reduction::Max) => "-infinity()".to_owned(),
        Type::Reduced(Reduction::Arg(extremum)) => {
            format!("{{{}infinity(), NONE}}", extremum.sign())
        }
        Type::Reduced(Reduction::Nearest(n)) => format!("no_neighbours<{n}, real>()"),
        _ => "{}".to_owned(),
    });
    let parts: Vec<_> = parts.collect();
    let parts =
        if parts.iter().all(|part| *part == "{}") { String::new() } else { parts.join(", ") };
    text.comment(&["The accumulators before the first pair."]);
    text.function("Accumulators nothing", &[]);
    text.open("{");
    text.line(&format!("return {{{parts}}};"));
    text.close("}");
    text.gap();
}

/// Prints the initial values of the backup accumulators.
fn reset(text: &mut Text, output: &Struct) {
    text.comment(&["The backup accumulators before the first bag."]);
    text.line("__device__ __forceinline__ void reset(backup (&total)[FDIM])");
    text.open("{");
    let slots = slots(output);
    if slots.iter().any(|slot| slot.kind.begins_with_zero()) {
        text.line("for (backup &sum : total) sum = 0;");
    }
    for Slot { at, kind, .. } in &slots {
        match kind {
            Kind::Min | Kind::Arg(Extremum::Least) => {
                text.line(&format!("total[{at}] = infinity();"));
            }
            Kind::Max | Kind::Arg(Extremum::Greatest) => {
                text.line(&format!("total[{at}] = -infinity();"));
            }
            Kind::Index => text.line(&format!("total[{at}] = word<backup>(NONE);")),
            Kind::Nearest(n) => {
                text.line(&format!("reset_nearest<{n}>({});", words("total", *at)));
            }
            Kind::Sum | Kind::Count | Kind::Counts => {}
        }
    }
    text.close("}");
    text.gap();
}

fn fold(text: &mut Text, output: &Struct) {
    text.comment(&["Folds the accumulators of one bag into the backup accumulators."]);
    text.line("__device__ __forceinline__ void fold(const Accumulators &f, backup (&total)[FDIM])");
    text.open("{");
    for Slot { at, source, kind, elements } in &slots(output) {
        if *kind == Kind::Counts {
            text.line(&format!("fold_counts({source}, total + {at});"));
            continue;
        }
        if let Kind::Nearest(_) = kind {
            text.line(&format!("fold_nearest<IN_ORDER>({source}, {});", words("total", *at)));
            continue;
        }
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
                text.line(&format!("{total} = word<backup>(integer({total}) + {source});"));
            }
            Kind::Arg(extremum) => {
                let is_greatest = *extremum == Extremum::Greatest;
                let whole = source.trim_end_matches("value");
                let first = format!("integer(total[{}])", at.plus(1));
                text.open(&format!(
                    "if (comes_first<{is_greatest}>({source}, {whole}index, {total}, {first})) {{"
                ));
                text.line(&format!("{total} = {source};"));
            }
            Kind::Index => {
                text.line(&format!("{total} = word<backup>({source});"));
                text.close("}");
            }
            Kind::Counts | Kind::Nearest(_) => unreachable!("folded and merged as a whole"),
        }
    }
    text.close("}");
    text.gap();
}

fn merge(text: &mut Text, output: &Struct) {
    text.comment(&["Merges the backup accumulators of a later split."]);
    text.line(
        "__device__ __forceinline__ void merge(const backup (&part)[FDIM], backup (&total)[FDIM])",
    );
    text.open("{");
    let slots = slots(output);
    if slots.iter().all(|slot| slot.kind == Kind::Sum) {
        text.line("for (int k = 0; k < FDIM; ++k) total[k] += part[k];");
    } else {
        for Slot { at, kind, elements, .. } in &slots {
            if let (Kind::Counts, Some(n)) = (kind, *elements) {
                text.line(&format!("merge_counts<kept({n})>(part + {at}, total + {at});"));
            } else if let Kind::Nearest(n) = *kind {
                let [part, total] = ["part", "total"].map(|of| words(of, *at));
                text.line(&format!("merge_words_of_nearest<{n}>({part}, {total});"));
            } else if let Some(n) = *elements {
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

/// Prints the words from `at` on.
fn words(of: &str, at: At) -> String {
    match at {
        At { numbers: 0, counts: 0 } => of.to_owned(),
        at => format!("{of} + {at}"),
    }
}

/// Prints element `k` of an array that begins at word `at`.
fn element(words: &str, at: At) -> String {
    match at {
        At { numbers: 0, counts: 0 } => format!("{words}[k]"),
        at => format!("{words}[{at} + k]"),
    }
}

/// Prints a statement for each element of a long array.
fn each_element(text: &mut Text, output: &Struct, n: usize, statement: &str) {
    let is_kept_in_registers = output.dim() <= REGISTERS;
    text.directive(if is_kept_in_registers { "#pragma unroll" } else { "#pragma unroll 1" });
    text.line(&format!("for (int k = 0; k < {n}; ++k) {statement}"));
}

fn merge_slot(text: &mut Text, k: At, kind: Kind) {
    let (part, total) = (format!("part[{k}]"), format!("total[{k}]"));
    match kind {
        Kind::Sum => text.line(&format!("{total} += {part};")),
        Kind::Min => text.line(&format!("if ({part} < {total}) {total} = {part};")),
        Kind::Max => text.line(&format!("if ({part} > {total}) {total} = {part};")),
        Kind::Count => {
            text.line(&format!("{total} = word<backup>(integer({total}) + integer({part}));"));
        }
        // Parts may come in any order: among equal values the smallest index wins.
        Kind::Arg(extremum) => {
            let is_before = if extremum == Extremum::Least { "<" } else { ">" };
            let [earlier, first] =
                ["part", "total"].map(|of| format!("integer({of}[{}])", k.plus(1)));
            text.open(&format!(
                "if ({part} {is_before} {total} || ({part} == {total} && {earlier} < {first})) {{"
            ));
            text.line(&format!("{total} = {part};"));
        }
        Kind::Index => {
            text.line(&format!("{total} = {part};"));
            text.close("}");
        }
        Kind::Counts | Kind::Nearest(_) => unreachable!("folded and merged as a whole"),
    }
}

fn names(text: &mut Text, module: &Module, interaction: &Interaction) {
    text.comment(&["The names by which kernels know the law."]);
    let roles = [
        ("Parameters", &interaction.parameters),
        ("ParticleI", &interaction.i),
        ("ParticleJ", &interaction.j),
        ("Accumulators", &interaction.f),
    ];
    for (role, named) in roles {
        text.line(&format!("using {role} = law::{};", module[named.id].name));
    }
    let dims = [("IDIM", &interaction.i), ("JDIM", &interaction.j), ("FDIM", &interaction.f)];
    for (dim, named) in dims {
        text.line(&format!("constexpr int {dim} = {};", numbers(&module[named.id])));
    }
    let keeps_index = module[interaction.f.id].keeps_index();
    let properties = [
        ("SELF_PAIRS", interaction.self_pairs),
        ("LOOKS_UP", interaction.looks_up()),
        ("KEEPS_INDEX", keeps_index),
        ("CUTOFF", interaction.cutoff.is_some()),
        ("CUTOFF_READS_J", interaction.cutoff.as_ref().is_some_and(Cutoff::reads_j)),
    ];
    for (property, holds) in properties {
        text.line(&format!("constexpr bool {property} = {holds};"));
    }
    text.gap();
}

/// Prints the tests for the cutoff: one by which a filter rejects pairs, and one before the
/// evaluation of a pair, which shares the squared distance with the pair.
fn cutoff(text: &mut Text, module: &Module, interaction: &Interaction, cutoff: &Cutoff) {
    let [i, j] = cutoff.points.map(|point| &module[point].name);
    let [from, to] = [format!("i.{i}"), format!("j.{j}")];
    let parameters = ["const Parameters &self", "const Space &space", "const ParticleI &i"];
    let of_pair = [&parameters[..], &["const ParticleJ &j"]].concat();
    let mut function = |comment, signature, parameters: &[&str], lines: &[String]| {
        text.comment(&[comment]);
        let parameters: Vec<_> = parameters.iter().map(ToString::to_string).collect();
        text.function(signature, &parameters);
        text.open("{");
        for line in lines {
            text.line(line);
        }
        text.close("}");
        text.gap();
    };
    let test = |test, a: &str, b: &str| {
        [
            "const real reach = law::cutoff(self, space, i, j);".to_owned(),
            format!("return {test}(reach, space.difference({a}, {b}));"),
        ]
    };
    let within = test("within_reach", &to, &from);
    function("Negative at the cutoff and beyond it.", "real within", &of_pair, &within);
    let beyond = if interaction.pair.body.is_from_j() {
        test("beyond_reach", &from, &to)
    } else {
        test("beyond_reach", &to, &from)
    };
    function("Whether a pair is at the cutoff or beyond it.", "bool beyond", &of_pair, &beyond);
    if !cutoff.reads_j() {
        let lines = ["return law::cutoff(self, space, i, ParticleJ{});".to_owned()];
        function("The cutoff of an i-particle.", "real cutoff_of", &parameters, &lines);
    }
}
