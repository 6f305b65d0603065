//! Lint levels and operation counts of a function.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Attribute;

use crate::ir::Operations;

/// Returns the lint levels among the attributes of a function. Its docs are in the CUDA text.
pub(super) fn lints(attrs: &[Attribute]) -> TokenStream {
    attrs
        .iter()
        .filter(|attr| !attr.path().is_ident("doc"))
        .map(ToTokens::to_token_stream)
        .collect()
}

/// Prints the operations of one evaluation.
pub(super) fn operations(operations: Operations, krate: &TokenStream) -> TokenStream {
    let Operations { add, mul, div, sqrt, special, compare, slots: _ } = operations;
    quote! {
        #krate::Operations {
            add: #add, mul: #mul, div: #div, sqrt: #sqrt, special: #special, compare: #compare,
        }
    }
}
