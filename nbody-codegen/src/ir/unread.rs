//! Removes variables whose gradients are all their uses: the expression of a gradient reads the
//! variables that it needs, often others.

use std::collections::HashSet;

use super::expr::{Expr, ExprKind};
use super::function::Local;
use super::id::{List, LocalId};
use super::stmt::{Stmt, StmtKind};
use super::walk;

/// Removes the unread variables with gradients, and variables that these alone read.
/// Unread variables that stay, because they are assigned, are marked.
pub fn remove_unread(locals: &mut List<Local>, statements: &mut Vec<Stmt>, value: Option<&Expr>) {
    let with_gradients = locals.by_id().filter(|(_, local)| local.has_gradient);
    let mut unneeded: HashSet<_> = with_gradients.map(|(id, _)| id).collect();
    loop {
        let read: HashSet<_> = reads(walk::exprs(statements, value)).collect();
        unneeded.retain(|local| !read.contains(local));
        for local in &unneeded {
            locals[*local].may_be_unused = true;
        }
        let unread = |local: LocalId| unneeded.contains(&local) && !locals[local].mutable;
        let mut removed = Vec::new();
        remove(statements, &unread, &mut removed);
        if removed.is_empty() {
            return;
        }
        unneeded = reads(removed.iter().flat_map(Expr::walk)).collect();
    }
}

fn reads<'a>(exprs: impl Iterator<Item = &'a Expr>) -> impl Iterator<Item = LocalId> {
    exprs.filter_map(|expr| if let ExprKind::Local(local) = expr.kind { Some(local) } else { None })
}

fn remove(statements: &mut Vec<Stmt>, unread: &impl Fn(LocalId) -> bool, removed: &mut Vec<Expr>) {
    let all = std::mem::take(statements);
    for mut statement in all {
        match statement.kind {
            StmtKind::Let { local, value } if unread(local) => {
                removed.push(value);
                continue;
            }
            StmtKind::If { ref mut yes, ref mut no, .. } => {
                remove(yes, unread, removed);
                remove(no, unread, removed);
            }
            StmtKind::For { ref mut body, .. } => remove(body, unread, removed),
            _ => {}
        }
        statements.push(statement);
    }
}
