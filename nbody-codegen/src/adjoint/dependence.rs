//! Finds the variables that φ depends on.

use quote::ToTokens as _;

use super::Fault;
use super::selection::Field;
use super::text::Writer;
use crate::describe::Source;
use crate::diagnostics::Ctxt;
use crate::gradient::{Trace, depending};
use crate::ir::{self, Input, StmtKind};

/// Returns the chosen variables that φ depends on.
///
/// They are all variables if φ is too long to be followed: then its derivatives are refused.
pub(super) fn dependent<'a>(writer: &Writer<'a>) -> Result<Vec<&'a Field>, Fault> {
    let module = writer.potential();
    let text = module.to_token_stream().to_string();
    let cx = Ctxt::new();
    let source = Source::of(&cx, module);
    let Some(Source { checked, .. }) = source.filter(|_| cx.messages().is_empty()) else {
        return Err(Fault::Adjoint { text, faults: cx.diagnostics() });
    };
    let _none = cx.finish();
    let [law] = &checked.interactions[..] else { unreachable!("the module has one interaction") };
    let variables = &writer.chosen.variables;
    let mut trace = Trace::new(&checked.functions);
    let Some(StmtKind::Accumulate { value, .. }) =
        law.pair.body.statements.last().map(|it| &it.kind)
    else {
        return Ok(variables.iter().collect());
    };
    let followed = trace.block(&law.pair.body.statements).and_then(|()| trace.expr(value));
    let Ok(phi) = followed else { return Ok(variables.iter().collect()) };
    let depends = |field: &&Field| {
        let op = ir_variable(&checked, law, field);
        let node = op.and_then(|op| trace.graph.find(op, &[], field.ty));
        node.is_some_and(|node| depending(&trace.graph, phi, &[node]).is_ok())
    };
    Ok(variables.iter().filter(depends).collect())
}

/// Returns the operation that reads a variable.
fn ir_variable(
    module: &ir::Module,
    law: &ir::Interaction,
    field: &Field,
) -> Option<crate::gradient::Op> {
    let record = match field.input {
        Input::I => law.i.id,
        Input::J => law.j.id,
        _ => law.parameters.id,
    };
    let mut fields = module.structs.fields(record);
    let found = fields.find(|(_, it)| it.ident == field.name.as_str());
    found.map(|(id, _)| crate::gradient::Op::Input(field.input, id))
}
