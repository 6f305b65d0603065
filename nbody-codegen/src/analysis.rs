//! What can be told from the tree: which items an interaction uses, and what a pair costs.

use std::collections::BTreeSet;

use crate::builtin::{Builtin, Cost};
use crate::ir::{
    Accumulate, BinaryOp, Body, Expr, ExprKind, Function, Index, Input, Interaction, Module,
    Reduction, Stmt, StmtKind, Type,
};

/// Loops of more turns are left to the compiler.
pub const LONGEST_UNROLLED: usize = 32;

/// The constants and helper functions that an interaction uses, by index.
#[derive(Default)]
pub struct Uses {
    pub constants: BTreeSet<usize>,
    pub functions: BTreeSet<usize>,
}

impl Uses {
    pub fn of(module: &Module, interaction: &Interaction) -> Self {
        let mut uses = Self::default();
        uses.body(&interaction.pair.body);
        if let Some(cutoff) = &interaction.cutoff {
            uses.body(&cutoff.body);
            uses.expr(&cutoff.value);
        }
        // Functions stand behind those that they call.
        for (index, function) in module.functions.iter().enumerate().rev() {
            if uses.functions.contains(&index) {
                uses.body(&function.body);
                uses.expr(&function.value);
            }
        }
        uses
    }

    fn body(&mut self, body: &Body) {
        each_expr(&body.statements, &mut |expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &Expr) {
        walk(expr, &mut |expr| match expr.kind {
            ExprKind::Constant(index) => {
                self.constants.insert(index);
            }
            ExprKind::Call(index, _) => {
                self.functions.insert(index);
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

/// What a helper function is to those that call it, found once for all of them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Whether it, or a function that it calls, takes differences of positions.
    pub needs_space: bool,
    /// What one call costs.
    pub operations: Operations,
    /// How many expressions a call is, with those of the functions that it calls in turn.
    pub expressions: u64,
}

impl Summary {
    /// Sums a body up, and its value; the functions are at least those that it calls.
    pub fn of(functions: &[Function], body: &Body, value: Option<&Expr>) -> Self {
        let mut operations = Operations::default();
        operations.body(functions, body);
        let mut expressions = expressions(functions, body, &body.statements);
        if let Some(value) = value {
            operations.expr(functions, value);
            expressions = expressions.saturating_add(parts(functions, value));
        }
        Self { needs_space: needs_space(functions, body, value), operations, expressions }
    }
}

/// Whether a body, or a function that it calls, takes differences of positions.
pub fn needs_space(functions: &[Function], body: &Body, value: Option<&Expr>) -> bool {
    let mut needs = false;
    let mut look = |expr: &Expr| match &expr.kind {
        ExprKind::Binary(BinaryOp::Sub, a, _) => needs |= matches!(a.ty, Type::Point(_)),
        ExprKind::Call(index, _) => needs |= functions[*index].summary.needs_space,
        _ => {}
    };
    each_expr(&body.statements, &mut |expr| walk(expr, &mut look));
    if let Some(value) = value {
        walk(value, &mut look);
    }
    needs
}

/// The expressions of statements, with the turns of loops that compilers are told to write out.
fn expressions(functions: &[Function], body: &Body, statements: &[Stmt]) -> u64 {
    let one = |statement: &Stmt| match &statement.kind {
        StmtKind::Declare { .. } => 0,
        StmtKind::Let { value, .. }
        | StmtKind::Assign { value, .. }
        | StmtKind::Accumulate { value, .. } => parts(functions, value),
        StmtKind::If { condition, yes, no } => parts(functions, condition)
            .saturating_add(expressions(functions, body, yes))
            .saturating_add(expressions(functions, body, no)),
        StmtKind::For { local, body: turn } => {
            let range = body.locals[*local].range.clone().unwrap_or_default();
            let turns = if range.len() <= LONGEST_UNROLLED { range.len() as u64 } else { 1 };
            expressions(functions, body, turn).saturating_mul(turns)
        }
        StmtKind::Return { value } => value.as_ref().map_or(0, |value| parts(functions, value)),
    };
    statements.iter().map(one).fold(0, u64::saturating_add)
}

/// An expression and its parts, with what calls stand for.
fn parts(functions: &[Function], expr: &Expr) -> u64 {
    let mut count: u64 = 0;
    walk(expr, &mut |part| {
        let more = match part.kind {
            ExprKind::Call(index, _) => functions[index].summary.expressions,
            _ => 1,
        };
        count = count.saturating_add(more);
    });
    count
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
        count.body(&module.functions, body);
        if let Some(cutoff) = &interaction.cutoff {
            count.body(&module.functions, &cutoff.body);
            count.expr(&module.functions, &cutoff.value);
            more(&mut count.mul, 1);
            more(&mut count.compare, 1);
        }
        count
    }

    fn body(&mut self, functions: &[Function], body: &Body) {
        self.statements(functions, body, &body.statements);
    }

    fn statements(&mut self, functions: &[Function], body: &Body, statements: &[Stmt]) {
        for statement in statements {
            match &statement.kind {
                StmtKind::Let { value, .. } => self.expr(functions, value),
                StmtKind::Declare { .. } => {}
                StmtKind::Assign { place, op, value } => {
                    if let Some(op) = op {
                        self.binary(*op, place.ty(), value.ty);
                    }
                    self.expr(functions, value);
                }
                StmtKind::Accumulate { place, how, value, .. } => {
                    match how {
                        Accumulate::Add | Accumulate::Sub => {
                            self.binary(BinaryOp::Add, place.ty(), value.ty);
                        }
                        Accumulate::Reduce(Reduction::Count) => {}
                        Accumulate::Reduce(_) => more(&mut self.compare, 1),
                    }
                    self.expr(functions, value);
                }
                StmtKind::If { condition, yes, no } => {
                    self.expr(functions, condition);
                    self.statements(functions, body, yes);
                    self.statements(functions, body, no);
                }
                StmtKind::For { local, body: turn } => {
                    let turns =
                        body.locals[*local].range.as_ref().map_or(0, ExactSizeIterator::len);
                    let mut once = Self::default();
                    once.statements(functions, body, turn);
                    self.add_times(once, u32::try_from(turns).unwrap_or(u32::MAX));
                }
                StmtKind::Return { value } => {
                    if let Some(value) = value {
                        self.expr(functions, value);
                    }
                }
            }
        }
    }

    fn add_times(&mut self, other: Self, times: u32) {
        let Self { add, mul, div, sqrt, special, compare } = other;
        more(&mut self.add, add.saturating_mul(times));
        more(&mut self.mul, mul.saturating_mul(times));
        more(&mut self.div, div.saturating_mul(times));
        more(&mut self.sqrt, sqrt.saturating_mul(times));
        more(&mut self.special, special.saturating_mul(times));
        more(&mut self.compare, compare.saturating_mul(times));
    }

    fn expr(&mut self, functions: &[Function], expr: &Expr) {
        walk(expr, &mut |expr| match &expr.kind {
            ExprKind::Binary(op, a, b) => self.binary(*op, a.ty, b.ty),
            ExprKind::Math(builtin, operands) => self.math(*builtin, operands[0].ty),
            ExprKind::Powi(_, exponent) => self.powi(*exponent),
            ExprKind::Select(_) => more(&mut self.compare, size(expr.ty)),
            ExprKind::Call(index, _) => self.add_times(functions[*index].summary.operations, 1),
            _ => {}
        });
    }

    fn binary(&mut self, op: BinaryOp, a: Type, b: Type) {
        let n = size(a).max(size(b));
        match (op, a) {
            (_, Type::U32 | Type::Bool) => {}
            (BinaryOp::Add | BinaryOp::Sub, _) => more(&mut self.add, n),
            (BinaryOp::Mul, _) => more(&mut self.mul, n),
            (BinaryOp::Div, _) => more(&mut self.div, n),
            _ => more(&mut self.compare, n),
        }
    }

    fn math(&mut self, builtin: Builtin, receiver: Type) {
        let n = size(receiver);
        match builtin {
            Builtin::Cross => {
                more(&mut self.mul, 6);
                more(&mut self.add, 3);
            }
            Builtin::Dot | Builtin::Norm2 | Builtin::Norm => {
                more(&mut self.mul, n);
                more(&mut self.add, n - 1);
                more(&mut self.sqrt, u32::from(builtin == Builtin::Norm));
            }
            _ => match builtin.cost() {
                Cost::Sqrt => more(&mut self.sqrt, 1),
                Cost::Div => more(&mut self.div, 1),
                Cost::Special => more(&mut self.special, 1),
                Cost::Compare => {
                    more(&mut self.compare, if builtin == Builtin::Clamp { 2 } else { 1 });
                }
                Cost::MulAdd => {
                    more(&mut self.mul, 1);
                    more(&mut self.add, 1);
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
            more(&mut self.mul, n.ilog2() + n.count_ones() - 1);
        }
        more(&mut self.div, u32::from(exponent < 0));
    }
}

/// Counts on, up to what the counter holds.
fn more(count: &mut u32, n: u32) {
    *count = count.saturating_add(n);
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
