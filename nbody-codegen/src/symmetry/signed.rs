//! Expressions with a sign, in one direction or both.

use crate::ir::{Expr, ExprKind, UnaryOp};
use crate::symmetry::parity::Parity;

/// An expression, or its negative.
#[derive(Clone)]
pub(super) struct Signed {
    pub minus: bool,
    pub expr: Expr,
}

/// An expression in both directions.
pub(super) struct Two {
    pub forth: Signed,
    pub back: Signed,
}

impl Signed {
    pub fn plus(expr: Expr) -> Self {
        Self { minus: false, expr }
    }

    /// Returns the expression with its sign written out.
    pub fn explicit(self) -> Expr {
        if !self.minus {
            return self.expr;
        }
        let (ty, span) = (self.expr.ty, self.expr.span);
        Expr::new(ExprKind::Unary(UnaryOp::Neg, Box::new(self.expr)), ty, span)
    }

    pub fn times(self, minus: bool) -> Self {
        Self { minus: self.minus != minus, ..self }
    }
}

impl Two {
    /// Returns a value that is the same in both directions up to the sign.
    pub fn known(forth: Signed, parity: Parity) -> Self {
        let back = forth.clone().times(parity.changes_sign());
        Self { forth, back }
    }
}
