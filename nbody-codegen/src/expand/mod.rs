//! Assembles the expansion: the module with its structs, the functions and the `impl`s.

mod interaction;
mod program;
mod properties;
mod tuple;

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit_rust::{Printer, ident, structure, type_tokens};
use crate::ir::{Constant, Function, Module, Value};

use interaction::interaction;
use program::program;

/// Returns the module that replaces the declaration.
pub fn expand(module: &Module, krate: &TokenStream) -> TokenStream {
    let Module { attrs, vis, ident, .. } = module;
    let structs = module.structs.iter().map(|item| structure(item, krate));
    let constants = module.constants.iter().map(constant);
    let functions = module.functions.iter().map(|item| function(module, item, krate));
    let interactions = module.interactions.iter().map(|item| interaction(module, item, krate));
    let programs = module.programs.iter().map(|item| program(module, item, krate));
    quote! {
        #(#attrs)*
        #vis mod #ident {
            #(#constants)*
            #(#structs)*
            #(#functions)*
            #(#interactions)*
            #(#programs)*
        }
    }
}

fn constant(item: &Constant) -> TokenStream {
    let Constant { attrs, vis, ident, .. } = item;
    match item.value {
        // The value is the user's, and may be close to a constant that clippy knows.
        Value::Real(x) => quote! {
            #(#attrs)*
            #[allow(clippy::approx_constant)]
            #vis const #ident: f64 = #x;
        },
        Value::U32(n) => quote!(#(#attrs)* #vis const #ident: u32 = #n;),
    }
}

fn function(module: &Module, item: &Function, krate: &TokenStream) -> TokenStream {
    let Function { attrs, vis, ident, .. } = item;
    let printer = Printer::new(module, &item.body, None, krate);
    let parameters: Vec<_> = item
        .parameters
        .iter()
        .map(|&id| {
            let (name, ty) = (printer.local(id), type_tokens(item.body.locals[id].ty, krate));
            quote!(#name: #ty)
        })
        .collect();
    let output = type_tokens(item.output, krate);
    let body = printer.body();
    let space = item.body.summary.needs_space.then(|| self::ident(&item.body.space));
    let (bound, space) = space
        .map(|space| (quote!(, __Space: #krate::Space<Real>), quote!(#space: &__Space,)))
        .unzip();
    quote! {
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        #(#attrs)*
        #vis fn #ident<Real: #krate::Lane #bound>(#space #(#parameters),*) -> #output {
            #body
        }
    }
}
