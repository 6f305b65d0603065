//! Sums into elements whose index depends on the data, such as the bins of a histogram.
//!
//! `for k in 0..N { if j.kind == k { f.bins[k] += e; } }` adds to one entry. On a GPU the loop
//! runs over all entries, since registers cannot be indexed; in memory the index selects the
//! entry.

use std::ops::Range;

use super::expr::real;
use super::lowering::Lowering;
use super::statement::declared;
use super::tree::{LaneExpr, LaneStmt, Name};
use crate::ir::{Accumulate, BinaryOp, Expr, ExprKind, Index, LocalId, Stmt, StmtKind, Type};

/// A loop that adds to the entry of one index.
struct Scatter<'a> {
    /// Value that is compared with the loop variable.
    index: &'a Expr,
    /// The other conditions.
    conditions: Vec<&'a Expr>,
    sums: &'a [Stmt],
}

impl<'a> Lowering<'a> {
    /// Recognises a loop over a variable that adds to the entry of one index.
    pub(super) fn scatter(
        &self,
        (variable, range): (LocalId, &'a Range<u32>),
        body: &'a [Stmt],
        mask: Option<Name>,
    ) -> Option<LaneStmt<'a>> {
        let Scatter { index, conditions, sums } = Scatter::of(variable, body)?;
        let conditions = conditions.into_iter().map(|condition| self.expr(condition));
        let masks = conditions.chain(self.mask(mask)).map(LaneExpr::paren);
        let mask = masks.reduce(|all, mask| all.infix('&', mask));
        let mask = mask.unwrap_or_else(|| real("splat_mask", vec![LaneExpr::Truth(true)]));
        let index = self.expr(index);
        let index = if range.start == 0 {
            index
        } else {
            let start = real("splat_u32", vec![LaneExpr::Integer(range.start)]);
            real("sub_u32", vec![index, start])
        };
        let index =
            LaneStmt::Let { name: Name::Entry, mutable: false, ty: Type::U32, value: index };
        let sums = sums.iter().map(|sum| {
            let StmtKind::Accumulate { side, place, how, value } = &sum.kind else {
                unreachable!("found to be a sum")
            };
            let target = LaneExpr::Field(Name::Result(*side), place.of);
            let term = self.expr(value);
            let value = if *how == Accumulate::Sub { term.paren().negative() } else { term };
            LaneStmt::AddToEntry { target, range, value }
        });
        Some(LaneStmt::Block([index, declared(Name::Mask, mask)].into_iter().chain(sums).collect()))
    }
}

impl<'a> Scatter<'a> {
    fn of(variable: LocalId, body: &'a [Stmt]) -> Option<Self> {
        let [Stmt { kind: StmtKind::If { condition, yes, no }, .. }] = body else { return None };
        let is_sum = |statement: &Stmt| match &statement.kind {
            StmtKind::Accumulate {
                place, how: Accumulate::Add | Accumulate::Sub, value, ..
            } => {
                let entry =
                    matches!(&place.component, Some(Index::Loop(index)) if index.is(variable));
                entry && place.is_entry_of_array() && !value.reads(variable)
            }
            _ => false,
        };
        if !no.is_empty() || yes.is_empty() || !yes.iter().all(is_sum) {
            return None;
        }
        let mut conditions = Vec::new();
        conjuncts(condition, &mut conditions);
        let found = conditions.iter().position(|condition| condition.reads(variable))?;
        let ExprKind::Binary(BinaryOp::Eq, a, b) = &conditions.remove(found).kind else {
            return None;
        };
        let index = match (a.is(variable), b.is(variable)) {
            (true, false) => b,
            (false, true) => a,
            _ => return None,
        };
        let constant = |condition: &&Expr| !condition.reads(variable);
        let holds = !index.reads(variable) && conditions.iter().all(constant);
        holds.then_some(Self { index, conditions, sums: yes })
    }
}

/// Collects the terms of a conjunction.
fn conjuncts<'a>(condition: &'a Expr, parts: &mut Vec<&'a Expr>) {
    match &condition.kind {
        ExprKind::Binary(BinaryOp::And, a, b) => {
            conjuncts(a, parts);
            conjuncts(b, parts);
        }
        _ => parts.push(condition),
    }
}
