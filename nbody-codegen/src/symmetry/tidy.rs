//! Removes unused variables, and names the others.

use std::collections::HashSet;

use crate::ir::{Expr, ExprKind, List, Local, LocalId, Stmt, StmtKind, statements};
use crate::names::Unique;

/// Removes variables that nothing reads, and then variables that only the removed ones read.
pub(super) fn remove_unused(statements: &mut Vec<Stmt>) {
    while remove(statements, &read(statements)) {}
}

/// Removes unused variables, and returns whether there were any.
fn remove(statements: &mut Vec<Stmt>, read: &HashSet<LocalId>) -> bool {
    let before = statements.len();
    let mut inner = false;
    statements.retain_mut(|statement| match &mut statement.kind {
        StmtKind::Let { local, .. } | StmtKind::Declare { local } => read.contains(local),
        StmtKind::Assign { place, .. } => read.contains(&place.of),
        StmtKind::If { yes, no, .. } => {
            inner |= remove(yes, read);
            inner |= remove(no, read);
            !(yes.is_empty() && no.is_empty())
        }
        StmtKind::For { body, .. } => {
            inner |= remove(body, read);
            !body.is_empty()
        }
        StmtKind::Change { .. } | StmtKind::Accumulate { .. } | StmtKind::Return { .. } => true,
    });
    inner || statements.len() < before
}

/// Returns the variables that some expression among these statements reads.
fn read(list: &[Stmt]) -> HashSet<LocalId> {
    let parts = statements(list).flat_map(Stmt::exprs).flat_map(Expr::walk);
    parts
        .filter_map(|part| match part.kind {
            ExprKind::Local(local) => Some(local),
            _ => None,
        })
        .collect()
}

/// Gives the new variables unique names, in the order of the text.
pub(super) fn name(
    list: &[Stmt],
    locals: &mut List<Local>,
    is_new: impl Fn(LocalId) -> bool,
    names: &mut Unique,
) {
    for statement in statements(list) {
        match &statement.kind {
            StmtKind::Let { local, .. } | StmtKind::Declare { local } if is_new(*local) => {
                locals[*local].name = names.name(&locals[*local].name);
            }
            _ => {}
        }
    }
}
