//! How many instructions a body takes, roughly, to choose between two forms of it.

use crate::builtin::{Builtin, Cost};
use crate::ir::{Accumulate, BinaryOp, Body, Expr, ExprKind, Stmt, StmtKind, Type};

/// What a division or a root takes, and another function.
const DIVISION: usize = 8;
const SPECIAL: usize = 16;

pub(super) fn of(body: &Body) -> usize {
    statements(body, &body.statements)
}

fn statements(body: &Body, statements: &[Stmt]) -> usize {
    let one = |statement: &Stmt| match &statement.kind {
        StmtKind::Let { value, .. } => expr(value),
        StmtKind::Assign { op: Some(BinaryOp::Add | BinaryOp::Sub), value, .. }
        | StmtKind::Accumulate { how: Accumulate::Add | Accumulate::Sub, value, .. } => {
            size(value) + addend(value)
        }
        StmtKind::Assign { value, .. } | StmtKind::Accumulate { value, .. } => {
            size(value) + expr(value)
        }
        StmtKind::If { condition, yes, no } => {
            expr(condition) + self::statements(body, yes) + self::statements(body, no)
        }
        StmtKind::For { local, body: turn } => {
            let turns = body.locals[*local].range.as_ref().map_or(0, ExactSizeIterator::len);
            turns.saturating_mul(self::statements(body, turn))
        }
        StmtKind::Declare { .. } | StmtKind::Return { .. } => 0,
    };
    statements.iter().map(one).sum()
}

/// What is added: a multiplication and an addition are one instruction.
fn addend(value: &Expr) -> usize {
    let is_product = matches!(value.kind, ExprKind::Binary(BinaryOp::Mul, ..));
    expr(value) - if is_product { size(value) } else { 0 }
}

fn expr(value: &Expr) -> usize {
    let all = |parts: &[Expr]| parts.iter().map(expr).sum::<usize>();
    match &value.kind {
        ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => {
            let is_product = |e: &Expr| matches!(e.kind, ExprKind::Binary(BinaryOp::Mul, ..));
            let parts = if is_product(b) { expr(a) + addend(b) } else { addend(a) + expr(b) };
            size(value) + parts
        }
        ExprKind::Binary(BinaryOp::Div, a, b) => DIVISION + size(value) - 1 + expr(a) + expr(b),
        ExprKind::Binary(_, a, b) => size(value) + expr(a) + expr(b),
        ExprKind::Math(builtin, parts) => function(*builtin, &parts[0]) + all(parts),
        ExprKind::Powi(base, n) => {
            let n = n.unsigned_abs().max(1);
            (n.ilog2() + n.count_ones()) as usize + expr(base)
        }
        ExprKind::Call(_, parts) => 2 * SPECIAL + all(parts),
        ExprKind::Select(parts) => size(value) + all(&parts[..]),
        ExprKind::Components(parts) => all(parts),
        ExprKind::Entry(base, indices) => DIVISION + expr(base) + all(indices),
        ExprKind::Component(part, _) | ExprKind::Unary(_, part) | ExprKind::Convert(part) => {
            expr(part)
        }
        _ => 0,
    }
}

fn function(builtin: Builtin, receiver: &Expr) -> usize {
    match builtin {
        Builtin::Cross => 6,
        Builtin::Dot | Builtin::Norm2 => size(receiver),
        Builtin::Norm => size(receiver) + DIVISION,
        _ => match builtin.cost() {
            Cost::Sqrt | Cost::Div => DIVISION,
            Cost::Special => SPECIAL,
            Cost::Compare | Cost::MulAdd => 1,
            Cost::Free => 0,
        },
    }
}

/// The numbers that a value is made of.
fn size(value: &Expr) -> usize {
    match value.ty {
        Type::Vector(_) | Type::Array(_) => value.ty.components(),
        _ => 1,
    }
}
