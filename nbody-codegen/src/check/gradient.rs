//! Checks gradients and rates, and replaces them by the expressions that compute them.

use std::collections::HashMap;

use syn::{Expr, ExprMethodCall};

use crate::check::advice::operators::of_value;
use crate::check::advice::{operand, written};
use crate::check::body::BodyChecker;
use crate::check::call::given;
use crate::diagnostics::Site;
use crate::gradient::{
    Held, LONGEST, Lost, NodeId, Op, Printer, Refusal, TooLong, Trace, displacement, gradient, rate,
};
use crate::ir::{self, ExprKind, Index, StmtKind, Type};
use crate::message;
use crate::syntax::without_groups;

/// Advice for arguments that are no variables.
const VARIABLES: &str =
    "write `e.gradient(i.pos)`, or name another field, an element of an array, or a variable";
const NUMBERS: &str = "only a `Real`, a `Vector`, a `Point`, an element of an array and a component of a tensor have derivatives";
const INDEPENDENT: &str = "a derivative follows a value back to the fields and variables that it was computed from; \
                           a variable that was assigned since is another one";

/// Advice for arguments of a rate.
const ALONG: &str = "write `e.rate(i.pos = i.vel, j.pos = j.vel)`";
const WHOLE: &str = "name a whole field, parameter or variable that holds real numbers: `e.rate(i.pos = i.vel, j.pos = j.vel)`";

/// A variable that a rate is along, and its velocity.
struct Along<'e> {
    written: &'e Expr,
    variable: ir::Expr,
    velocity: ir::Expr,
}

impl<'a> BodyChecker<'a> {
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
        let (mut trace, nodes) = self.nodes(call, [value, base])?;
        let derived = gradient(&mut trace.graph, nodes[0], nodes[1]);
        let derived = derived.map_err(|refusal| self.refuse(call, refusal, &[by])).ok()?;
        let derived = match index.map(|index| trace.index(index)) {
            None => derived,
            Some(index) => {
                let operands = vec![derived, index.ok()?];
                trace.graph.apply(Op::At, operands, Type::Real)
            }
        };
        self.derived(call, &trace, derived)
    }

    /// Checks `e.rate(x = v, ...)`, and returns the rate of change of a value `e` as each variable `x`
    /// changes with its velocity `v`.
    pub fn rate(&mut self, call: &ExprMethodCall, value: &ir::Expr) -> Option<ir::Expr> {
        let along: Vec<_> = call.args.iter().map(|it| self.along(it)).collect();
        let along: Vec<_> = along.into_iter().collect::<Option<_>>()?;
        if along.is_empty() {
            self.items.cx.error(Site::of(call), &message::RATE_ALONG, &[ALONG]);
            return None;
        }
        for (k, it) in along.iter().enumerate() {
            if along[..k].iter().any(|before| before.variable == it.variable) {
                let help = format!("name `{}` once", written(it.written));
                self.items.cx.error(Site::of(it.written), &message::RATE_ALONG, &[&help]);
                return None;
            }
        }
        let pairs = along.iter().flat_map(|it| [&it.variable, &it.velocity]);
        let (mut trace, nodes) = self.nodes(call, std::iter::once(value).chain(pairs))?;
        let pairs: Vec<_> = nodes[1..].chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
        let written: Vec<_> = along.iter().map(|it| it.written).collect();
        let derived = rate(&mut trace.graph, nodes[0], &pairs);
        let derived = derived.map_err(|refusal| self.refuse(call, refusal, &written)).ok()?;
        self.derived(call, &trace, derived)
    }

    /// Checks one argument of a rate.
    fn along<'e>(&mut self, argument: &'e Expr) -> Option<Along<'e>> {
        let cx = self.items.cx;
        let Expr::Assign(assign) = without_groups(argument) else {
            cx.error(Site::of(argument), &message::RATE_ALONG, &[ALONG]);
            return None;
        };
        let (variable, velocity) = (self.expr(&assign.left), self.expr(&assign.right));
        let (variable, velocity) = (variable?, velocity?);
        let needed = displacement(variable.ty);
        if !matches!(target(&variable), Some((_, None))) || matches!(needed, Type::U32 | Type::Bool)
        {
            cx.error(Site::of(&assign.left), &message::RATE_ALONG, &[WHOLE]);
            return None;
        }
        if velocity.ty != needed {
            let help = of_value(&velocity, needed).unwrap_or_default();
            let types = [variable.ty, needed, velocity.ty].map(|ty| ty.to_string());
            let arguments = [&types[0], &types[1], &types[2], &help].map(String::as_str);
            cx.error(Site::of(&assign.right), &message::RATE_TYPE, &arguments);
            return None;
        }
        Some(Along { written: &assign.left, variable, velocity })
    }

    /// Follows the statements up to here, and returns the nodes of these expressions: a value, and the
    /// variables that it is derived by.
    fn nodes<'e>(
        &mut self,
        call: &ExprMethodCall,
        exprs: impl IntoIterator<Item = &'e ir::Expr>,
    ) -> Option<(Trace<'a>, Vec<NodeId>)> {
        let exprs: Vec<_> = exprs.into_iter().collect();
        for part in exprs[0].walk() {
            if let ExprKind::Local(local) = part.kind {
                self.locals[local].has_gradient = true;
            }
        }
        let mut trace = Trace::new(self.functions?);
        let Ok(nodes) = self.followed(&mut trace, &exprs) else {
            let most = LONGEST.to_string();
            let site = Site::of(&call.method);
            self.items.cx.error(site, &message::GRADIENT_LENGTH, &[&most]);
            return None;
        };
        Some((trace, nodes))
    }

    /// Refuses a derivative by these variables.
    fn refuse(&self, call: &ExprMethodCall, refusal: Refusal, by: &[&Expr]) {
        let cx = self.items.cx;
        match refusal {
            Refusal::Independent(k) => {
                let arguments = [&operand(&call.receiver), &written(by[k]), INDEPENDENT];
                cx.error(Site::of(call), &message::GRADIENT_INDEPENDENT, &arguments);
            }
            Refusal::Unknown(op) => {
                let name = self.name_of(&op);
                cx.error(Site::of(&call.method), &message::GRADIENT_LOOP, &[&name]);
            }
        }
    }

    /// Returns the expression of a derivative.
    fn derived(
        &mut self,
        call: &ExprMethodCall,
        trace: &Trace,
        derived: NodeId,
    ) -> Option<ir::Expr> {
        let cx = self.items.cx;
        match self.printed(trace, derived, call.method.span()) {
            Ok(expr) => Some(expr),
            Err(Lost(node)) => {
                let name = self.name_of(&trace.graph.node(node).op);
                cx.error(Site::of(call), &message::GRADIENT_LOST, &[&name]);
                None
            }
        }
    }

    /// Follows the statements up to here, and returns the nodes of these expressions.
    fn followed(&self, trace: &mut Trace, exprs: &[&ir::Expr]) -> Result<Vec<NodeId>, TooLong> {
        for (place, block) in self.open.iter().enumerate() {
            if let Some((_, variable)) = self.loops.iter().find(|(open, _)| *open == place) {
                trace.enter_loop(*variable, |local| self.locals[local].mutable, self.changes);
            }
            trace.block(block)?;
        }
        exprs.iter().map(|expr| trace.expr(expr)).collect()
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
