//! The most that one pair adds to a count.

use super::expr::{Expr, ExprKind};
use super::interaction::Interaction;
use super::module::Module;
use super::scatter::Scatter;
use super::stmt::{Accumulate, Stmt, StmtKind};
use super::types::Reduction;
use crate::ir::Value;

impl Interaction {
    /// Returns a bound of the sum of all numbers that one pair adds to counts; `None` if it depends
    /// on the data, or exceeds a `u32`.
    pub fn most_counted(&self, module: &Module) -> Option<u32> {
        of_statements(module, &self.pair.body.statements)
    }
}

fn of_statements(module: &Module, statements: &[Stmt]) -> Option<u32> {
    let each = statements.iter().map(|statement| match &statement.kind {
        StmtKind::Accumulate { how: Accumulate::Reduce(Reduction::Count), value, .. } => {
            most(module, value)
        }
        StmtKind::For { local, range, body } => {
            if let Some(Scatter { sums, .. }) = Scatter::of(*local, body) {
                return of_statements(module, sums);
            }
            of_statements(module, body)?.checked_mul(range.end - range.start)
        }
        _ => {
            let blocks = statement.blocks();
            blocks
                .into_iter()
                .try_fold(0, |sum: u32, block| sum.checked_add(of_statements(module, block)?))
        }
    });
    each.into_iter().try_fold(0, |sum: u32, most| sum.checked_add(most?))
}

/// Returns the largest value of an integer that is known without the data.
fn most(module: &Module, value: &Expr) -> Option<u32> {
    match &value.kind {
        ExprKind::U32(n) => Some(*n),
        ExprKind::Constant(id) => match module[*id].value {
            Value::U32(n) => Some(n),
            Value::Real(_) => None,
        },
        ExprKind::Select(parts) => Some(most(module, &parts[1])?.max(most(module, &parts[2])?)),
        _ => None,
    }
}
