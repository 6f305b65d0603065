//! Prints the records: their fields, the visit of their numbers, and the accumulation into results.

use crate::emit_cuda::text::{Text, docs};
use crate::ir::{Field, Module, Reduction, Struct, StructId, Type};

/// Returns the name of a type, where `Real` is the lane.
pub(super) fn type_name(ty: Type) -> String {
    match ty {
        Type::Real | Type::Reduced(Reduction::Min | Reduction::Max) => "Real".to_owned(),
        Type::U32 | Type::Reduced(Reduction::Count) => "U32".to_owned(),
        Type::Bool => "Mask".to_owned(),
        Type::Vector(n) => format!("Vector<{n}>"),
        Type::Point(n) => format!("Point<{n}>"),
        Type::Array(n) => format!("Array<{n}>"),
        Type::Tensor(_) => format!("Array<{}>", ty.components()),
        Type::Counts(n) => format!("Counts<{n}>"),
        Type::Table(rows, columns) => format!("Table<{rows}, {columns}>"),
        Type::Spline(knots) => format!("Spline<{knots}>"),
        Type::Splines(n, knots) => format!("Splines<{n}, 1, {knots}>"),
        Type::SplineTable(rows, columns, knots) => {
            format!("Splines<{rows}, {columns}, {knots}>")
        }
        Type::Reduced(Reduction::Arg(extremum)) => extremum.name().to_owned(),
        Type::Reduced(Reduction::Nearest(n)) => format!("Nearest<{n}>"),
    }
}

/// Prints the structs with these ids.
pub(super) fn records(text: &mut Text, module: &Module, ids: &[StructId]) {
    for (id, item) in module.structs.by_id() {
        if ids.contains(&id) {
            record(text, item);
        }
    }
}

fn record(text: &mut Text, item: &Struct) {
    text.comment(&docs(&item.attrs));
    text.open(&format!("struct {} {{", item.name));
    for field in &item.fields {
        let line = format!("{} {}{};", type_name(field.ty), field.name, zero(field));
        text.documented(&line, &field.attrs);
    }
    let splines = item.fields.iter().filter(|field| field.ty.is_of_splines());
    let cubics: Vec<_> = splines.map(|field| field.ty.components() / 4).collect();
    let (coordinates, all) = (item.coordinates(), cubics.iter().sum::<usize>());
    let numbers = item.dim() - coordinates - 4 * all;
    let of_cubics = if cubics.is_empty() {
        String::new()
    } else {
        // As `lines_of_cubics` of nbody-core.
        let lines = cubics.iter().map(|n| (4 * n).div_ceil(16)).sum::<usize>();
        format!(", CUBICS = {all}, CUBIC_LINES = {lines}")
    };
    text.line(&format!(
        "static constexpr size_t COORDINATES = {coordinates}, NUMBERS = {numbers}{of_cubics};"
    ));
    text.gap();
    let visits: Vec<_> = item.fields.iter().map(visit).collect();
    function(text, "template <class Visit> NBODY_INLINE void visit(Visit &&visit)", &visits);
    if item.is_output {
        output(text, item);
    }
    text.close("};");
    text.gap();
}

/// Prints the initial value of a field.
fn zero(field: &Field) -> &'static str {
    match field.ty {
        Type::Reduced(Reduction::Min) => " = Real::splat(INFINITY)",
        Type::Reduced(Reduction::Max) => " = Real::splat(-INFINITY)",
        _ => "{}",
    }
}

fn visit(Field { name, ty, .. }: &Field) -> String {
    match ty {
        Type::Reduced(Reduction::Min) => format!("visit.least({name});"),
        Type::Reduced(Reduction::Max) => format!("visit.greatest({name});"),
        Type::Reduced(Reduction::Count) => format!("visit.count({name});"),
        _ => format!("visit({name});"),
    }
}

/// Prints the selection of results by a mask, and compensated sums. No declared name begins with an
/// underscore, so that parameters hide no struct.
fn output(text: &mut Text, item: &Struct) {
    let name = &item.name;
    text.gap();
    let selected = item
        .fields
        .iter()
        .map(|Field { name, .. }| format!("nbody::select(_mask, _yes.{name}, _no.{name})"));
    let selected: Vec<_> = selected.collect();
    function(
        text,
        &format!(
            "static NBODY_INLINE {name} select(Mask _mask, const {name} &_yes, const {name} &_no)"
        ),
        &[format!("return {{{}}};", selected.join(", "))],
    );
    text.gap();
    let sums: Vec<_> = item.fields.iter().map(compensate).collect();
    text.line("template <class Space>");
    function(
        text,
        &format!(
            "static NBODY_INLINE void compensate(const {name} &_term, {name} &_total, {name} &_lost)"
        ),
        &sums,
    );
}

fn compensate(Field { name, ty, .. }: &Field) -> String {
    match ty {
        Type::Reduced(Reduction::Min) => {
            format!("_total.{name} = _total.{name}.min(_term.{name});")
        }
        Type::Reduced(Reduction::Max) => {
            format!("_total.{name} = _total.{name}.max(_term.{name});")
        }
        Type::Reduced(Reduction::Arg(_)) => {
            format!("_total.{name}.take<Space>(_term.{name}.value, _term.{name}.index);")
        }
        Type::Reduced(Reduction::Nearest(_)) => {
            format!("_total.{name}.merge<Space>(_term.{name});")
        }
        Type::Reduced(Reduction::Count) => {
            format!("_total.{name} = Real::add_u32(_total.{name}, _term.{name});")
        }
        _ => format!("nbody::compensate(_term.{name}, _total.{name}, _lost.{name});"),
    }
}

fn function(text: &mut Text, head: &str, lines: &[String]) {
    text.line(head);
    text.open("{");
    for line in lines {
        text.line(line);
    }
    text.close("}");
}
