//! Prints statements.

use std::ops::Range;

use crate::emit_cuda::expr::{Printer, assignment, divides, division};
use crate::emit_cuda::structure::type_name;
use crate::emit_cuda::text::Text;
use crate::ir::{
    Accumulate, BinaryOp, Body, Expr, FieldId, Input, LocalId, Place, Reduction, Scatter, Side,
    Stmt, StmtKind, Type,
};

/// Prints the statements and the value of a body.
pub(super) fn body(text: &mut Text, printer: &Printer, body: &Body) {
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
                Accumulate::Reduce(Reduction::Arg(_) | Reduction::Nearest(_)) => {
                    format!("take({target}, {value}, {});", printer.index_of_j())
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
            if let Some(scatter) = of_counts(*local, range, body) {
                return add_to_counts(text, printer, &scatter);
            }
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

/// Recognises a loop that adds to one entry of each array of counts, and to nothing else. Kernels
/// keep counts where an index can select them.
fn of_counts<'a>(local: LocalId, range: &Range<u32>, body: &'a [Stmt]) -> Option<Scatter<'a>> {
    let scatter = Scatter::of(local, body)?;
    let is_of_all = |statement: &Stmt| {
        matches!(&statement.kind, StmtKind::Accumulate { place, .. }
            if place.whole == Type::Counts(range.len()) && range.start == 0)
    };
    scatter.sums.iter().all(is_of_all).then_some(scatter)
}

/// Prints the additions to the entries of one index.
fn add_to_counts(text: &mut Text, printer: &Printer, scatter: &Scatter) {
    let conditions: Vec<_> =
        scatter.conditions.iter().map(|condition| printer.print(condition)).collect();
    if !conditions.is_empty() {
        let all = match &conditions[..] {
            [one] => one.clone(),
            all => format!("({})", all.join(") && (")),
        };
        text.open(&format!("if ({all}) {{"));
    }
    let index = printer.print(scatter.index);
    for statement in scatter.sums {
        text.comment(&statement.comments);
        if let StmtKind::Accumulate { side, place, value, .. } = &statement.kind {
            let counts = format!("{}.{}", printer.result(*side), printer.field(place.of));
            let line = format!("add_at({counts}, {index}, {});", printer.print(value));
            text.line_with(&line, statement.behind.as_deref());
        }
    }
    if !conditions.is_empty() {
        text.close("}");
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
    let text = printer.print(value);
    match op {
        Some(BinaryOp::Div) if ty == Type::Real => {
            format!("{target} = divide({target}, {text});")
        }
        Some(op @ (BinaryOp::Div | BinaryOp::Rem)) if ty == Type::U32 && !divides(value) => {
            format!("{target} = {}({target}, {text});", division(op))
        }
        Some(BinaryOp::Shl | BinaryOp::Shr) => {
            format!("{target} {} {};", assignment(op), printer.bits(value))
        }
        _ => format!("{target} {} {text};", assignment(op)),
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
