//! Takes out what nothing reads, and gives the rest its names.

use std::collections::HashSet;

use crate::exchange::read;
use crate::ir::{Local, LocalId, Stmt, StmtKind};
use crate::names::Unique;

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

/// Gives the variables from this one on names of their own, in the order of the text.
pub(super) fn name(statements: &[Stmt], locals: &mut [Local], first: LocalId, names: &mut Unique) {
    for statement in statements {
        match &statement.kind {
            StmtKind::Let { local, .. } | StmtKind::Declare { local } if *local >= first => {
                locals[*local].name = names.name(&locals[*local].name);
            }
            StmtKind::If { yes, no, .. } => {
                name(yes, locals, first, names);
                name(no, locals, first, names);
            }
            StmtKind::For { body, .. } => name(body, locals, first, names),
            _ => {}
        }
    }
}
