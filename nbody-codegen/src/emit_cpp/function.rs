//! Prints functions, and the constants and helper functions that bodies use.

use super::printer::Printer;
use super::record::type_name;
use crate::emit_cuda::Uses;
use crate::emit_cuda::text::{Text, docs};
use crate::ir::{Body, Function, Module, Value};
use crate::lanes;

/// Prints the constants and helper functions that these bodies use.
pub(super) fn used<'a>(text: &mut Text, module: &Module, bodies: impl Iterator<Item = &'a Body>) {
    let uses = Uses::of(module, bodies);
    for &id in &uses.constants {
        let constant = &module[id];
        text.comment(&docs(&constant.attrs));
        let name = &constant.name;
        text.line(&match constant.value {
            Value::Real(x) => format!("constexpr double {name} = {x:?};"),
            Value::U32(n) => format!("constexpr uint32_t {name} = {n}u;"),
        });
    }
    text.gap();
    for &id in &uses.functions {
        helper(text, module, &module[id]);
    }
}

fn helper(text: &mut Text, module: &Module, item: &Function) {
    let body = &item.body;
    let space = body.summary.needs_space.then(|| space_parameter(body));
    let parameters = item.parameters.iter().map(|&id| {
        let local = &body.locals[id];
        format!("{} {}", type_name(local.ty), local.name)
    });
    text.comment(&docs(&item.attrs));
    if space.is_some() {
        text.line("template <class Space>");
    }
    let head = format!("{} {}", type_name(item.output), item.name);
    let parameters: Vec<_> = space.into_iter().chain(parameters).collect();
    block(text, &head, &parameters, |text| {
        Printer::new(module, body, None).body(text, &lanes::body(module, body));
    });
}

/// Prints a function template over the space.
pub(super) fn of_space(
    text: &mut Text,
    head: &str,
    parameters: &[String],
    body: impl FnOnce(&mut Text),
) {
    text.line("template <class Space>");
    block(text, head, parameters, body);
}

/// Prints a static member function, a template over the space, of one line.
pub(super) fn static_of_space(text: &mut Text, head: &str, parameters: &[String], line: &str) {
    text.gap();
    text.line("template <class Space>");
    text.head(&format!("static NBODY_INLINE {head}"), parameters);
    text.open("{");
    text.line(line);
    text.close("}");
}

fn block(text: &mut Text, head: &str, parameters: &[String], body: impl FnOnce(&mut Text)) {
    text.head(&format!("NBODY_INLINE {head}"), parameters);
    text.open("{");
    body(text);
    text.close("}");
    text.gap();
}

/// Returns the parameter for the space of a body.
pub(super) fn space_parameter(body: &Body) -> String {
    format!("const Space &{}", body.space)
}
