//! Lowers one function: its value, its masks and its zeros.

use super::expr::select;
use super::statement::has_return;
use super::tree::{End, LaneBody, LaneExpr, LaneStmt, Name};
use crate::ir::{Body, Module, Type};

/// Lowers the statements and the value.
pub fn body<'a>(module: &'a Module, body: &'a Body) -> LaneBody<'a> {
    Lowering::new(module, body).body()
}

/// Lowers the body of `pair` for particles within the cutoff.
pub fn body_within<'a>(module: &'a Module, body: &'a Body) -> LaneBody<'a> {
    let mut lowering = Lowering::new(module, body);
    lowering.returned = true;
    let mut statements = vec![on(LaneExpr::Within), LaneStmt::EndEarly(End::NothingOnSome)];
    statements.extend(lowering.statements(&body.statements, None));
    LaneBody { statements, value: None }
}

/// Lowers the body of one function.
pub(super) struct Lowering<'a> {
    pub(super) module: &'a Module,
    pub(super) body: &'a Body,
    /// Number of conditions so far.
    pub(super) masks: usize,
    /// Whether a `return` precedes the next statement.
    pub(super) returned: bool,
}

impl<'a> Lowering<'a> {
    fn new(module: &'a Module, body: &'a Body) -> Self {
        Self { module, body, masks: 0, returned: false }
    }

    fn body(mut self) -> LaneBody<'a> {
        let body = self.body;
        let mut statements = Vec::new();
        if has_return(&body.statements) {
            statements.push(on(LaneExpr::Real("splat_mask", vec![LaneExpr::Truth(true)])));
        }
        statements.extend(self.statements(&body.statements, None));
        let value = body.value.as_ref().map(|value| {
            let last = self.expr(value);
            if !self.returned {
                return last;
            }
            let (name, zero) = (Name::Value, LaneExpr::Zero(value.ty));
            let zero = LaneStmt::Let { name, mutable: true, ty: value.ty, value: zero };
            statements.insert(0, zero);
            select(value.ty, Name::On.into(), last, Name::Value.into())
        });
        LaneBody { statements, value }
    }
}

/// Declares the mask of particles that have not returned.
fn on(value: LaneExpr<'_>) -> LaneStmt<'_> {
    LaneStmt::Let { name: Name::On, mutable: true, ty: Type::Bool, value }
}
