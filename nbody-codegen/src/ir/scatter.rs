//! Loops that add to an entry whose index depends on the data, such as the bins of a histogram:
//! `for k in 0..N { if j.kind == k { f.bins[k] += e; } }`.

use super::expr::{BinaryOp, Expr, ExprKind, Index};
use super::id::LocalId;
use super::stmt::{Accumulate, Stmt, StmtKind};
use super::types::Reduction;

/// A loop that adds to the entry of one index.
pub struct Scatter<'a> {
    /// Value that is compared with the loop variable.
    pub index: &'a Expr,
    /// The other conditions.
    pub conditions: Vec<&'a Expr>,
    pub sums: &'a [Stmt],
}

impl<'a> Scatter<'a> {
    /// Recognises a loop over this variable.
    pub fn of(variable: LocalId, body: &'a [Stmt]) -> Option<Self> {
        let [Stmt { kind: StmtKind::If { condition, yes, no }, .. }] = body else { return None };
        let is_sum = |statement: &Stmt| match &statement.kind {
            StmtKind::Accumulate {
                place,
                how: Accumulate::Add | Accumulate::Sub | Accumulate::Reduce(Reduction::Count),
                value,
                ..
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
