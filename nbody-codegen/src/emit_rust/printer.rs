//! The printer of one function: its names, its types and its masks.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

use super::types::ident;
use crate::ir::{self, Body, LocalId, Module, Roles, Side, Type};

/// Prints the body of one function.
pub struct Printer<'a> {
    pub(super) module: &'a Module,
    pub(super) body: &'a Body,
    pub(super) roles: Option<&'a Roles>,
    pub(super) krate: &'a TokenStream,
    pub(super) masks: usize,
    /// Whether a `return` precedes the next statement.
    pub(super) returned: bool,
}

impl<'a> Printer<'a> {
    pub fn new(
        module: &'a Module,
        body: &'a Body,
        roles: Option<&'a Roles>,
        krate: &'a TokenStream,
    ) -> Self {
        Self { module, body, roles, krate, masks: 0, returned: false }
    }

    /// Returns the variable's name, at its place in the user's source.
    pub fn local(&self, id: LocalId) -> Ident {
        let ir::Local { name, may_be_unused, span, .. } = &self.body.locals[id];
        let underscore = if *may_be_unused { "_" } else { "" };
        Ident::new(&format!("{underscore}{name}"), *span)
    }

    pub(super) fn result(&self, side: Side) -> Ident {
        ident(self.roles().result(side))
    }

    pub(super) fn roles(&self) -> &'a Roles {
        self.roles.expect("checked: helper functions see no particles")
    }

    /// Returns the zero of a type.
    pub(super) fn zero(&self, ty: Type) -> TokenStream {
        let krate = self.krate;
        match ty {
            Type::Real => quote!(Real::default()),
            Type::U32 => quote!(Real::splat_u32(0)),
            Type::Bool => quote!(Real::splat_mask(false)),
            Type::Vector(_) => quote!(#krate::Vector::default()),
            Type::Point(_) => quote!(#krate::Point::default()),
            Type::Array(n) => quote!([Real::default(); #n]),
            Type::Table(rows, columns) => quote!([[Real::default(); #columns]; #rows]),
            Type::Reduced(_) => quote!(::core::default::Default::default()),
        }
    }

    /// Selects a value by a mask.
    pub(super) fn select(
        &self,
        ty: Type,
        mask: &TokenStream,
        yes: &TokenStream,
        no: &TokenStream,
    ) -> TokenStream {
        let krate = self.krate;
        match ty {
            Type::Real => quote!(Real::select(#mask, #yes, #no)),
            Type::U32 => quote!(Real::select_u32(#mask, #yes, #no)),
            Type::Bool if is_name(mask) => quote!(((#mask & (#yes)) | (!(#mask) & (#no)))),
            // A condition that is printed twice would grow exponentially when nested.
            Type::Bool => quote!({
                let __mask = #mask;
                ((__mask & (#yes)) | (!__mask & (#no)))
            }),
            Type::Vector(_) => quote!(#krate::Vector::select(#mask, #yes, #no)),
            Type::Point(_) => quote!(#krate::Point::select(#mask, #yes, #no)),
            Type::Array(_) => quote!(#krate::select_array::<Real, _>(#mask, #yes, #no)),
            Type::Table(..) | Type::Reduced(_) => {
                unreachable!("checked: tables are read by their entries, and results not at all")
            }
        }
    }
}

/// Tests whether these tokens are only a name.
fn is_name(tokens: &TokenStream) -> bool {
    let mut tokens = tokens.clone().into_iter();
    matches!((tokens.next(), tokens.next()), (Some(TokenTree::Ident(_)), None))
}
