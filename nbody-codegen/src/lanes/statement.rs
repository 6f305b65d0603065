//! Lowers statements.

use std::ops::Range;

use super::expr::{component, is_product, real, select};
use super::lowering::Lowering;
use super::tree::{End, LaneExpr, LaneStmt, Name};
use crate::ir::{
    Accumulate, BinaryOp, Expr, Extremum, FieldId, Input, LocalId, Place, Reduction, Side, Stmt,
    StmtKind, Type, statements,
};

impl<'a> Lowering<'a> {
    pub(super) fn statements(
        &mut self,
        statements: &'a [Stmt],
        mask: Option<Name>,
    ) -> Vec<LaneStmt<'a>> {
        let one = |statement: &'a Stmt| {
            LaneStmt::Source(statement, self.statement(&statement.kind, mask))
        };
        statements.iter().map(one).collect()
    }

    fn statement(&mut self, statement: &'a StmtKind, mask: Option<Name>) -> Vec<LaneStmt<'a>> {
        match statement {
            StmtKind::Let { local, value } => {
                let (name, value) = (Name::Local(*local), self.expr(value));
                let (mutable, ty) = (self.body.locals[*local].mutable, self.body.locals[*local].ty);
                vec![LaneStmt::Let { name, mutable, ty, value }]
            }
            StmtKind::Declare { local } => {
                let ty = self.body.locals[*local].ty;
                let (name, value) = (Name::Local(*local), LaneExpr::Zero(ty));
                vec![LaneStmt::Let { name, mutable: true, ty, value }]
            }
            StmtKind::Assign { place, op, value } => vec![self.assign(place, *op, value, mask)],
            StmtKind::Change { place, op, value } => vec![self.change(place, *op, value, mask)],
            StmtKind::Accumulate { side, place, how, value } => {
                vec![self.accumulate(*side, place, *how, value, mask)]
            }
            StmtKind::If { condition, yes, no } => {
                let mut lowered = self.branches(condition, yes, no, mask);
                if mask.is_none() && (has_return(yes) || has_return(no)) {
                    let value = self.body.value.is_some();
                    let end = if value { End::Value } else { End::Nothing };
                    lowered.push(LaneStmt::EndEarly(end));
                }
                lowered
            }
            StmtKind::For { local, range, body } => vec![self.for_each(*local, range, body, mask)],
            StmtKind::Return { value } => self.return_(value.as_ref(), mask),
        }
    }

    fn for_each(
        &mut self,
        local: LocalId,
        range: &'a Range<u32>,
        body: &'a [Stmt],
        mask: Option<Name>,
    ) -> LaneStmt<'a> {
        if let Some(scatter) = self.scatter((local, range), body, mask) {
            return scatter;
        }
        // After an iteration that returns, the next iterations must not accumulate.
        self.returned |= has_return(body);
        LaneStmt::For { local, range, body: self.statements(body, mask) }
    }

    fn return_(&mut self, value: Option<&'a Expr>, mask: Option<Name>) -> Vec<LaneStmt<'a>> {
        self.returned = true;
        let on = LaneExpr::Name(Name::On);
        let all = || real("splat_mask", vec![LaneExpr::Truth(true)]);
        let mask = mask.map_or_else(all, LaneExpr::Name);
        let value = value.map(|value| {
            let mask = mask.clone().infix('&', on.clone()).paren();
            let chosen = select(value.ty, mask, self.expr(value), Name::Value.into());
            LaneStmt::Assign { target: Name::Value.into(), value: chosen }
        });
        let rest = on.clone().infix('&', mask.not());
        value.into_iter().chain([LaneStmt::Assign { target: on, value: rest }]).collect()
    }

    fn branches(
        &mut self,
        condition: &'a Expr,
        yes: &'a [Stmt],
        no: &'a [Stmt],
        mask: Option<Name>,
    ) -> Vec<LaneStmt<'a>> {
        let condition = self.expr(condition);
        self.masks += 1;
        let holds = Name::Holds(self.masks);
        let branches = [
            (Name::When(self.masks), holds.into(), yes),
            (Name::Unless(self.masks), LaneExpr::Name(holds).not(), no),
        ];
        let mut lowered = vec![declared(holds, condition)];
        for (name, holds, statements) in branches {
            let inside = self.statements(statements, Some(name));
            if !inside.is_empty() {
                let holds = match mask {
                    None => holds,
                    Some(mask) => LaneExpr::Name(mask).infix('&', holds),
                };
                lowered.push(LaneStmt::Block(
                    [declared(name, holds)].into_iter().chain(inside).collect(),
                ));
            }
        }
        lowered
    }

    fn assign(
        &self,
        place: &'a Place<LocalId>,
        op: Option<BinaryOp>,
        value: &'a Expr,
        mask: Option<Name>,
    ) -> LaneStmt<'a> {
        let target = part(Name::Local(place.of).into(), place);
        self.assigned(target, place.ty(), op, value, mask.map(LaneExpr::Name))
    }

    /// Changes a field of the particle, where the mask holds and no `return` came before.
    fn change(
        &self,
        place: &'a Place<FieldId>,
        op: Option<BinaryOp>,
        value: &'a Expr,
        mask: Option<Name>,
    ) -> LaneStmt<'a> {
        let target = part(LaneExpr::Field(Name::Input(Input::P), place.of), place);
        self.assigned(target, place.ty(), op, value, self.mask(mask))
    }

    fn assigned(
        &self,
        target: LaneExpr<'a>,
        ty: Type,
        op: Option<BinaryOp>,
        value: &'a Expr,
        mask: Option<LaneExpr<'a>>,
    ) -> LaneStmt<'a> {
        let new = match op {
            None => self.expr(value),
            Some(op) => self.combined(target.clone(), ty, op, value),
        };
        let new = match mask {
            None => new,
            Some(mask) => select(ty, mask, new, target.clone()),
        };
        LaneStmt::Assign { target, value: new }
    }

    fn accumulate(
        &self,
        side: Side,
        place: &'a Place<FieldId>,
        how: Accumulate,
        value: &'a Expr,
        mask: Option<Name>,
    ) -> LaneStmt<'a> {
        let target = part(LaneExpr::Field(Name::Result(side), place.of), place);
        let mask = self.mask(mask);
        let reduction = match how {
            Accumulate::Add => return self.add(target, place.ty(), BinaryOp::Add, value, mask),
            Accumulate::Sub => return self.add(target, place.ty(), BinaryOp::Sub, value, mask),
            Accumulate::Reduce(reduction) => reduction,
        };
        let infinity = |negative| real("splat", vec![LaneExpr::Infinity { negative }]);
        let neutral = match reduction {
            Reduction::Min | Reduction::Arg(Extremum::Least) | Reduction::Nearest(_) => {
                infinity(false)
            }
            Reduction::Max | Reduction::Arg(Extremum::Greatest) => infinity(true),
            Reduction::Count => LaneExpr::Zero(Type::U32),
        };
        let term = self.expr(value);
        let value = match mask {
            None => term,
            Some(mask) => select(value.ty, mask, term, neutral),
        };
        let function = match reduction {
            Reduction::Min => "min",
            Reduction::Max => "max",
            Reduction::Count => "add_u32",
            Reduction::Arg(_) | Reduction::Nearest(_) => return LaneStmt::Take { target, value },
        };
        LaneStmt::Assign { value: real(function, vec![target.clone(), value]), target }
    }

    /// Returns the mask of an accumulation; `None` if there is no condition.
    pub(super) fn mask(&self, mask: Option<Name>) -> Option<LaneExpr<'a>> {
        match (mask, self.returned) {
            (None, false) => None,
            (None, true) => Some(Name::On.into()),
            (Some(mask), false) => Some(mask.into()),
            (Some(mask), true) => Some(LaneExpr::Name(mask).infix('&', Name::On.into()).paren()),
        }
    }

    /// Adds to a sum, or subtracts from it, where the mask holds. Products are added before the
    /// selection, which saves an operation. Sums begin with a positive zero, so that they never
    /// become a negative zero.
    fn add(
        &self,
        target: LaneExpr<'a>,
        ty: Type,
        op: BinaryOp,
        value: &'a Expr,
        mask: Option<LaneExpr<'a>>,
    ) -> LaneStmt<'a> {
        match mask {
            Some(mask) if !is_product(value) => {
                let name = if op == BinaryOp::Add { "plus_where" } else { "minus_where" };
                let sum = target.clone().method(name, vec![mask, self.expr(value)]);
                LaneStmt::Assign { target, value: sum }
            }
            mask => self.assigned(target, ty, Some(op), value, mask),
        }
    }
}

/// Returns the assigned part of a variable or a field.
fn part<'a, T>(whole: LaneExpr<'a>, place: &'a Place<T>) -> LaneExpr<'a> {
    match &place.component {
        None => whole,
        Some(index) => component(whole, index),
    }
}

/// Declares a mask.
pub(super) fn declared(name: Name, value: LaneExpr<'_>) -> LaneStmt<'_> {
    LaneStmt::Let { name, mutable: false, ty: Type::Bool, value }
}

/// Tests whether a `return` is among these statements.
pub(super) fn has_return(list: &[Stmt]) -> bool {
    statements(list).any(|statement| matches!(statement.kind, StmtKind::Return { .. }))
}
