//! Parts of statements and expressions; no other module knows where they are.
//!
//! Searches use [`statements`] and [`Expr::walk`]. Code that computes something from each part,
//! such as the emitters, recurs by itself.

use std::iter;

use super::expr::{Expr, ExprKind, Index};
use super::id::{ExprId, LocalId};
use super::stmt::{Stmt, StmtKind};

macro_rules! parts {
    ($kind:expr, $iter:ident $(, $mut:tt)?) => {
        match $kind {
            ExprKind::Component(part, Index::Fixed(_))
            | ExprKind::Unary(_, part)
            | ExprKind::Powi(part, _)
            | ExprKind::Gather(part, ..)
            | ExprKind::Convert(part) => vec![& $($mut)? **part],
            ExprKind::Component(part, Index::Loop(index)) => {
                vec![& $($mut)? **part, & $($mut)? **index]
            }
            ExprKind::Entry(base, indices) => {
                iter::once(& $($mut)? **base).chain(indices.$iter()).collect()
            }
            ExprKind::Binary(_, a, b) => vec![& $($mut)? **a, & $($mut)? **b],
            ExprKind::Math(_, parts) | ExprKind::Components(parts) | ExprKind::Call(_, parts) => {
                parts.$iter().collect()
            }
            ExprKind::Select(parts) => parts.$iter().collect(),
            ExprKind::Real(_)
            | ExprKind::U32(_)
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Input(..) => Vec::new(),
        }
    };
}

impl Expr {
    /// Returns the operands, in the order of the text.
    pub fn parts(&self) -> Vec<&Self> {
        parts!(&self.kind, iter)
    }

    pub fn parts_mut(&mut self) -> Vec<&mut Self> {
        parts!(&mut self.kind, iter_mut, mut)
    }

    /// Visits the expression and all its parts, in the order of the text.
    pub fn walk(&self) -> impl Iterator<Item = &Self> {
        let mut rest = vec![self];
        iter::from_fn(move || {
            let next = rest.pop()?;
            rest.extend(next.parts().into_iter().rev());
            Some(next)
        })
    }

    /// Tests whether this variable occurs in it.
    pub fn reads(&self, local: LocalId) -> bool {
        self.walk().any(|part| part.is(local))
    }
}

impl Stmt {
    /// Returns the expressions of the statement itself, in the order of the text.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (component, value) = match &self.kind {
            StmtKind::Let { value, .. } => (None, Some(value)),
            StmtKind::Assign { place, value, .. } => (place.component.as_ref(), Some(value)),
            StmtKind::Change { place, value, .. } | StmtKind::Accumulate { place, value, .. } => {
                (place.component.as_ref(), Some(value))
            }
            StmtKind::If { condition, .. } => (None, Some(condition)),
            StmtKind::Return { value } => (None, value.as_ref()),
            StmtKind::Declare { .. } | StmtKind::For { .. } => (None, None),
        };
        component.and_then(Index::computed).into_iter().chain(value)
    }

    fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let (component, value) = match &mut self.kind {
            StmtKind::Let { value, .. } => (None, Some(value)),
            StmtKind::Assign { place, value, .. } => (place.component.as_mut(), Some(value)),
            StmtKind::Change { place, value, .. } | StmtKind::Accumulate { place, value, .. } => {
                (place.component.as_mut(), Some(value))
            }
            StmtKind::If { condition, .. } => (None, Some(condition)),
            StmtKind::Return { value } => (None, value.as_mut()),
            StmtKind::Declare { .. } | StmtKind::For { .. } => (None, None),
        };
        component.and_then(Index::computed_mut).into_iter().chain(value)
    }

    /// Returns the statements inside, block by block.
    pub fn blocks(&self) -> [&[Self]; 2] {
        match &self.kind {
            StmtKind::If { yes, no, .. } => [yes, no],
            StmtKind::For { body, .. } => [body, &[]],
            _ => [&[], &[]],
        }
    }

    fn blocks_mut(&mut self) -> [&mut [Self]; 2] {
        match &mut self.kind {
            StmtKind::If { yes, no, .. } => [yes, no],
            StmtKind::For { body, .. } => [body, &mut []],
            _ => [&mut [], &mut []],
        }
    }
}

/// Visits these statements and all statements inside, in the order of the text.
pub fn statements(list: &[Stmt]) -> impl Iterator<Item = &Stmt> {
    let mut rest: Vec<&Stmt> = list.iter().rev().collect();
    iter::from_fn(move || {
        let next = rest.pop()?;
        let [first, second] = next.blocks();
        rest.extend(second.iter().rev());
        rest.extend(first.iter().rev());
        Some(next)
    })
}

/// Visits the expressions of these statements and of a value, with their parts.
pub(super) fn exprs<'a>(
    list: &'a [Stmt],
    value: Option<&'a Expr>,
) -> impl Iterator<Item = &'a Expr> {
    statements(list).flat_map(Stmt::exprs).chain(value).flat_map(Expr::walk)
}

/// Numbers all expressions, and returns their count.
pub(super) fn number(statements: &mut [Stmt], value: Option<&mut Expr>) -> usize {
    let mut count = 0;
    number_statements(statements, &mut count);
    if let Some(value) = value {
        number_expr(value, &mut count);
    }
    count
}

fn number_statements(statements: &mut [Stmt], count: &mut usize) {
    for statement in statements {
        statement.exprs_mut().for_each(|expr| number_expr(expr, count));
        statement.blocks_mut().into_iter().for_each(|block| number_statements(block, count));
    }
}

fn number_expr(expr: &mut Expr, count: &mut usize) {
    expr.id = ExprId::nth(*count);
    *count += 1;
    expr.parts_mut().into_iter().for_each(|part| number_expr(part, count));
}
