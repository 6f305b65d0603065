//! Expands the `impl` of an update, a measure or a tuple.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::properties::{lints, operations};
use super::tuple;
use crate::emit_cuda;
use crate::emit_rust::{Printer, ident};
use crate::ir::{Input, Module, Program, ProgramKind};

/// Expands a program per particle or per tuple.
///
/// The `unsafe impl` is sound: the CUDA text declares the structs with the fields of the records,
/// and visits their numbers in the same order.
pub(super) fn program(module: &Module, item: &Program, krate: &TokenStream) -> TokenStream {
    let (attrs, name) = (&item.attrs, &item.name);
    let [law, names] = [emit_cuda::program(module, item), emit_cuda::names(module, item)]
        .map(|text| Literal::string(&text));
    let operations = operations(item.body.summary.operations, krate);
    let target = &item.parameters.ident;
    let ty = |input| {
        let found = item.inputs().find(|(known, _)| *known == input);
        found.map_or_else(
            || quote!(#krate::Nothing),
            |(_, named)| {
                let ident = &named.ident;
                quote!(#ident)
            },
        )
    };
    let is_tuple = item.members() > 0;
    let [p, q] =
        if is_tuple { [Input::Member(0), Input::Tuple] } else { [Input::P, Input::Q] }.map(ty);
    let function = function(module, item, krate);
    let gathers = item.gathers();
    let (of, kind, changes, total) = match &item.kind {
        ProgramKind::Update(changes) => ("Update", "update", &changes[..], None),
        ProgramKind::Measure(total) => ("Measure", "measure", &[][..], Some(&total.ident)),
        ProgramKind::Tuple(..) => ("Tuple", "tuple", &[][..], None),
    };
    let [of, kind, of_kind] = [of, kind, &format!("of_{kind}")].map(ident);
    let total = total.map(|total| quote!(type T = #total;));
    let types = if let ProgramKind::Tuple(members, result) = &item.kind {
        let result = &result.ident;
        quote!(type P = #p; type T = #q; type F = #result; type Members = [u32; #members];)
    } else {
        let [f, g] = [Input::F, Input::G].map(ty);
        quote!(type P = #p; type Q = #q; type F = #f; type G = #g; #total)
    };
    quote! {
        #(#attrs)*
        unsafe impl #krate::#of for #target {
            #types
            const PROGRAM: &'static #krate::ParticleProgram =
                &#krate::ParticleDeclaration {
                    name: #name,
                    operations: #operations,
                    cuda: #krate::ParticleText { law: #law, names: #names },
                    changes: &[#(#changes),*],
                    gathers: #gathers,
                }.#kind::<Self>();
            #function

            #[inline(never)]
            fn cpu_loop() -> #krate::ParticleLoop {
                #krate::ParticleLoop::#of_kind::<Self>()
            }
        }
    }
}

fn function(module: &Module, item: &Program, krate: &TokenStream) -> TokenStream {
    if let ProgramKind::Tuple(_, result) = &item.kind {
        return tuple::function(module, item, &result.ident, krate);
    }
    let (roles, body, target) = (&item.roles, &item.body, &item.parameters.ident);
    let printer = Printer::new(module, body, Some(roles), krate);
    let printed = printer.body();
    let space = ident(&body.space);
    let space = if body.summary.needs_space { space } else { format_ident!("_{space}") };
    let changes = matches!(item.kind, ProgramKind::Update(_));
    let input = |input| {
        let found = item.inputs().find(|(known, _)| *known == input);
        let mutable = (changes && input == Input::P).then(|| quote!(mut));
        found.map_or_else(
            || quote!(_: &#krate::Nothing<Real>),
            |(_, named)| {
                let (name, ty) = (ident(roles.input(input)), &named.ident);
                quote!(#name: &#mutable #ty<Real>)
            },
        )
    };
    let inputs = [Input::P, Input::Q, Input::F, Input::G].map(input);
    let second = item.q.as_ref().map_or_else(
        || quote!(#krate::Nothing<Real>),
        |q| {
            let ident = &q.ident;
            quote!(#ident<Real>)
        },
    );
    let others = ident(&roles.others);
    let others = if item.gathers() > 0 { others } else { format_ident!("_{others}") };
    let (name, total) = match &item.kind {
        ProgramKind::Update(_) | ProgramKind::Tuple(..) => (ident("update"), None),
        ProgramKind::Measure(total) => {
            let (index, t, ty) = (ident(&roles.index), ident(&roles.f), &total.ident);
            let keeps_index = module[total.id].keeps_index();
            let index = if keeps_index { index } else { format_ident!("_{index}") };
            (ident("measure"), Some(quote!(#index: Real::U32, #t: &mut #ty<Real>,)))
        }
    };
    let lints = lints(&item.fn_attrs);
    quote! {
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic, unused_variables)]
        #lints
        fn #name<
            Real: #krate::Lane<Coordinate = Real>,
            __Space: #krate::Space<Real>,
            __Others: #krate::Others<#second, Real::U32>,
        >(
            this: &#target<Real>,
            #space: &__Space,
            #(#inputs,)*
            #others: &__Others,
            #total
        ) {
            #printed
        }
    }
}
