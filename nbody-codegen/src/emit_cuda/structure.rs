//! Prints the structs.

use crate::emit_cuda::text::{Text, docs};
use crate::ir::{Reduction, Struct, Type};

/// Returns the name of a type in CUDA C++.
pub(super) fn type_name(ty: Type) -> String {
    match ty {
        Type::Real | Type::Reduced(Reduction::Min | Reduction::Max) => "real".to_owned(),
        Type::U32 | Type::Reduced(Reduction::Count) => "u32".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Vector(n) => format!("Vector<{n}>"),
        Type::Point(n) => format!("Point<{n}>"),
        Type::Array(n) => format!("Array<{n}>"),
        Type::Tensor(_) => format!("Array<{}>", ty.components()),
        Type::Table(rows, columns) => format!("Table<{rows}, {columns}>"),
        Type::Spline(knots) => format!("Spline<{knots}>"),
        Type::Splines(n, knots) => format!("Splines<{n}, 1, {knots}>"),
        Type::SplineTable(rows, columns, knots) => {
            format!("Splines<{rows}, {columns}, {knots}>")
        }
        Type::Reduced(Reduction::Arg(extremum)) => extremum.name().to_owned(),
        Type::Reduced(Reduction::Nearest(n)) => format!("Nearest<{n}>"),
        Type::Counts(n) => format!("Counts<{n}>"),
    }
}

/// Prints a struct.
pub(super) fn structure(text: &mut Text, item: &Struct, is_particle: bool) {
    text.comment(&docs(&item.attrs));
    let packed = is_particle && item.dim() > 0;
    let packing =
        if packed { format!("alignas(packing({})) ", numbers(item)) } else { String::new() };
    text.open(&format!("struct {packing}{} {{", item.name));
    let mut counts = 0;
    for field in &item.fields {
        // On the device every number has the size of a `real`.
        let align = if field.ty == Type::U32 { "alignas(sizeof(real)) " } else { "" };
        let ty = match field.ty {
            Type::Counts(n) => {
                counts += n;
                // With the place of the first one among all counts of the struct.
                format!("Counts<{n}, {}>", counts - n)
            }
            ty => type_name(ty),
        };
        let line = format!("{align}{ty} {};", field.name);
        text.documented(&line, &field.attrs);
    }
    text.close("};");
    text.gap();
}

/// Prints the numbers of a struct on the device, where a coordinate may take two numbers.
pub(super) fn numbers(item: &Struct) -> String {
    let coordinates = item.coordinates();
    let counts = item.counts();
    let numbers = match (item.dim() - coordinates - counts, coordinates) {
        (others, 0) => others.to_string(),
        (0, coordinates) => format!("{coordinates} * COORDINATE"),
        (others, coordinates) => format!("{coordinates} * COORDINATE + {others}"),
    };
    if counts == 0 { numbers } else { format!("{numbers} + kept({counts})") }
}
