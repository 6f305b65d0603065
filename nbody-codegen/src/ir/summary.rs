//! Summarises a body for its callers, and counts its operations.

use super::builtin::{Builtin, Cost};
use super::expr::{BinaryOp, Expr, ExprKind};
use super::id::FunctionId;
use super::stmt::{Accumulate, Stmt, StmtKind};
use super::types::{Reduction, Type};
use super::walk;

/// Summary of a function that a body calls.
type Callee<'a> = &'a dyn Fn(FunctionId) -> Summary;

/// Most iterations of a loop that is unrolled; longer loops are left to the compiler.
pub const LONGEST_UNROLLED: usize = 32;

/// Properties of a body for its callers, computed once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Whether the body, or a function that it calls, takes differences of positions.
    pub needs_space: bool,
    /// Operations of one evaluation.
    pub operations: Operations,
    /// Number of expressions, including all functions that it calls directly or indirectly.
    pub expressions: u64,
}

impl Summary {
    /// Summarises the statements and the value of a body.
    pub(super) fn of(callee: Callee, statements: &[Stmt], value: Option<&Expr>) -> Self {
        let needs_space = walk::exprs(statements, value).any(|expr| match &expr.kind {
            ExprKind::Binary(BinaryOp::Sub, a, _) => matches!(a.ty, Type::Point(_)),
            ExprKind::Call(function, _) => callee(*function).needs_space,
            _ => false,
        });
        let mut operations = Operations::default();
        operations.statements(callee, statements);
        let mut expressions = expressions(callee, statements);
        if let Some(value) = value {
            operations.expr(callee, value);
            expressions = expressions.saturating_add(parts(callee, value));
        }
        Self { needs_space, operations, expressions }
    }
}

/// Counts the expressions of statements, for every iteration of the loops that compilers are told
/// to unroll.
fn expressions(callee: Callee, statements: &[Stmt]) -> u64 {
    let one = |statement: &Stmt| {
        let own = statement.exprs().map(|expr| parts(callee, expr));
        let inside = statement.blocks().into_iter().map(|block| expressions(callee, block));
        let all = own.chain(inside).fold(0, u64::saturating_add);
        match &statement.kind {
            StmtKind::For { range, .. } if range.len() <= LONGEST_UNROLLED => {
                all.saturating_mul(range.len() as u64)
            }
            _ => all,
        }
    };
    statements.iter().map(one).fold(0, u64::saturating_add)
}

/// Counts an expression and its parts, including the expressions of called functions.
fn parts(callee: Callee, expr: &Expr) -> u64 {
    let count = |part: &Expr| match part.kind {
        ExprKind::Call(function, _) => callee(function).expressions,
        _ => 1,
    };
    expr.walk().map(count).fold(0, u64::saturating_add)
}

/// Operations per pair, by class; both branches of an `if` count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "documented in nbody-core")]
pub struct Operations {
    pub add: u32,
    pub mul: u32,
    pub div: u32,
    pub sqrt: u32,
    pub special: u32,
    pub compare: u32,
    /// Approximate issue slots of these operations and of operations outside the classes, for the
    /// comparison of two forms of one body. An addition and a multiplication share one slot where
    /// they can.
    pub slots: u32,
}

/// Slots of a division or a root.
const DIVISION: u32 = 8;
/// Slots of a function of integers.
const INTEGER: u32 = 2;
/// Slots of a spline: the number of the piece, its coefficients and its polynomial.
const SPLINE: u32 = 12;
/// Slots of another function.
const SPECIAL: u32 = 16;

impl Operations {
    /// Adds the operations of the cutoff and of its comparison with the distance.
    pub(super) fn add_cutoff(&mut self, cutoff: Self) {
        self.add_times(cutoff, 1);
        more(&mut self.mul, 1);
        more(&mut self.compare, 1);
    }

    fn statements(&mut self, callee: Callee, statements: &[Stmt]) {
        for statement in statements {
            match &statement.kind {
                StmtKind::Assign { place, op: Some(op), value } => {
                    self.binary(*op, place.ty(), value.ty, is_product(value));
                }
                StmtKind::Change { place, op: Some(op), value } => {
                    self.binary(*op, place.ty(), value.ty, is_product(value));
                }
                // Inside branches, assigned values are selected.
                StmtKind::Assign { op: None, value, .. }
                | StmtKind::Change { op: None, value, .. } => {
                    more(&mut self.slots, size(value.ty));
                }
                StmtKind::Accumulate { place, how, value, .. } => match how {
                    Accumulate::Add | Accumulate::Sub => {
                        self.binary(BinaryOp::Add, place.ty(), value.ty, is_product(value));
                    }
                    Accumulate::Reduce(Reduction::Count) => more(&mut self.slots, 1),
                    Accumulate::Reduce(_) => self.compare(1),
                },
                _ => {}
            }
            statement.exprs().for_each(|expr| self.expr(callee, expr));
            let mut inside = Self::default();
            statement.blocks().iter().for_each(|block| inside.statements(callee, block));
            let turns = match &statement.kind {
                StmtKind::For { range, .. } => range.end - range.start,
                _ => 1,
            };
            self.add_times(inside, turns);
        }
    }

    fn add_times(&mut self, other: Self, times: u32) {
        let Self { add, mul, div, sqrt, special, compare, slots } = other;
        more(&mut self.add, add.saturating_mul(times));
        more(&mut self.mul, mul.saturating_mul(times));
        more(&mut self.div, div.saturating_mul(times));
        more(&mut self.sqrt, sqrt.saturating_mul(times));
        more(&mut self.special, special.saturating_mul(times));
        more(&mut self.compare, compare.saturating_mul(times));
        more(&mut self.slots, slots.saturating_mul(times));
    }

    fn expr(&mut self, callee: Callee, expr: &Expr) {
        for part in expr.walk() {
            match &part.kind {
                ExprKind::Binary(op, a, b) => {
                    self.binary(*op, a.ty, b.ty, is_product(a) || is_product(b));
                }
                ExprKind::Math(builtin, operands) => self.math(*builtin, operands[0].ty),
                ExprKind::Powi(_, exponent) => self.powi(*exponent),
                ExprKind::Select(_) => self.compare(size(part.ty)),
                ExprKind::Convert(_) if part.ty == Type::U32 => more(&mut self.slots, INTEGER),
                ExprKind::Entry(..) | ExprKind::Gather(..) => more(&mut self.slots, DIVISION),
                ExprKind::Call(function, _) => {
                    self.add_times(callee(*function).operations, 1);
                }
                _ => {}
            }
        }
    }

    /// Counts an operation on values of these types; `of_product` means that one operand is a
    /// product.
    fn binary(&mut self, op: BinaryOp, a: Type, b: Type, of_product: bool) {
        let n = size(a).max(size(b));
        match (op, a) {
            (BinaryOp::Add | BinaryOp::Sub, Type::U32) if of_product => {}
            (BinaryOp::Div | BinaryOp::Rem, Type::U32) => more(&mut self.slots, 2 * DIVISION),
            (_, Type::U32 | Type::Bool) => more(&mut self.slots, 1),
            (BinaryOp::Add | BinaryOp::Sub, _) => {
                more(&mut self.add, n);
                more(&mut self.slots, if of_product { 0 } else { n });
            }
            (BinaryOp::Mul, _) => self.multiply(n),
            (BinaryOp::Div, _) => {
                // A vector is multiplied by the reciprocal.
                more(&mut self.div, n);
                more(&mut self.slots, DIVISION + n - 1);
            }
            _ => self.compare(n),
        }
    }

    fn multiply(&mut self, n: u32) {
        more(&mut self.mul, n);
        more(&mut self.slots, n);
    }

    fn compare(&mut self, n: u32) {
        more(&mut self.compare, n);
        more(&mut self.slots, n);
    }

    fn divide(&mut self) {
        more(&mut self.div, 1);
        more(&mut self.slots, DIVISION);
    }

    fn root(&mut self) {
        more(&mut self.sqrt, 1);
        more(&mut self.slots, DIVISION);
    }

    fn math(&mut self, builtin: Builtin, receiver: Type) {
        let n = size(receiver);
        match builtin {
            Builtin::Cross => {
                self.multiply(6);
                more(&mut self.add, 3);
            }
            Builtin::Dot | Builtin::Norm2 | Builtin::Norm => {
                self.multiply(n);
                more(&mut self.add, n - 1);
                if builtin == Builtin::Norm {
                    self.root();
                }
            }
            _ => match builtin.cost() {
                Cost::Sqrt => self.root(),
                Cost::Div => self.divide(),
                Cost::Special => {
                    more(&mut self.special, 1);
                    more(&mut self.slots, SPECIAL);
                }
                Cost::Compare => self.compare(if builtin == Builtin::Clamp { 2 } else { 1 }),
                Cost::MulAdd => {
                    self.multiply(1);
                    more(&mut self.add, 1);
                }
                Cost::Integer => more(&mut self.slots, INTEGER),
                Cost::Spline => self.spline(),
                Cost::Free => {}
            },
        }
    }

    /// Counts the search of the piece, and its polynomial.
    fn spline(&mut self) {
        more(&mut self.add, 5);
        more(&mut self.mul, 4);
        more(&mut self.slots, SPLINE);
    }

    /// Counts repeated squaring: a multiplication for each bit but the first, and one for each
    /// further bit that is set.
    fn powi(&mut self, exponent: i32) {
        let n = exponent.unsigned_abs();
        if n > 0 {
            self.multiply(n.ilog2() + n.count_ones() - 1);
        }
        if exponent < 0 {
            self.divide();
        }
    }
}

/// Tests whether adding this value needs no slot of its own.
fn is_product(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Binary(BinaryOp::Mul, ..))
}

/// Increases a counter; it saturates.
fn more(count: &mut u32, n: u32) {
    *count = count.saturating_add(n);
}

/// Returns the number of reals in a value.
fn size(ty: Type) -> u32 {
    u32::try_from(ty.components()).expect("checked: arrays are shorter than that")
}
