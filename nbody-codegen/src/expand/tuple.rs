//! Expands the function of a tuple.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::properties::lints;
use crate::emit_rust::{Printer, ident};
use crate::ir::{Input, Module, Program};

/// Expands `tuple`, which gets the particles and their results as slices, and names each of them.
pub(super) fn function(
    module: &Module,
    item: &Program,
    result: &Ident,
    krate: &TokenStream,
) -> TokenStream {
    let (roles, body, target) = (&item.roles, &item.body, &item.parameters.ident);
    let printed = Printer::new(module, body, Some(roles), krate).body();
    let space = ident(&body.space);
    let space = if body.summary.needs_space { space } else { format_ident!("_{space}") };
    let record = item.record.as_ref().map_or_else(
        || quote!(_: &#krate::Nothing<Real>),
        |named| {
            let (name, ty) = (ident(roles.input(Input::Tuple)), &named.ident);
            quote!(#name: &#ty<Real>)
        },
    );
    let (particle, count) = (&item.p.ident, item.members());
    let members = (0..count).map(|place| ident(roles.input(Input::Member(place))));
    let results = roles.members.iter().map(|name| ident(name));
    let broken = format!("checked: a tuple of {count} particles");
    let lints = lints(&item.fn_attrs);
    quote! {
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        #lints
        fn tuple<Real: #krate::Lane<Coordinate = Real>, __Space: #krate::Space<Real>>(
            this: &#target<Real>,
            #space: &__Space,
            #record,
            __members: &[#particle<Real>],
            __results: &mut [#result<Real>],
        ) {
            let ([#(#members),*], [#(#results),*]) = (__members, __results) else {
                ::core::unreachable!(#broken)
            };
            #printed
        }
    }
}
