//! Removes the returns behind which φ may not be zero, so that the derivatives at the end of `pair` have
//! all terms of φ.
//!
//! A guard before the first term of φ stays. A later one becomes a condition of the statements behind it,
//! and a return within a loop or deeper sets a variable that these statements look at.

use proc_macro2::Ident;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprIf, Stmt, parse_quote};

use super::refusal::Refusal;
use super::sums::is_name;

/// Removes returns from a body.
pub(super) struct Returns<'a> {
    pub phi: &'a Ident,
    /// The variable that tells whether `pair` has ended.
    pub done: &'a Ident,
    /// Whether the variable is needed.
    pub sets_done: bool,
    /// Whether φ may have terms.
    pub has_terms: bool,
    pub refused: Option<Refusal>,
}

/// The contents of a statement.
struct Contents<'a> {
    phi: &'a Ident,
    returns: bool,
    terms: bool,
}

impl<'ast> Visit<'ast> for Contents<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Return(_) => self.returns = true,
            Expr::Binary(binary) if is_name(&binary.left, self.phi) => self.terms = true,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

impl Returns<'_> {
    fn contents(&self, statement: &Stmt) -> Contents<'_> {
        let mut contents = Contents { phi: self.phi, returns: false, terms: false };
        contents.visit_stmt(statement);
        contents
    }

    fn returns(&self, statement: &Stmt) -> bool {
        self.contents(statement).returns
    }

    /// Rewrites the statements of `pair`, or the last ones of them.
    pub fn body(&mut self, statements: Vec<Stmt>) -> Vec<Stmt> {
        let (mut kept, mut rest) = (Vec::new(), statements.into_iter());
        while let Some(statement) = rest.next() {
            let Contents { returns, terms, .. } = self.contents(&statement);
            self.has_terms |= terms;
            if !returns || !self.has_terms {
                kept.push(statement);
                continue;
            }
            let done = self.done;
            if let Some((condition, before)) = self.guard(&statement) {
                let rest = self.body(rest.collect());
                kept.extend(branches(condition, before, rest));
            } else {
                kept.extend(self.marked(statement));
                let rest = self.body(rest.collect());
                kept.extend((!rest.is_empty()).then(|| parse_quote!(if !#done { #(#rest)* })));
            }
            return kept;
        }
        kept
    }

    /// Returns the condition of a guard, and the statements before its return; `None` for another
    /// statement.
    fn guard(&self, statement: &Stmt) -> Option<(Expr, Vec<Stmt>)> {
        let Stmt::Expr(Expr::If(guard), _) = statement else { return None };
        let (last, before) = guard.then_branch.stmts.split_last()?;
        let is_guard = matches!(last, Stmt::Expr(Expr::Return(_), _))
            && guard.else_branch.is_none()
            && !before.iter().any(|statement| self.returns(statement));
        is_guard.then(|| ((*guard.cond).clone(), before.to_vec()))
    }

    /// Rewrites statements within others: a return sets the variable, and statements behind look at it.
    fn block(&mut self, block: &mut Block) {
        let mut rest = std::mem::take(&mut block.stmts).into_iter();
        while let Some(statement) = rest.next() {
            if !self.returns(&statement) {
                block.stmts.push(statement);
                continue;
            }
            block.stmts.extend(self.marked(statement));
            let mut behind: Block = parse_quote!({});
            behind.stmts = rest.collect();
            self.block(&mut behind);
            let done = self.done;
            if !behind.stmts.is_empty() {
                block.stmts.push(parse_quote!(if !#done #behind));
            }
            return;
        }
    }

    /// Rewrites a statement that contains a return.
    fn marked(&mut self, statement: Stmt) -> Option<Stmt> {
        self.sets_done = true;
        let done = self.done;
        let Stmt::Expr(expr, semi) = statement else {
            self.refused = Some(Refusal::Inside { statement: "a `return`" });
            return None;
        };
        let marked = match expr {
            Expr::Return(_) => parse_quote!(#done = true;),
            Expr::If(mut choice) => {
                self.branches(&mut choice);
                Stmt::Expr(Expr::If(choice), semi)
            }
            Expr::ForLoop(mut turns) => {
                self.block(&mut turns.body);
                let body = &turns.body;
                turns.body = parse_quote!({ if !#done #body });
                Stmt::Expr(Expr::ForLoop(turns), semi)
            }
            Expr::Block(mut block) => {
                self.block(&mut block.block);
                Stmt::Expr(Expr::Block(block), semi)
            }
            other => Stmt::Expr(other, semi),
        };
        if self.returns(&marked) {
            self.refused = Some(Refusal::Inside { statement: "a `return`" });
        }
        Some(marked)
    }

    fn branches(&mut self, choice: &mut ExprIf) {
        self.block(&mut choice.then_branch);
        match choice.else_branch.as_mut().map(|(_, otherwise)| &mut **otherwise) {
            Some(Expr::If(choice)) => self.branches(choice),
            Some(Expr::Block(block)) => self.block(&mut block.block),
            _ => {}
        }
    }
}

/// Returns the choice between the statements before the return of a guard and the statements behind it.
fn branches(condition: Expr, before: Vec<Stmt>, rest: Vec<Stmt>) -> Option<Stmt> {
    match (before.is_empty(), rest.is_empty()) {
        (true, true) => None,
        (true, false) => Some(parse_quote!(if !(#condition) { #(#rest)* })),
        (false, true) => Some(parse_quote!(if #condition { #(#before)* })),
        (false, false) => Some(parse_quote!(if #condition { #(#before)* } else { #(#rest)* })),
    }
}
