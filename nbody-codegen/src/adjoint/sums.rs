//! Turns accumulations into the results into accumulations of φ.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal};
use syn::visit_mut::{self, VisitMut};
use syn::{BinOp, Block, Expr, ExprBinary, ExprForLoop, Member, Stmt, parse_quote};

use super::Law;
use super::names::Binders;
use super::refusal::Refusal;
use super::selection::Chosen;
use crate::ir::Type;
use crate::syntax::plain_name;

/// Rewrites the statements of a body.
pub(super) struct Sums<'a> {
    pub law: &'a Law<'a>,
    pub chosen: &'a Chosen,
    pub phi: &'a Ident,
    /// The names that statements of the body bind.
    pub binders: &'a Binders,
    /// The functions that contract tensors, by their dimension.
    pub contractions: &'a BTreeMap<usize, Ident>,
    /// The variables of the loops around a statement.
    pub loops: Vec<Ident>,
    /// The number of accumulations that were rewritten.
    pub rewritten: usize,
    pub refused: Option<Refusal>,
}

/// A result, or a component of one, that a statement accumulates into.
struct Target {
    field: String,
    /// The cotangent of the component, if the result is chosen.
    cotangent: Option<Expr>,
    /// The index of an element of an array.
    index: Option<Expr>,
    is_component: bool,
}

impl Sums<'_> {
    fn statement(&mut self, statement: Stmt) -> Option<Stmt> {
        let Stmt::Expr(mut expr, semi) = statement else {
            let mut statement = statement;
            self.visit_stmt_mut(&mut statement);
            return Some(statement);
        };
        match &mut expr {
            Expr::Binary(binary) if accumulates(&binary.op) => {
                if let Some(target) = self.target(&binary.left) {
                    return self.accumulation(target, binary);
                }
            }
            // The extreme of a result that is not chosen.
            Expr::MethodCall(call) if self.target(&call.receiver).is_some() => return None,
            _ => {}
        }
        self.visit_expr_mut(&mut expr);
        if is_empty(&mut expr) { None } else { Some(Stmt::Expr(expr, semi)) }
    }

    /// Returns the statement that accumulates φ; none for a result that is not chosen.
    fn accumulation(&mut self, target: Target, binary: &ExprBinary) -> Option<Stmt> {
        let mut value = (*binary.right).clone();
        let before = self.rewritten;
        self.visit_expr_mut(&mut value);
        if self.rewritten > before {
            self.refused = Some(Refusal::Inside { statement: "an accumulation" });
        }
        let cotangent = target.cotangent?;
        self.rewritten += 1;
        let ty = self.chosen.sums[&target.field].ty;
        let (phi, op) = (self.phi, &binary.op);
        let term: Expr = match ty {
            Type::Vector(_) if !target.is_component => parse_quote!(#cotangent.dot(#value)),
            Type::Tensor(n) if !target.is_component => {
                let contraction = &self.contractions[&n];
                parse_quote!(#contraction(#cotangent, #value))
            }
            _ => {
                let value = factor(value);
                parse_quote!(#cotangent * #value)
            }
        };
        let statement: Stmt = parse_quote!(#phi #op #term;);
        let Some(index) = target.index.filter(|index| !self.is_known(index)) else {
            return Some(statement);
        };
        // Beyond the end of the array nothing is added, and the cotangent would be NaN.
        let Type::Array(n) = ty else { return Some(statement) };
        let n = Literal::usize_unsuffixed(n);
        let index = factor(index);
        Some(parse_quote!(if #index < #n { #statement }))
    }

    /// Returns the result that an expression names.
    fn target(&self, expr: &Expr) -> Option<Target> {
        match expr {
            Expr::Paren(paren) => self.target(&paren.expr),
            Expr::Field(field) => {
                let Member::Named(member) = &field.member else { return None };
                if is_name(&field.base, &self.law.written.names[2]) {
                    return Some(self.result(member));
                }
                let of = self.target(&field.base)?;
                let cotangent = of.cotangent.map(|base| parse_quote!(#base.#member));
                Some(Target { cotangent, is_component: true, ..of })
            }
            Expr::Index(index) => {
                let of = self.target(&index.expr)?;
                let place = &index.index;
                let cotangent = of.cotangent.map(|base| parse_quote!(#base[#place]));
                Some(Target { cotangent, index: Some((**place).clone()), is_component: true, ..of })
            }
            _ => None,
        }
    }

    fn result(&self, member: &Ident) -> Target {
        let field = member.to_string();
        let i = &self.law.written.names[0];
        let cotangent = self.chosen.sums.get(&field).map(|sum| {
            let bar = &sum.bar;
            parse_quote!(#i.#bar)
        });
        Target { field, cotangent, index: None, is_component: false }
    }

    /// Tests whether an index is known when the module is compiled.
    fn is_known(&self, index: &Expr) -> bool {
        match index {
            Expr::Lit(_) => true,
            Expr::Paren(paren) => self.is_known(&paren.expr),
            Expr::Binary(binary) => self.is_known(&binary.left) && self.is_known(&binary.right),
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                let mut constants = self.law.module.constants.iter();
                let is_constant = constants.any(|constant| constant.ident == *name);
                !self.binders.has_let(name)
                    && (self.loops.contains(name) || is_constant && !self.binders.has(name))
            }),
            _ => false,
        }
    }
}

impl VisitMut for Sums<'_> {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.stmts);
        block.stmts = statements.into_iter().filter_map(|it| self.statement(it)).collect();
    }

    fn visit_expr_for_loop_mut(&mut self, turns: &mut ExprForLoop) {
        let name = plain_name(&turns.pat);
        let outer = self.loops.len();
        self.loops.extend(name);
        visit_mut::visit_expr_for_loop_mut(self, turns);
        self.loops.truncate(outer);
    }
}

fn accumulates(op: &BinOp) -> bool {
    matches!(op, BinOp::AddAssign(_) | BinOp::SubAssign(_))
}

/// Tests whether an expression is this name.
pub(super) fn is_name(expr: &Expr, name: &Ident) -> bool {
    match expr {
        Expr::Paren(paren) => is_name(&paren.expr, name),
        Expr::Path(path) => path.path.is_ident(name),
        _ => false,
    }
}

/// Puts an expression in parentheses where it is no single factor.
fn factor(expr: Expr) -> Expr {
    match expr {
        Expr::Path(_)
        | Expr::Lit(_)
        | Expr::Field(_)
        | Expr::Index(_)
        | Expr::Call(_)
        | Expr::MethodCall(_)
        | Expr::Paren(_) => expr,
        _ => parse_quote!((#expr)),
    }
}

/// Tests whether a statement has no effect any more; removes an empty `else`.
fn is_empty(expr: &mut Expr) -> bool {
    match expr {
        Expr::If(choice) => {
            let is_empty = match &mut choice.else_branch {
                Some((_, otherwise)) => self::is_empty(otherwise),
                None => true,
            };
            if is_empty {
                choice.else_branch = None;
            }
            is_empty && choice.then_branch.stmts.is_empty()
        }
        Expr::ForLoop(turns) => turns.body.stmts.is_empty(),
        Expr::Block(block) => block.block.stmts.is_empty(),
        _ => false,
    }
}
