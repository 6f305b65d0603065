//! Takes out what nothing reads.

use std::collections::HashSet;

use crate::exchange::read;
use crate::ir::{LocalId, Stmt, StmtKind};

/// Removes variables that nothing reads, and what only they read.
pub(super) fn remove_unused(statements: &mut Vec<Stmt>) {
    while remove(statements, &read(statements)) {}
}

/// Whether anything was removed.
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
        StmtKind::Accumulate { .. } | StmtKind::Return { .. } => true,
    });
    inner || statements.len() < before
}
