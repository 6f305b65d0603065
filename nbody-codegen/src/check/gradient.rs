//! Checks gradients, and replaces them by the expressions that compute them.

use std::collections::HashMap;

use syn::ExprMethodCall;

use crate::check::advice::{operand, written};
use crate::check::body::BodyChecker;
use crate::check::call::given;
use crate::diagnostics::Site;
use crate::gradient::{
    Held, LONGEST, Lost, NodeId, Op, Printer, Refusal, TooLong, Trace, gradient,
};
use crate::ir::{self, ExprKind, Index, StmtKind, Type};
use crate::message;

/// Advice for arguments that are no variables.
const VARIABLES: &str =
    "write `e.gradient(i.pos)`, or name another field, an element of an array, or a variable";
const NUMBERS: &str = "only a `Real`, a `Vector`, a `Point`, an element of an array and a component of a tensor have derivatives";
const INDEPENDENT: &str = "a gradient follows a value back to the fields and variables that it was computed from; \
                           a variable that was assigned since is another one";

impl BodyChecker<'_> {
    /// Checks `e.gradient(x)`, and returns the derivative of a real number `e` by a variable `x`.
    pub fn gradient(&mut self, call: &ExprMethodCall, value: &ir::Expr) -> Option<ir::Expr> {
        let cx = self.items.cx;
        let [by] = &call.args.iter().collect::<Vec<_>>()[..] else {
            let given = given(call.args.len());
            cx.error(Site::of(call), &message::ARITY, &["gradient", "1 argument", &given]);
            return None;
        };
        let variable = self.expr(by)?;
        let Some((base, index)) = target(&variable) else {
            cx.error(Site::of(by), &message::GRADIENT_BY, &[VARIABLES]);
            return None;
        };
        if !matches!(variable.ty, Type::Real | Type::Vector(_) | Type::Point(_)) {
            cx.error(Site::of(by), &message::GRADIENT_BY, &[NUMBERS]);
            return None;
        }
        for part in value.walk() {
            if let ExprKind::Local(local) = part.kind {
                self.locals[local].has_gradient = true;
            }
        }
        let mut trace = Trace::new(self.functions?);
        let Ok(nodes) = self.followed(&mut trace, [value, base]) else {
            let most = LONGEST.to_string();
            cx.error(Site::of(&call.method), &message::GRADIENT_LENGTH, &[&most]);
            return None;
        };
        let [value_node, by_node] = nodes;
        let derived = match gradient(&mut trace.graph, value_node, by_node) {
            Ok(derived) => derived,
            Err(Refusal::Independent) => {
                let arguments = [&operand(&call.receiver), &written(by), INDEPENDENT];
                cx.error(Site::of(call), &message::GRADIENT_INDEPENDENT, &arguments);
                return None;
            }
            Err(Refusal::Unknown(op)) => {
                let name = self.name_of(&op);
                cx.error(Site::of(&call.method), &message::GRADIENT_LOOP, &[&name]);
                return None;
            }
        };
        let derived = match index.map(|index| trace.index(index)) {
            None => derived,
            Some(index) => {
                let operands = vec![derived, index.ok()?];
                trace.graph.apply(Op::At, operands, Type::Real)
            }
        };
        match self.printed(&trace, derived, call.method.span()) {
            Ok(expr) => Some(expr),
            Err(Lost(node)) => {
                let name = self.name_of(&trace.graph.node(node).op);
                cx.error(Site::of(call), &message::GRADIENT_LOST, &[&name]);
                None
            }
        }
    }

    /// Follows the statements up to here, and returns the nodes of these expressions.
    fn followed(&self, trace: &mut Trace, exprs: [&ir::Expr; 2]) -> Result<[NodeId; 2], TooLong> {
        for (place, block) in self.open.iter().enumerate() {
            if let Some((_, variable)) = self.loops.iter().find(|(open, _)| *open == place) {
                trace.enter_loop(*variable, |local| self.locals[local].mutable, self.changes);
            }
            trace.block(block)?;
        }
        Ok([trace.expr(exprs[0])?, trace.expr(exprs[1])?])
    }

    /// Adds variables for values that stand several times, and returns the expression of a node.
    fn printed(
        &mut self,
        trace: &Trace,
        node: NodeId,
        span: proc_macro2::Span,
    ) -> Result<ir::Expr, Lost> {
        let locals: HashMap<_, _> =
            trace.locals.iter().rev().map(|(&local, &node)| (node, local)).collect();
        let held = Held { locals, changed: trace.changed.clone() };
        let mut printer = Printer::new(&trace.graph, held, span, node);
        for shared in printer.shared() {
            let value = printer.expr(shared)?;
            let local = self.declare_unnamed("part", value.ty, span);
            self.push(StmtKind::Let { local, value });
            printer.held.locals.insert(shared, local);
        }
        printer.expr(node)
    }

    /// Returns the name of a field or variable in messages.
    fn name_of(&self, op: &Op) -> String {
        match op {
            Op::Input(_, field) | Op::UnknownField(field) => {
                self.items.structs[*field].ident.to_string()
            }
            Op::Local(local) | Op::Unknown(local) => self.locals[*local].name.clone(),
            _ => "a value".to_owned(),
        }
    }
}

/// Returns the field or variable that a gradient is by, and the index of a component.
fn target(expr: &ir::Expr) -> Option<(&ir::Expr, Option<&Index>)> {
    let is_variable =
        |expr: &ir::Expr| matches!(expr.kind, ExprKind::Input(..) | ExprKind::Local(_));
    match &expr.kind {
        ExprKind::Component(base, index) if is_variable(base) => Some((base, Some(index))),
        _ => is_variable(expr).then_some((expr, None)),
    }
}
