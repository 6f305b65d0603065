//! Prints the cutoff of groups of particles: the declared cutoff on intervals.
//!
//! As in Rust, where lanes hold many particles, an `if` becomes a condition that may hold for some and
//! fail for others: both branches are computed, and assigned values are selected by the condition, which
//! gives the hull of both where it is undecided. A `return` removes particles from `on`.

use super::expr::Printer;
use super::text::{Text, docs};
use super::{Uses, variable};
use crate::ir::{
    Body, Cutoff, Function, Input, Interaction, Module, Stmt, StmtKind, Type, Value, statements,
};
use crate::names::Unique;

/// The cutoff of groups of particles; empty if it does not depend on particles, or if there is none.
pub fn reach(module: &Module, interaction: &Interaction) -> String {
    let mut text = Text::default();
    let Some(cutoff) = &interaction.cutoff else { return text.finish() };
    let numbers = [(Input::I, interaction.i.id), (Input::J, interaction.j.id)]
        .map(|(input, id)| module[id].numbers_read(input, &cutoff.body));
    if numbers.iter().all(Vec::is_empty) {
        return text.finish();
    }
    let uses = Uses::of(module, [&cutoff.body].into_iter());
    for &id in &uses.constants {
        let constant = &module[id];
        text.comment(&docs(&constant.attrs));
        let name = &constant.name;
        text.line(&match constant.value {
            Value::Real(x) => format!("constexpr double {name} = {x:?};"),
            Value::U32(n) => format!("constexpr u32 {name} = {n}u;"),
        });
    }
    text.gap();
    for &id in &uses.functions {
        function(&mut text, module, &module[id]);
    }
    self::cutoff(&mut text, module, interaction, cutoff, &numbers);
    text.finish()
}

fn function(text: &mut Text, module: &Module, function: &Function) {
    let printer = Printer::of_bounds(module, &function.body, None);
    let parameters = function.parameters.iter().map(|&id| {
        let local = &function.body.locals[id];
        format!("{} {}", printer.type_name(local.ty), local.name)
    });
    let parameters: Vec<_> = parameters.collect();
    text.comment(&docs(&function.attrs));
    let output = printer.type_name(function.output);
    text.function(&format!("{output} {}", function.name), &parameters);
    text.open("{");
    Bounds::new(module, printer, &function.body).body(text, &function.body);
    text.close("}");
    text.gap();
}

/// The function that takes the parameters, and the numbers of i and of j that it depends on.
fn cutoff(
    text: &mut Text,
    module: &Module,
    interaction: &Interaction,
    cutoff: &Cutoff,
    numbers: &[Vec<usize>; 2],
) {
    let Cutoff { attrs, roles, body, .. } = cutoff;
    let printer = Printer::of_bounds(module, body, Some(roles));
    let mut bounds = Bounds::new(module, printer, body);
    roles.inputs.iter().for_each(|(_, name)| bounds.names.keep(name));
    let all: Vec<_> = (0..module[interaction.parameters.id].dim()).collect();
    let records = [
        (Input::Parameters, interaction.parameters.id, &all),
        (Input::I, interaction.i.id, &numbers[0]),
        (Input::J, interaction.j.id, &numbers[1]),
    ];
    let (mut parameters, mut records_read) = (Vec::new(), Text::default());
    records_read.indent();
    for (input, id, numbers) in records {
        let name = if input == Input::Parameters { "self" } else { roles.input(input) };
        let fields = module[id].fields_read(input, body);
        let from =
            if fields.is_empty() { String::new() } else { bounds.name(&format!("of_{name}")) };
        parameters.push(format!("const Interval *{from}"));
        if fields.is_empty() {
            continue;
        }
        records_read.open("const struct {");
        let mut values = Vec::new();
        for (first, field) in fields {
            let at = numbers.iter().position(|number| *number == first);
            let at = at.expect("a field that is read is among the numbers");
            let in_memory = input == Input::Parameters;
            values.push(value(field.ty, in_memory, &from, at));
            let ty = match field.ty {
                Type::Array(n) if in_memory => format!("Entries<{n}>"),
                ty => bounds.printer.type_name(ty),
            };
            records_read.line(&format!("{ty} {};", field.name));
        }
        records_read.close(&format!("}} {name} = {{{}}};", values.join(", ")));
    }
    match &docs(attrs)[..] {
        [] => text.comment(&["The distance beyond which a pair contributes nothing."]),
        docs => text.comment(docs),
    }
    text.function("Interval cutoff", &parameters);
    text.open("{");
    text.lines(&records_read.finish());
    bounds.body(text, body);
    text.close("}");
    text.gap();
}

/// A field from the bounds of numbers.
fn value(ty: Type, in_memory: bool, from: &str, at: usize) -> String {
    match ty {
        Type::Table(..) => format!("{{{from} + {at}}}"),
        Type::Array(_) if in_memory => format!("{{{from} + {at}}}"),
        Type::U32 => format!("{from}[{at}].integers()"),
        Type::Vector(n) | Type::Array(n) => {
            let numbers = (at..at + n).map(|at| format!("{from}[{at}].stored()"));
            format!("{{{}}}", numbers.collect::<Vec<_>>().join(", "))
        }
        _ => format!("{from}[{at}].stored()"),
    }
}

/// The printer of one function.
struct Bounds<'a> {
    printer: Printer<'a>,
    names: Unique,
    /// The particles that have not returned, and the value of the others, if there is a `return`.
    returns: Option<[String; 2]>,
}

impl<'a> Bounds<'a> {
    fn new(module: &Module, printer: Printer<'a>, body: &Body) -> Self {
        let mut names = module.names.clone();
        body.locals.iter().for_each(|local| names.keep(&local.name));
        Self { printer, names, returns: None }
    }

    /// A name that the declaration does not have.
    fn name(&mut self, name: &str) -> String {
        self.names.name(name)
    }

    fn body(&mut self, text: &mut Text, body: &Body) {
        let value = body.value.as_ref().expect("checked: cutoffs and helper functions have values");
        let has_return = statements(&body.statements)
            .any(|statement| matches!(statement.kind, StmtKind::Return { .. }));
        if has_return {
            let [on, result] = ["on", "result"].map(|name| self.name(name));
            text.line(&format!("Truth {on} = Truth::of(true);"));
            self.declare(text, value.ty, &result);
            self.returns = Some([on, result]);
        }
        self.statements(text, &body.statements, None);
        text.comment(&body.comments);
        let value = self.printer.print(value);
        match &self.returns {
            Some([on, result]) => text.line(&format!("return {on}.select({value}, {result});")),
            None => text.line(&format!("return {value};")),
        }
    }

    /// A variable that is zero.
    fn declare(&self, text: &mut Text, ty: Type, name: &str) {
        let zero = if ty == Type::Bool { " = Truth::of(false)" } else { "{}" };
        text.line(&format!("{} {name}{zero};", self.printer.type_name(ty)));
    }

    fn statements(&mut self, text: &mut Text, list: &[Stmt], mask: Option<&str>) {
        for Stmt { comments, behind, kind, .. } in list {
            text.comment(comments);
            self.statement(text, kind, mask, behind.as_deref());
        }
    }

    fn statement(
        &mut self,
        text: &mut Text,
        statement: &StmtKind,
        mask: Option<&str>,
        behind: Option<&str>,
    ) {
        let printer = &self.printer;
        match statement {
            StmtKind::Let { local, value } => {
                let local = printer.local(*local);
                let constant = if local.mutable { "" } else { "const " };
                let (ty, value) = (printer.type_name(local.ty), printer.print(value));
                text.line_with(&format!("{constant}{ty} {} = {value};", local.name), behind);
            }
            StmtKind::Declare { local } => {
                let local = printer.local(*local);
                self.declare(text, local.ty, &local.name);
            }
            StmtKind::Assign { place, op, value } => {
                let target = variable(printer, place);
                let value = match op {
                    None => printer.print(value),
                    Some(op) => printer.combined(&target, *op, value),
                };
                let value = match mask {
                    None => value,
                    Some(mask) => format!("{mask}.select({value}, {target})"),
                };
                text.line_with(&format!("{target} = {value};"), behind);
            }
            StmtKind::If { condition, yes, no } => {
                let condition = printer.print(condition);
                self.branches(text, &condition, [yes, no], mask);
            }
            StmtKind::For { local, range, body } => {
                let name = &printer.local(*local).name;
                text.for_each(name, range);
                self.statements(text, body, mask);
                text.close("}");
            }
            StmtKind::Return { value } => {
                let value = value.as_ref().map(|value| printer.print(value));
                let [on, result] = self.returns.as_ref().expect("a body with a return");
                let here = mask.map_or(on.clone(), |mask| format!("({mask} && {on})"));
                let value = value.expect("checked: cutoffs and helper functions return values");
                text.line_with(&format!("{result} = {here}.select({value}, {result});"), behind);
                let rest =
                    mask.map_or("Truth::of(false)".to_owned(), |mask| format!("{on} && !{mask}"));
                text.line(&format!("{on} = {rest};"));
            }
            StmtKind::Change { .. } | StmtKind::Accumulate { .. } => {
                unreachable!("checked: cutoffs and helper functions change only variables")
            }
        }
    }

    fn branches(
        &mut self,
        text: &mut Text,
        condition: &str,
        branches: [&[Stmt]; 2],
        mask: Option<&str>,
    ) {
        let holds = self.name("holds");
        text.line(&format!("const Truth {holds} = {condition};"));
        for (name, sign, branch) in [("when", "", branches[0]), ("otherwise", "!", branches[1])] {
            if branch.is_empty() {
                continue;
            }
            let mask = match mask {
                None if sign.is_empty() => holds.clone(),
                _ => {
                    let outer = mask.map(|mask| format!("{mask} && ")).unwrap_or_default();
                    let name = self.name(name);
                    text.line(&format!("const Truth {name} = {outer}{sign}{holds};"));
                    name
                }
            };
            self.statements(text, branch, Some(&mask));
        }
    }
}
