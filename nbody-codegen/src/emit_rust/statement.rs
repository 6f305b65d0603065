//! Prints statements.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::expr::is_product;
use super::printer::Printer;
use super::types::ident;
use crate::ir::{
    Accumulate, BinaryOp, Expr, FieldId, Input, LocalId, Place, Reduction, Side, Stmt, StmtKind,
    Type, statements,
};

impl Printer<'_> {
    /// Prints the statements and the value.
    pub fn body(&mut self) -> TokenStream {
        let body = self.body;
        let on =
            has_return(&body.statements).then(|| quote!(let mut __on = Real::splat_mask(true);));
        let statements = self.statements(&body.statements, None);
        let Some(value) = &body.value else { return quote!(#on #statements) };
        let last = self.expr(value);
        if !self.returned {
            return quote!(#on #statements #last);
        }
        let zero = self.zero(value.ty);
        let chosen = self.select(value.ty, &quote!(__on), &last, &quote!(__value));
        quote!(let mut __value = #zero; #on #statements #chosen)
    }

    /// Prints the body of `pair` for particles in reach; `near` is their mask.
    pub fn body_within(&mut self, near: &TokenStream) -> TokenStream {
        self.returned = true;
        let statements = self.statements(&self.body.statements, None);
        quote! {
            let mut __on = #near;
            if Real::ENDS_EARLY && !Real::any(__on) { return; }
            #statements
        }
    }

    fn statements(&mut self, statements: &[Stmt], mask: Option<&Ident>) -> TokenStream {
        let one = |statement: &Stmt| {
            let printed = self.statement(&statement.kind, mask);
            match (&statement.lints[..], &statement.kind) {
                ([], _) => printed,
                (lints, StmtKind::Let { .. } | StmtKind::Declare { .. }) => {
                    quote!(#(#lints)* #printed)
                }
                (lints, _) => quote!(#(#lints)* { #printed }),
            }
        };
        statements.iter().map(one).collect()
    }

    fn statement(&mut self, statement: &StmtKind, mask: Option<&Ident>) -> TokenStream {
        match statement {
            StmtKind::Let { local, value } => {
                let (name, value) = (self.local(*local), self.expr(value));
                let mutable = self.body.locals[*local].mutable.then(|| quote!(mut));
                quote!(let #mutable #name = #value;)
            }
            StmtKind::Declare { local } => {
                let ty = self.body.locals[*local].ty;
                let (name, zero) = (self.local(*local), self.zero(ty));
                quote!(let mut #name = #zero;)
            }
            StmtKind::Assign { place, op, value } => self.assign(place, *op, value, mask),
            StmtKind::Change { place, op, value } => self.change(place, *op, value, mask),
            StmtKind::Accumulate { side, place, how, value } => {
                self.accumulate(*side, place, *how, value, mask)
            }
            StmtKind::If { condition, yes, no } => {
                let branches = self.branches(condition, yes, no, mask);
                let guard = mask.is_none() && (has_return(yes) || has_return(no));
                let end = guard.then(|| self.end_early());
                quote!(#branches #end)
            }
            StmtKind::For { local, range, body } => {
                let (name, start, end) = (self.local(*local), range.start, range.end);
                if let Some(scatter) = self.scatter((*local, range), body, mask) {
                    return scatter;
                }
                // After an iteration that returns, the next iterations must not accumulate.
                self.returned |= has_return(body);
                let body = self.statements(body, mask);
                quote!(for #name in #start..#end { #body })
            }
            StmtKind::Return { value } => self.return_(value.as_ref(), mask),
        }
    }

    fn return_(&mut self, value: Option<&Expr>, mask: Option<&Ident>) -> TokenStream {
        self.returned = true;
        let mask = mask.map_or_else(|| quote!(Real::splat_mask(true)), |mask| quote!(#mask));
        let value = value.map(|value| {
            let (ty, value) = (value.ty, self.expr(value));
            let chosen = self.select(ty, &quote!((#mask & __on)), &value, &quote!(__value));
            quote!(__value = #chosen;)
        });
        quote!(#value __on = __on & !#mask;)
    }

    /// Ends the function if no particle is left.
    fn end_early(&self) -> TokenStream {
        let value = self.body.value.as_ref().map(|_| quote!(__value));
        quote!(if !Real::any(__on) { return #value; })
    }

    fn branches(
        &mut self,
        condition: &Expr,
        yes: &[Stmt],
        no: &[Stmt],
        mask: Option<&Ident>,
    ) -> TokenStream {
        let condition = self.expr(condition);
        self.masks += 1;
        let holds = format_ident!("__holds_{}", self.masks);
        let (when, unless) =
            (format_ident!("__when_{}", self.masks), format_ident!("__unless_{}", self.masks));
        let outer = mask.map(|mask| quote!(#mask &));
        let branch = |this: &mut Self, name: &Ident, value: TokenStream, statements: &[Stmt]| {
            let statements = this.statements(statements, Some(name));
            (!statements.is_empty()).then(|| quote!({ let #name = #outer #value; #statements }))
        };
        let yes = branch(self, &when, quote!(#holds), yes);
        let no = branch(self, &unless, quote!(!#holds), no);
        quote!(let #holds = #condition; #yes #no)
    }

    fn assign(
        &self,
        place: &Place<LocalId>,
        op: Option<BinaryOp>,
        value: &Expr,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let name = self.local(place.of);
        let target = match &place.component {
            None => quote!(#name),
            Some(index) => {
                let index = self.index(index);
                quote!(#name[#index])
            }
        };
        let new = match op {
            None => self.expr(value),
            Some(op) => self.combined(&target, place.ty(), op, value),
        };
        let new = match mask {
            None => new,
            Some(mask) => self.select(place.ty(), &quote!(#mask), &new, &target),
        };
        quote!(#target = #new;)
    }

    /// Changes a field of the particle, where the mask holds and no `return` came before.
    fn change(
        &self,
        place: &Place<FieldId>,
        op: Option<BinaryOp>,
        value: &Expr,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let field = &self.module[place.of].ident;
        let particle = ident(self.roles().input(Input::P));
        let target = match &place.component {
            None => quote!(#particle.#field),
            Some(index) => {
                let index = self.index(index);
                quote!(#particle.#field[#index])
            }
        };
        let new = match op {
            None => self.expr(value),
            Some(op) => self.combined(&target, place.ty(), op, value),
        };
        let new = match self.mask(mask) {
            None => new,
            Some(mask) => self.select(place.ty(), &mask, &new, &target),
        };
        quote!(#target = #new;)
    }

    fn accumulate(
        &self,
        side: Side,
        place: &Place<FieldId>,
        how: Accumulate,
        value: &Expr,
        mask: Option<&Ident>,
    ) -> TokenStream {
        let (result, field) = (self.result(side), &self.module[place.of].ident);
        let target = match &place.component {
            None => quote!(#result.#field),
            Some(index) => {
                let index = self.index(index);
                quote!(#result.#field[#index])
            }
        };
        let mask = self.mask(mask);
        let reduction = match how {
            Accumulate::Add => return self.add(&target, place.ty(), BinaryOp::Add, value, mask),
            Accumulate::Sub => return self.add(&target, place.ty(), BinaryOp::Sub, value, mask),
            Accumulate::Reduce(reduction) => reduction,
        };
        let neutral = match reduction {
            Reduction::Min | Reduction::ArgMin => quote!(Real::splat(f64::INFINITY)),
            Reduction::Max => quote!(Real::splat(f64::NEG_INFINITY)),
            Reduction::Count => self.zero(Type::U32),
        };
        let term = self.expr(value);
        let term = match mask {
            None => term,
            Some(mask) => self.select(value.ty, &mask, &term, &neutral),
        };
        match reduction {
            Reduction::Min => quote!(#target = Real::min(#target, #term);),
            Reduction::Max => quote!(#target = Real::max(#target, #term);),
            Reduction::Count => quote!(#target = Real::add_u32(#target, #term);),
            Reduction::ArgMin => {
                let index = ident(&self.roles().index);
                quote!(#target.take::<__Space>(#term, #index);)
            }
        }
    }

    /// Returns the mask of an accumulation; `None` if there is no condition.
    pub(super) fn mask(&self, mask: Option<&Ident>) -> Option<TokenStream> {
        match (mask, self.returned) {
            (None, false) => None,
            (None, true) => Some(quote!(__on)),
            (Some(mask), false) => Some(quote!(#mask)),
            (Some(mask), true) => Some(quote!((#mask & __on))),
        }
    }

    /// Adds to a sum, or subtracts from it, where the mask holds. Products are added before the
    /// selection, which saves an operation. Sums begin with a positive zero, so that they never
    /// become a negative zero.
    fn add(
        &self,
        target: &TokenStream,
        ty: Type,
        op: BinaryOp,
        value: &Expr,
        mask: Option<TokenStream>,
    ) -> TokenStream {
        match mask {
            Some(mask) if !is_product(value) => {
                let term = self.expr(value);
                let name = ident(if op == BinaryOp::Add { "plus_where" } else { "minus_where" });
                quote!(#target = #target.#name(#mask, #term);)
            }
            _ => {
                let sum = self.combined(target, ty, op, value);
                let sum = mask.map_or(sum.clone(), |mask| self.select(ty, &mask, &sum, target));
                quote!(#target = #sum;)
            }
        }
    }
}

/// Tests whether a `return` is among these statements.
fn has_return(list: &[Stmt]) -> bool {
    statements(list).any(|statement| matches!(statement.kind, StmtKind::Return { .. }))
}
