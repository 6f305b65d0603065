//! Prints the constants and helper functions that a body uses.

use std::collections::BTreeSet;

use crate::emit_cuda::expr::{Printer, is_function, rounded};
use crate::emit_cuda::statement::body;
use crate::emit_cuda::structure::type_name;
use crate::emit_cuda::text::{Text, docs};
use crate::ir::{Body, ConstantId, ExprKind, Function, FunctionId, Module, Value};

/// Prints the constants and helper functions that these bodies use.
pub(super) fn used<'a>(text: &mut Text, module: &Module, bodies: impl Iterator<Item = &'a Body>) {
    let uses = Uses::of(module, bodies);
    for &id in &uses.constants {
        let constant = &module[id];
        text.comment(&docs(&constant.attrs));
        let name = &constant.name;
        text.line(&match constant.value {
            Value::Real(x) if is_function(constant.value) => {
                let value = rounded(x);
                format!("__device__ __forceinline__ real {name}() {{ return {value}; }}")
            }
            Value::Real(x) => format!("constexpr real {name} = {};", rounded(x)),
            Value::U32(n) => format!("constexpr u32 {name} = {n}u;"),
        });
    }
    text.gap();
    for &id in &uses.functions {
        function(text, module, &module[id]);
    }
}

/// Constants and helper functions in use.
pub struct Uses {
    pub constants: BTreeSet<ConstantId>,
    pub functions: BTreeSet<FunctionId>,
}

impl Uses {
    pub fn of<'a>(module: &Module, bodies: impl Iterator<Item = &'a Body>) -> Self {
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
