//! Prints the generated part of a CUDA program: the structs, the constants and functions that the
//! interaction uses, and `pair`, as they were declared; and the interface to the kernels.
//!
//! A declaration has the namespace `nbody::law`, whose names hide the names of the kernels and are
//! hidden from them; only words of C++ and of the emitted text itself are renamed. Kernels use the
//! declaration through the names of the emitted sums. Parts for some programs only (a cutoff,
//! compensated sums, the index of j) are printed for these alone, and only templates of the kernels
//! name them.

mod expr;
mod program;
mod sums;
mod text;

use std::collections::BTreeSet;

use crate::ir::{
    Accumulate, BinaryOp, Body, ConstantId, Cutoff, Expr, ExprKind, FieldId, Function, FunctionId,
    Input, Interaction, LocalId, Module, Place, Reduction, Roles, Side, Stmt, StmtKind, Struct,
    StructId, Type, Value,
};
use crate::symmetry::Symmetric;

use expr::{Printer, assignment};
use text::{Text, docs};

pub use program::{names, program};
pub use sums::{compensated, sums};

/// Prints the declaration of an interaction.
pub fn law(module: &Module, interaction: &Interaction) -> String {
    let mut text = Text::default();
    let particles = [interaction.i.id, interaction.j.id];
    let others = [interaction.parameters.id, interaction.f.id];
    for (id, item) in module.structs.by_id() {
        let is_particle = particles.contains(&id);
        if is_particle || others.contains(&id) {
            structure(&mut text, item, is_particle);
        }
    }
    used(&mut text, module, interaction.bodies());
    if let Some(cutoff) = &interaction.cutoff {
        self::cutoff(&mut text, module, interaction, cutoff);
    }
    pair(&mut text, module, interaction);
    text.finish()
}

/// Prints the constants and helper functions that these bodies use.
fn used<'a>(text: &mut Text, module: &Module, bodies: impl Iterator<Item = &'a Body>) {
    let uses = Uses::of(module, bodies);
    for &id in &uses.constants {
        let constant = &module[id];
        text.comment(&docs(&constant.attrs));
        let name = &constant.name;
        text.line(&match constant.value {
            Value::Real(x) if expr::is_function(constant.value) => {
                let value = expr::rounded(x);
                format!("__device__ __forceinline__ real {name}() {{ return {value}; }}")
            }
            Value::Real(x) => format!("constexpr real {name} = {};", expr::rounded(x)),
            Value::U32(n) => format!("constexpr u32 {name} = {n}u;"),
        });
    }
    text.gap();
    for &id in &uses.functions {
        function(text, module, &module[id]);
    }
}

/// Constants and helper functions in use.
struct Uses {
    constants: BTreeSet<ConstantId>,
    functions: BTreeSet<FunctionId>,
}

impl Uses {
    fn of<'a>(module: &Module, bodies: impl Iterator<Item = &'a Body>) -> Self {
        let mut uses = Self { constants: BTreeSet::new(), functions: BTreeSet::new() };
        bodies.for_each(|body| uses.body(body));
        // Each function follows the functions that it calls, so the search goes backwards.
        for (id, function) in module.functions.by_id().rev() {
            if uses.functions.contains(&id) {
                uses.body(&function.body);
            }
        }
        uses
    }

    fn body(&mut self, body: &Body) {
        for expr in body.exprs() {
            match expr.kind {
                ExprKind::Constant(id) => {
                    self.constants.insert(id);
                }
                ExprKind::Call(id, _) => {
                    self.functions.insert(id);
                }
                _ => {}
            }
        }
    }
}

/// Returns the name of a type in CUDA C++.
pub(crate) fn type_name(ty: Type) -> String {
    match ty {
        Type::Real | Type::Reduced(Reduction::Min | Reduction::Max) => "real".to_owned(),
        Type::U32 | Type::Reduced(Reduction::Count) => "u32".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Vector(n) => format!("Vector<{n}>"),
        Type::Point(n) => format!("Point<{n}>"),
        Type::Array(n) => format!("Array<{n}>"),
        Type::Table(rows, columns) => format!("Table<{rows}, {columns}>"),
        Type::Reduced(Reduction::ArgMin) => "ArgMin".to_owned(),
    }
}

fn structure(text: &mut Text, item: &Struct, is_particle: bool) {
    text.comment(&docs(&item.attrs));
    let packed = is_particle && item.dim() > 0;
    let packing =
        if packed { format!("alignas(packing({})) ", numbers(item)) } else { String::new() };
    text.open(&format!("struct {packing}{} {{", item.name));
    for field in &item.fields {
        // On the device every number has the size of a `real`.
        let align = if field.ty == Type::U32 { "alignas(sizeof(real)) " } else { "" };
        let line = format!("{align}{} {};", type_name(field.ty), field.name);
        match &docs(&field.attrs)[..] {
            [] => text.line(&line),
            [doc] => text.line_with(&line, Some(doc)),
            docs => {
                text.comment(docs);
                text.line(&line);
            }
        }
    }
    text.close("};");
    text.gap();
}

/// Prints the numbers of a struct on the device, where a coordinate may take two numbers.
fn numbers(item: &Struct) -> String {
    let is_point = |ty| matches!(ty, Type::Point(_));
    let coordinates = item.fields.iter().filter(|field| is_point(field.ty));
    let coordinates: usize = coordinates.map(|field| field.ty.components()).sum();
    match (item.dim() - coordinates, coordinates) {
        (others, 0) => others.to_string(),
        (0, coordinates) => format!("{coordinates} * COORDINATE"),
        (others, coordinates) => format!("{coordinates} * COORDINATE + {others}"),
    }
}

fn function(text: &mut Text, module: &Module, function: &Function) {
    let space = function.body.summary.needs_space.then(|| space_parameter(&function.body));
    let parameters = function.parameters.iter().map(|&id| {
        let local = &function.body.locals[id];
        format!("{} {}", type_name(local.ty), local.name)
    });
    let parameters: Vec<_> = space.into_iter().chain(parameters).collect();
    text.comment(&docs(&function.attrs));
    text.function(&format!("{} {}", type_name(function.output), function.name), &parameters);
    text.open("{");
    let printer = Printer::new(module, &function.body, None);
    body(text, &printer, &function.body);
    text.close("}");
    text.gap();
}

fn space_parameter(body: &Body) -> String {
    format!("const Space &{}", body.space)
}

/// Returns the parameters that `cutoff` and `pair` share. All are printed, used or not, so that
/// kernels can call any interaction in the same way.
fn inputs(module: &Module, interaction: &Interaction, body: &Body, roles: &Roles) -> Vec<String> {
    let name = |id: StructId| &module[id].name;
    let space = if body.summary.needs_space { &*body.space } else { "" };
    vec![
        format!("const {} &self", name(interaction.parameters.id)),
        format!("const Space &{space}"),
        format!("const {} &{}", name(interaction.i.id), roles.input(Input::I)),
        format!("const {} &{}", name(interaction.j.id), roles.input(Input::J)),
    ]
}

fn cutoff(text: &mut Text, module: &Module, interaction: &Interaction, cutoff: &Cutoff) {
    let Cutoff { roles, body, .. } = cutoff;
    match &docs(&cutoff.attrs)[..] {
        [] => text.comment(&["The distance beyond which a pair contributes nothing."]),
        docs => text.comment(docs),
    }
    text.function("real cutoff", &inputs(module, interaction, body, roles));
    text.open("{");
    let printer = Printer::new(module, body, Some(roles));
    self::body(text, &printer, body);
    text.close("}");
    text.gap();
}

fn pair(text: &mut Text, module: &Module, interaction: &Interaction) {
    let pair = &interaction.pair;
    let roles = &pair.roles;
    match &docs(&pair.attrs)[..] {
        [] => {
            let [i, j] = [Input::I, Input::J].map(|particle| roles.input(particle));
            text.comment(&[format!("Adds to {} what {j} does to {i}.", roles.f)]);
        }
        docs => text.comment(docs),
    }
    let output = &module[interaction.f.id];
    let mut parameters = inputs(module, interaction, &pair.body, roles);
    parameters.extend(output.keeps_index().then(|| format!("u32 {}", roles.index)));
    parameters.push(format!("{} &{}", output.name, roles.f));
    text.function("void pair", &parameters);
    text.open("{");
    let printer = Printer::new(module, &pair.body, Some(roles));
    body(text, &printer, &pair.body);
    text.close("}");
    text.gap();
}

/// Prints the function for both directions of a pair, which follows the declaration.
pub fn pair_symmetric(module: &Module, interaction: &Interaction, both: &Symmetric) -> String {
    let mut text = Text::default();
    let Symmetric { roles, body } = both;
    let [i, j] = [Input::I, Input::J].map(|particle| roles.input(particle));
    let (f, g) = (&roles.f, roles.result(Side::J));
    text.comment(&[format!("Adds to {f} what {j} does to {i}, and to {g} what {i} does to {j}.")]);
    let output = &module[interaction.f.id].name;
    let mut parameters = inputs(module, interaction, body, roles);
    parameters.extend([f.as_str(), g].map(|result| format!("{output} &{result}")));
    text.function("void pair_symmetric", &parameters);
    text.open("{");
    let printer = Printer::new(module, body, Some(roles));
    self::body(&mut text, &printer, body);
    text.close("}");
    text.gap();
    text.finish()
}

fn body(text: &mut Text, printer: &Printer, body: &Body) {
    statements(text, printer, &body.statements);
    text.comment(&body.comments);
    if let Some(value) = &body.value {
        text.line(&format!("return {};", printer.print(value)));
    }
}

fn statements(text: &mut Text, printer: &Printer, statements: &[Stmt]) {
    for statement in statements {
        text.comment(&statement.comments);
        self::statement(text, printer, statement);
    }
}

fn statement(text: &mut Text, printer: &Printer, statement: &Stmt) {
    let behind = statement.behind.as_deref();
    match &statement.kind {
        StmtKind::Let { local, value } => {
            let local = printer.local(*local);
            let constant = if local.mutable { "" } else { "const " };
            let ty = type_name(local.ty);
            let value = printer.print(value);
            text.line_with(&format!("{constant}{ty} {} = {value};", local.name), behind);
        }
        StmtKind::Declare { local } => {
            let local = printer.local(*local);
            text.line_with(&format!("{} {};", type_name(local.ty), local.name), behind);
        }
        StmtKind::Assign { place, op, value } => {
            let target = variable(printer, place);
            text.line_with(&assigned(printer, &target, place.ty(), *op, value), behind);
        }
        StmtKind::Change { place, op, value } => {
            let target = changed(printer, place);
            text.line_with(&assigned(printer, &target, place.ty(), *op, value), behind);
        }
        StmtKind::Accumulate { side, place, how, value } => {
            let (target, value) = (accumulator(printer, *side, place), printer.print(value));
            let line = match how {
                Accumulate::Add | Accumulate::Reduce(Reduction::Count) => {
                    format!("{target} += {value};")
                }
                Accumulate::Sub => format!("{target} -= {value};"),
                Accumulate::Reduce(Reduction::Min) => format!("{target} = min({target}, {value});"),
                Accumulate::Reduce(Reduction::Max) => format!("{target} = max({target}, {value});"),
                Accumulate::Reduce(Reduction::ArgMin) => {
                    format!("take_min({target}, {value}, {});", printer.index_of_j())
                }
            };
            text.line_with(&line, behind);
        }
        StmtKind::If { condition, yes, no } => {
            text.open(&format!("if ({}) {{", printer.print(condition)));
            statements(text, printer, yes);
            if let [Stmt { kind: StmtKind::If { .. }, comments, .. }] = &no[..]
                && comments.is_empty()
            {
                text.close_with("} else ");
                self::statement(text, printer, &no[0]);
                return;
            }
            if !no.is_empty() {
                text.close("} else {");
                text.indent();
                statements(text, printer, no);
            }
            text.close("}");
        }
        StmtKind::For { local, range, body } => {
            text.for_each(&printer.local(*local).name, range);
            statements(text, printer, body);
            text.close("}");
        }
        StmtKind::Return { value: None } => text.line_with("return;", behind),
        StmtKind::Return { value: Some(value) } => {
            text.line_with(&format!("return {};", printer.print(value)), behind);
        }
    }
}

/// Prints the assignment of a value to a target of this type.
fn assigned(
    printer: &Printer,
    target: &str,
    ty: Type,
    op: Option<BinaryOp>,
    value: &Expr,
) -> String {
    let value = printer.print(value);
    if op == Some(BinaryOp::Div) && ty == Type::Real {
        format!("{target} = divide({target}, {value});")
    } else {
        format!("{target} {} {value};", assignment(op))
    }
}

fn variable(printer: &Printer, place: &Place<LocalId>) -> String {
    let local = printer.local(place.of);
    match &place.component {
        None => local.name.clone(),
        Some(index) => printer.component(&local.name, place.whole, index),
    }
}

fn changed(printer: &Printer, place: &Place<FieldId>) -> String {
    let field = format!("{}.{}", printer.input(Input::P), printer.field(place.of));
    match &place.component {
        None => field,
        Some(index) => printer.component(&field, place.whole, index),
    }
}

fn accumulator(printer: &Printer, side: Side, place: &Place<FieldId>) -> String {
    let field = format!("{}.{}", printer.result(side), printer.field(place.of));
    match &place.component {
        None => field,
        Some(index) => printer.component(&field, place.whole, index),
    }
}
