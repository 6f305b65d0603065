//! What can be told from the tree: which items an interaction uses, and what a pair costs.

use std::collections::BTreeSet;

use crate::builtin::{Builtin, Cost};
use crate::ir::{
    Accumulate, BinaryOp, Body, Expr, ExprKind, Index, Input, Interaction, Module, Reduction, Stmt,
    StmtKind, Type,
};

/// The constants and helper functions that an interaction uses, by index.
#[derive(Default)]
pub struct Uses {
    pub constants: BTreeSet<usize>,
    pub functions: BTreeSet<usize>,
}

impl Uses {
    pub fn of(module: &Module, interaction: &Interaction) -> Self {
        let mut uses = Self::default();
        uses.body(module, &interaction.pair.body);
        if let Some(cutoff) = &interaction.cutoff {
            uses.body(module, &cutoff.body);
            uses.expr(module, &cutoff.value);
        }
        uses
    }

    fn body(&mut self, module: &Module, body: &Body) {
        each_expr(&body.statements, &mut |expr| self.expr(module, expr));
    }

    fn expr(&mut self, module: &Module, expr: &Expr) {
        walk(expr, &mut |expr| match expr.kind {
            ExprKind::Constant(index) => {
                self.constants.insert(index);
            }
            ExprKind::Call(index, _) if self.functions.insert(index) => {
                let function = &module.functions[index];
                self.body(module, &function.body);
                self.expr(module, &function.value);
            }
            _ => {}
        });
    }
}

/// Whether parameters are looked up by indices that differ from pair to pair.
pub fn looks_up(interaction: &Interaction) -> bool {
    let mut found = false;
    let mut look = |expr: &Expr| {
        if let ExprKind::Entry(base, _) = &expr.kind {
            found |= matches!(base.kind, ExprKind::Input(Input::Parameters, _));
        }
    };
    each_expr(&interaction.pair.body.statements, &mut |expr| walk(expr, &mut look));
    if let Some(cutoff) = &interaction.cutoff {
        each_expr(&cutoff.body.statements, &mut |expr| walk(expr, &mut look));
        walk(&cutoff.value, &mut look);
    }
    found
}

/// Whether a function, or one that it calls, takes differences of positions.
pub fn needs_space(module: &Module, body: &Body, value: Option<&Expr>) -> bool {
    let mut needs = false;
    let mut look = |expr: &Expr| match &expr.kind {
        ExprKind::Binary(BinaryOp::Sub, a, _) => needs |= matches!(a.ty, Type::Point(_)),
        ExprKind::Call(index, _) => {
            let function = &module.functions[*index];
            needs |= needs_space(module, &function.body, Some(&function.value));
        }
        _ => {}
    };
    each_expr(&body.statements, &mut |expr| walk(expr, &mut look));
    if let Some(value) = value {
        walk(value, &mut look);
    }
    needs
}

/// Operations per pair, each class counted by itself; both branches of an `if` count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    pub add: u32,
    pub mul: u32,
    pub div: u32,
    pub sqrt: u32,
    pub special: u32,
    pub compare: u32,
}

impl Operations {
    /// What one evaluation of this body costs: that of `pair`, or of both directions.
    pub fn of(module: &Module, interaction: &Interaction, body: &Body) -> Self {
        let mut count = Self::default();
        count.body(module, body);
        if let Some(cutoff) = &interaction.cutoff {
            count.body(module, &cutoff.body);
            count.expr(module, &cutoff.value);
            count.mul += 1;
            count.compare += 1;
        }
        count
    }

    fn body(&mut self, module: &Module, body: &Body) {
        self.statements(module, body, &body.statements);
    }

    fn statements(&mut self, module: &Module, body: &Body, statements: &[Stmt]) {
        for statement in statements {
            match &statement.kind {
                StmtKind::Let { value, .. } => self.expr(module, value),
                StmtKind::Declare { .. } => {}
                StmtKind::Assign { place, op, value } => {
                    if let Some(op) = op {
                        self.binary(*op, place.ty(), value.ty);
                    }
                    self.expr(module, value);
                }
                StmtKind::Accumulate { place, how, value, .. } => {
                    match how {
                        Accumulate::Add | Accumulate::Sub => {
                            self.binary(BinaryOp::Add, place.ty(), value.ty);
                        }
                        Accumulate::Reduce(Reduction::Count) => {}
                        Accumulate::Reduce(_) => self.compare += 1,
                    }
                    self.expr(module, value);
                }
                StmtKind::If { condition, yes, no } => {
                    self.expr(module, condition);
                    self.statements(module, body, yes);
                    self.statements(module, body, no);
                }
                StmtKind::For { local, body: turn } => {
                    let turns =
                        body.locals[*local].range.as_ref().map_or(0, ExactSizeIterator::len);
                    let mut once = Self::default();
                    once.statements(module, body, turn);
                    self.add_times(once, u32::try_from(turns).unwrap_or(u32::MAX));
                }
                StmtKind::Return { value } => {
                    if let Some(value) = value {
                        self.expr(module, value);
                    }
                }
            }
        }
    }

    fn add_times(&mut self, other: Self, times: u32) {
        let Self { add, mul, div, sqrt, special, compare } = other;
        let sum = |count: &mut u32, n: u32| *count = count.saturating_add(n.saturating_mul(times));
        sum(&mut self.add, add);
        sum(&mut self.mul, mul);
        sum(&mut self.div, div);
        sum(&mut self.sqrt, sqrt);
        sum(&mut self.special, special);
        sum(&mut self.compare, compare);
    }

    fn expr(&mut self, module: &Module, expr: &Expr) {
        walk(expr, &mut |expr| match &expr.kind {
            ExprKind::Binary(op, a, b) => self.binary(*op, a.ty, b.ty),
            ExprKind::Math(builtin, operands) => self.math(*builtin, operands[0].ty),
            ExprKind::Powi(_, exponent) => self.powi(*exponent),
            ExprKind::Select(_) => self.compare += size(expr.ty),
            ExprKind::Call(index, _) => {
                let function = &module.functions[*index];
                self.body(module, &function.body);
                self.expr(module, &function.value);
            }
            _ => {}
        });
    }

    fn binary(&mut self, op: BinaryOp, a: Type, b: Type) {
        let n = size(a).max(size(b));
        match (op, a) {
            (_, Type::U32 | Type::Bool) => {}
            (BinaryOp::Add | BinaryOp::Sub, _) => self.add += n,
            (BinaryOp::Mul, _) => self.mul += n,
            (BinaryOp::Div, _) => self.div += n,
            _ => self.compare += n,
        }
    }

    fn math(&mut self, builtin: Builtin, receiver: Type) {
        let n = size(receiver);
        match builtin {
            Builtin::Cross => {
                self.mul += 6;
                self.add += 3;
            }
            Builtin::Dot | Builtin::Norm2 | Builtin::Norm => {
                self.mul += n;
                self.add += n - 1;
                self.sqrt += u32::from(builtin == Builtin::Norm);
            }
            _ => match builtin.cost() {
                Cost::Sqrt => self.sqrt += 1,
                Cost::Div => self.div += 1,
                Cost::Special => self.special += 1,
                Cost::Compare => self.compare += if builtin == Builtin::Clamp { 2 } else { 1 },
                Cost::MulAdd => {
                    self.mul += 1;
                    self.add += 1;
                }
                Cost::Free => {}
            },
        }
    }

    /// Repeated squaring: a multiplication for each bit but the first, and one for each
    /// further bit that is set.
    fn powi(&mut self, exponent: i32) {
        let n = exponent.unsigned_abs();
        if n > 0 {
            self.mul += n.ilog2() + n.count_ones() - 1;
        }
        self.div += u32::from(exponent < 0);
    }
}

/// The reals that a value is made of.
fn size(ty: Type) -> u32 {
    u32::try_from(ty.components()).unwrap_or(u32::MAX)
}

/// Every expression of these statements, outermost first, without their parts.
pub fn each_expr(statements: &[Stmt], visit: &mut impl FnMut(&Expr)) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Let { value, .. }
            | StmtKind::Assign { value, .. }
            | StmtKind::Accumulate { value, .. } => visit(value),
            StmtKind::Declare { .. } => {}
            StmtKind::If { condition, yes, no } => {
                visit(condition);
                each_expr(yes, visit);
                each_expr(no, visit);
            }
            StmtKind::For { body, .. } => each_expr(body, visit),
            StmtKind::Return { value } => value.iter().for_each(&mut *visit),
        }
    }
}

/// The expression and all its parts.
pub fn walk(expr: &Expr, visit: &mut dyn FnMut(&Expr)) {
    visit(expr);
    match &expr.kind {
        ExprKind::Component(part, Index::Fixed(_))
        | ExprKind::Unary(_, part)
        | ExprKind::Powi(part, _)
        | ExprKind::Convert(part) => walk(part, visit),
        ExprKind::Component(part, Index::Loop(index)) => {
            walk(part, visit);
            walk(index, visit);
        }
        ExprKind::Entry(base, indices) => {
            walk(base, visit);
            for index in indices {
                walk(index, visit);
            }
        }
        ExprKind::Binary(_, a, b) => {
            walk(a, visit);
            walk(b, visit);
        }
        ExprKind::Math(_, parts) | ExprKind::Components(parts) | ExprKind::Call(_, parts) => {
            for part in parts {
                walk(part, visit);
            }
        }
        ExprKind::Select(parts) => {
            for part in &**parts {
                walk(part, visit);
            }
        }
        ExprKind::Real(_)
        | ExprKind::U32(_)
        | ExprKind::Bool(_)
        | ExprKind::Local(_)
        | ExprKind::Constant(_)
        | ExprKind::Input(..) => {}
    }
}
