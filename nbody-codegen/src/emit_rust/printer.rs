//! Prints the tree of one function.

use proc_macro2::{Ident, Punct, Spacing, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::types::ident;
use crate::ir::{Body, Input, Local, LocalId, Module, Roles, StmtKind, Type};
use crate::lanes::{self, End, LaneBody, LaneExpr, LaneStmt, Name};

/// Prints the body of one function.
pub struct Printer<'a> {
    module: &'a Module,
    body: &'a Body,
    roles: Option<&'a Roles>,
    krate: &'a TokenStream,
}

impl<'a> Printer<'a> {
    pub fn new(
        module: &'a Module,
        body: &'a Body,
        roles: Option<&'a Roles>,
        krate: &'a TokenStream,
    ) -> Self {
        Self { module, body, roles, krate }
    }

    /// Prints the statements and the value.
    pub fn body(&self) -> TokenStream {
        self.print(&lanes::body(self.module, self.body))
    }

    /// Prints the body of `pair` for particles within the cutoff.
    pub fn body_within(&self) -> TokenStream {
        self.print(&lanes::body_within(self.module, self.body))
    }

    /// Returns the variable's name, at its place in the user's source.
    pub fn local(&self, id: LocalId) -> Ident {
        let Local { name, may_be_unused, span, .. } = &self.body.locals[id];
        let underscore = if *may_be_unused { "_" } else { "" };
        Ident::new(&format!("{underscore}{name}"), *span)
    }

    fn roles(&self) -> &'a Roles {
        self.roles.expect("checked: helper functions see no particles")
    }

    fn name(&self, name: Name) -> Ident {
        match name {
            Name::Local(id) => self.local(id),
            Name::Input(Input::Parameters) => ident("this"),
            Name::Input(input) => ident(self.roles().input(input)),
            Name::Result(side) => ident(self.roles().result(side)),
            Name::Index => ident(&self.roles().index),
            Name::Others => ident(&self.roles().others),
            Name::Space => ident(&self.body.space),
            Name::On => ident("__on"),
            Name::Value => ident("__value"),
            Name::Mask => ident("__mask"),
            Name::Entry => ident("__entry"),
            Name::Holds(k) => format_ident!("__holds_{k}"),
            Name::When(k) => format_ident!("__when_{k}"),
            Name::Unless(k) => format_ident!("__unless_{k}"),
        }
    }

    fn print(&self, LaneBody { statements, value }: &LaneBody) -> TokenStream {
        let (statements, value) = (self.statements(statements), value.iter());
        let value = value.map(|value| self.expr(value));
        quote!(#statements #(#value)*)
    }

    fn statements(&self, statements: &[LaneStmt]) -> TokenStream {
        statements.iter().map(|statement| self.statement(statement)).collect()
    }

    fn statement(&self, statement: &LaneStmt) -> TokenStream {
        match statement {
            LaneStmt::Source(source, lowered) => {
                let printed = self.statements(lowered);
                match (&source.lints[..], &source.kind) {
                    ([], _) => printed,
                    (lints, StmtKind::Let { .. } | StmtKind::Declare { .. }) => {
                        quote!(#(#lints)* #printed)
                    }
                    (lints, _) => quote!(#(#lints)* { #printed }),
                }
            }
            LaneStmt::Let { name, mutable, ty: _, value } => {
                let (name, value) = (self.name(*name), self.expr(value));
                let mutable = mutable.then(|| quote!(mut));
                quote!(let #mutable #name = #value;)
            }
            LaneStmt::Assign { target, value } => {
                let (target, value) = (self.expr(target), self.expr(value));
                quote!(#target = #value;)
            }
            LaneStmt::Take { target, value } => {
                let (target, value) = (self.expr(target), self.expr(value));
                let index = self.name(Name::Index);
                quote!(#target.take::<__Space>(#value, #index);)
            }
            LaneStmt::AddToEntry { target, range, counts, value } => {
                let (krate, target, value) = (self.krate, self.expr(target), self.expr(value));
                let [start, end] = [range.start, range.end].map(|end| end as usize);
                let add = if *counts { quote!(add_to_count::<Real>) } else { quote!(add_to_entry) };
                quote!(#krate::#add(&mut #target[#start..#end], __entry, __mask, #value);)
            }
            LaneStmt::Block(statements) => {
                let statements = self.statements(statements);
                quote!({ #statements })
            }
            LaneStmt::For { local, range, body } => {
                let (name, start, end) = (self.local(*local), range.start, range.end);
                let body = self.statements(body);
                quote!(for #name in #start..#end { #body })
            }
            LaneStmt::EndEarly(End::Nothing) => quote!(if !Real::any(__on) {
                return;
            }),
            LaneStmt::EndEarly(End::NothingOnSome) => {
                quote!(if Real::ENDS_EARLY && !Real::any(__on) {
                    return;
                })
            }
            LaneStmt::EndEarly(End::Value) => quote!(if !Real::any(__on) {
                return __value;
            }),
        }
    }

    /// Prints the expression in a form that may follow `=`.
    fn expr(&self, expr: &LaneExpr) -> TokenStream {
        let krate = self.krate;
        match expr {
            LaneExpr::Number(text) => text.parse().expect("checked: a literal is a number"),
            LaneExpr::Infinity { negative: false } => quote!(f64::INFINITY),
            LaneExpr::Infinity { negative: true } => quote!(f64::NEG_INFINITY),
            LaneExpr::Integer(n) => quote!(#n),
            LaneExpr::Truth(value) => quote!(#value),
            LaneExpr::Name(name) => self.name(*name).into_token_stream(),
            LaneExpr::Constant(id) => self.module[*id].ident.to_token_stream(),
            LaneExpr::Zero(ty) => self.zero(*ty),
            LaneExpr::Field(record, field) => {
                let (record, field) = (self.name(*record), &self.module[*field].ident);
                quote!(#record.#field)
            }
            LaneExpr::Gather(index, place, field) => {
                let (others, index) = (self.name(Name::Others), self.expr(index));
                let field = &self.module[*field].ident;
                let place = (self.roles().seconds() > 1).then(|| {
                    let place = syn::Index::from(*place);
                    quote!(.#place)
                });
                quote!(#others.at(#index) #place.#field)
            }
            LaneExpr::Part(base, part) => {
                let (base, part) = (self.expr(base), ident(part));
                quote!(#base.#part)
            }
            LaneExpr::Component(base, k) => {
                let base = self.expr(base);
                quote!(#base[#k])
            }
            LaneExpr::At(base, index) => {
                let (base, index) = (self.expr(base), self.expr(index));
                quote!(#base[(#index) as usize])
            }
            LaneExpr::Entry(base, indices) => {
                let name = ident(if indices.len() == 1 { "gather" } else { "gather_entry" });
                let (base, indices) = (self.expr(base), self.list(indices));
                quote!(Real::#name(&#base, #indices))
            }
            LaneExpr::Paren(inside) => {
                let inside = self.expr(inside);
                quote!((#inside))
            }
            LaneExpr::Prefix(sign, operand) => {
                let (sign, operand) = (punct(*sign), self.expr(operand));
                quote!(#sign #operand)
            }
            LaneExpr::Infix(a, sign, b) => {
                let (a, sign, b) = (self.expr(a), punct(*sign), self.expr(b));
                quote!(#a #sign #b)
            }
            LaneExpr::Real(name, arguments) => {
                let (name, arguments) = (ident(name), self.list(arguments));
                quote!(Real::#name(#arguments))
            }
            LaneExpr::Method(receiver, name, arguments) => {
                let (receiver, arguments) = (self.expr(receiver), self.list(arguments));
                let name = ident(name);
                quote!(#receiver.#name(#arguments))
            }
            LaneExpr::MethodOf(receiver, name, constant, argument) => {
                let (receiver, argument) = (self.expr(receiver), self.expr(argument));
                let name = ident(name);
                quote!(#receiver.#name::<#constant>(#argument))
            }
            LaneExpr::Powi(base, n) => {
                let base = self.expr(base);
                quote!(#base.powi(#n))
            }
            LaneExpr::Components(ty, parts) => {
                let parts = self.list(parts);
                match ty {
                    Type::Vector(_) => quote!(#krate::Vector([#parts])),
                    Type::Tensor(n) => quote!(#krate::Tensor::<Real, #n>([#parts])),
                    _ => quote!([#parts]),
                }
            }
            LaneExpr::Call(id, arguments) => {
                let function = &self.module[*id];
                let (name, arguments) = (&function.ident, self.list(arguments));
                if function.body.summary.needs_space {
                    let space = self.name(Name::Space);
                    quote!(#name::<Real, _>(#space, #arguments))
                } else {
                    quote!(#name::<Real>(#arguments))
                }
            }
            LaneExpr::Select(ty, parts) => self.select(*ty, parts),
            LaneExpr::Within => {
                let names = [Name::Space, Name::Input(Input::I), Name::Input(Input::J)];
                let [space, i, j] = names.map(|name| self.name(name));
                quote!(<Self as #krate::Interaction>::within(this, #space, #i, #j))
            }
        }
    }

    fn list(&self, exprs: &[LaneExpr]) -> TokenStream {
        let exprs = exprs.iter().map(|expr| self.expr(expr));
        quote!(#(#exprs),*)
    }

    /// Returns the zero of a type.
    fn zero(&self, ty: Type) -> TokenStream {
        let krate = self.krate;
        match ty {
            Type::Real => quote!(Real::default()),
            Type::U32 => quote!(Real::splat_u32(0)),
            Type::Bool => quote!(Real::splat_mask(false)),
            Type::Vector(_) => quote!(#krate::Vector::default()),
            Type::Tensor(n) => quote!(#krate::Tensor::<Real, #n>::default()),
            Type::Point(_) => quote!(#krate::Point::default()),
            Type::Array(n) => quote!([Real::default(); #n]),
            Type::Counts(n) => quote!([Real::splat_u32(0); #n]),
            Type::Table(rows, columns) => quote!([[Real::default(); #columns]; #rows]),
            Type::Spline(_) | Type::Splines(..) | Type::SplineTable(..) | Type::Reduced(_) => {
                quote!(::core::default::Default::default())
            }
        }
    }

    fn select(&self, ty: Type, parts: &[LaneExpr; 3]) -> TokenStream {
        let krate = self.krate;
        let [mask, yes, no] = parts.each_ref().map(|part| self.expr(part));
        let function = match ty {
            Type::Real => quote!(Real::select),
            Type::U32 => quote!(Real::select_u32),
            Type::Bool => {
                return quote!({
                    let __mask = #mask;
                    ((__mask & (#yes)) | (!__mask & (#no)))
                });
            }
            Type::Vector(_) => quote!(#krate::Vector::select),
            Type::Tensor(n) => quote!(#krate::Tensor::<Real, #n>::select),
            Type::Point(_) => quote!(#krate::Point::select),
            Type::Array(_) => quote!(#krate::select_array::<Real, _>),
            Type::Counts(_) => quote!(#krate::select_counts::<Real, _>),
            Type::Table(..)
            | Type::Spline(_)
            | Type::Splines(..)
            | Type::SplineTable(..)
            | Type::Reduced(_) => {
                unreachable!("checked: no expression has such a value")
            }
        };
        quote!(#function(#mask, #yes, #no))
    }
}

fn punct(sign: char) -> Punct {
    Punct::new(sign, Spacing::Alone)
}
