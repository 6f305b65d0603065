//! Arguments of the attribute.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::Parser as _;

use crate::diagnostics::{Ctxt, Site};
use crate::message;

/// Arguments of the attribute.
pub struct Arguments {
    /// Hidden module of the `nbody` crate that has all names of generated code.
    pub krate: TokenStream,
}

impl Arguments {
    pub fn parse(cx: &Ctxt, args: TokenStream) -> Self {
        let site = Site::of(&args);
        let mut krate = quote!(::nbody);
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("crate") {
                krate = meta.value()?.parse::<syn::Path>()?.to_token_stream();
            } else {
                cx.error(site, &message::ARGUMENT, &[]);
                meta.input.parse::<TokenStream>()?;
            }
            Ok(())
        });
        if let Err(error) = parser.parse2(args) {
            cx.syn_error(&error);
        }
        Self { krate: quote!(#krate::__private) }
    }
}
