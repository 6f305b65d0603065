//! Sums into elements whose index depends on the data, such as the bins of a histogram.
//!
//! `for k in 0..N { if j.kind == k { f.bins[k] += e; } }` adds to one entry. On a GPU the loop
//! runs over all entries, since registers cannot be indexed; in memory the index selects the
//! entry.

use std::ops::Range;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::printer::Printer;
use crate::ir::{Accumulate, BinaryOp, Expr, ExprKind, Index, LocalId, Stmt, StmtKind};

/// A loop that adds to the entry of one index.
struct Scatter<'a> {
    /// Value that is compared with the loop variable.
    index: &'a Expr,
    /// The other conditions.
    conditions: Vec<&'a Expr>,
    sums: &'a [Stmt],
}

impl Printer<'_> {
    /// Recognises a loop over a variable that adds to the entry of one index.
    pub(super) fn scatter(
        &self,
        (variable, range): (LocalId, &Range<u32>),
        body: &[Stmt],
        mask: Option<&Ident>,
    ) -> Option<TokenStream> {
        let Scatter { index, conditions, sums } = Scatter::of(variable, body)?;
        let krate = self.krate;
        let (start, end) = (range.start, range.end);
        let (first, last) = (start as usize, end as usize);
        let index = self.expr(index);
        let conditions = conditions.into_iter().map(|condition| self.expr(condition));
        let masks: Vec<_> = conditions.chain(self.mask(mask)).collect();
        let mask =
            if masks.is_empty() { quote!(Real::splat_mask(true)) } else { quote!(#((#masks))&*) };
        let sums = sums.iter().map(|sum| {
            let StmtKind::Accumulate { side, place, how, value } = &sum.kind else {
                unreachable!("found to be a sum")
            };
            let (result, field) = (self.result(*side), &self.module[place.of].ident);
            let term = self.expr(value);
            let term = if *how == Accumulate::Sub { quote!(-(#term)) } else { term };
            quote! {
                #krate::add_to_entry(&mut #result.#field[#first..#last], __entry, __mask, #term);
            }
        });
        let index =
            if start == 0 { index } else { quote!(Real::sub_u32(#index, Real::splat_u32(#start))) };
        Some(quote!({ let __entry = #index; let __mask = #mask; #(#sums)* }))
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
