//! Functions: their statements and their variables.

use std::ops::Range;

use proc_macro2::Span;
use syn::{Attribute, Ident, Visibility};

use super::expr::{BinaryOp, Expr, ExprKind, Input};
use super::id::{FunctionId, Item, List, LocalId};
use super::stmt::Stmt;
use super::summary::Summary;
use super::types::Type;
use super::unread::remove_unread;
use super::walk;

/// A helper function.
pub struct Function {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub name: String,
    pub parameters: Vec<LocalId>,
    pub output: Type,
    pub body: Body,
}

impl Item for Function {
    type Id = FunctionId;
}

/// Statements of a function, with all its variables.
pub struct Body {
    pub locals: List<Local>,
    pub statements: Vec<Stmt>,
    /// Value at its end, if it returns one.
    pub value: Option<Expr>,
    /// Name of the space that computes differences of positions.
    pub space: String,
    /// Comments after the last statement.
    pub comments: Vec<String>,
    /// Number of expressions; their ids are below it.
    pub exprs: usize,
    pub summary: Summary,
}

impl Body {
    /// Creates a body that calls only these functions.
    pub fn new(
        functions: &List<Function>,
        mut locals: List<Local>,
        mut statements: Vec<Stmt>,
        mut value: Option<Expr>,
        (space, comments): (String, Vec<String>),
    ) -> Self {
        remove_unread(&mut locals, &mut statements, value.as_ref());
        let exprs = walk::number(&mut statements, value.as_mut());
        let callee = |id: FunctionId| functions[id].body.summary;
        let summary = Summary::of(&callee, &statements, value.as_ref());
        Self { locals, statements, value, space, comments, exprs, summary }
    }

    /// Visits every expression and its parts.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        walk::exprs(&self.statements, self.value.as_ref())
    }

    /// Tests whether its first difference of positions is `i.pos - j.pos`.
    pub fn is_from_j(&self) -> bool {
        let of_i = |expr: &Expr| matches!(expr.kind, ExprKind::Input(Input::I, _));
        let first = self.exprs().find_map(|expr| match &expr.kind {
            ExprKind::Binary(BinaryOp::Sub, a, _) if matches!(a.ty, Type::Point(_)) => Some(a),
            _ => None,
        });
        first.is_some_and(|first| of_i(first))
    }
}

/// A variable, or a parameter of a helper function. Its name is unique in the function.
#[derive(Clone)]
pub struct Local {
    pub name: String,
    /// Whether it was written with a leading underscore, so that it may stay unused, or gradients of
    /// it are all its uses.
    pub may_be_unused: bool,
    /// Whether it has a gradient, whose expression may not read it.
    pub has_gradient: bool,
    pub span: Span,
    pub ty: Type,
    pub mutable: bool,
    /// Values of the variable of a `for`.
    pub range: Option<Range<u32>>,
}

impl Local {
    /// Returns a variable that is assigned once.
    pub fn new(name: String, ty: Type, span: Span) -> Self {
        let (may_be_unused, has_gradient, mutable) = (false, false, false);
        Self { name, may_be_unused, has_gradient, span, ty, mutable, range: None }
    }
}

impl Item for Local {
    type Id = LocalId;
}
