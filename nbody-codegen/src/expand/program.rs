//! Expands the `impl` of an update, a measure or a tuple.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::properties::{lints, operations};
use super::tuple;
use crate::emit_cuda;
use crate::emit_rust::{Printer, ident};
use crate::ir::{Input, Module, Named, Program, ProgramKind};

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
    let p = &item.p.ident;
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
        let (result, record) = (&result.ident, joined(item.record.iter(), krate, &quote!()));
        quote!(type P = #p; type T = #record; type F = #result; type Members = [u32; #members];)
    } else {
        let [q, f, g] = [&item.q, &item.f, &item.g].map(|it| joined(it, krate, &quote!()));
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
    let mutable = matches!(item.kind, ProgramKind::Update(_)).then(|| quote!(mut));
    let (p, type_of_p) = (ident(roles.input(Input::P)), &item.p.ident);
    let real = quote!(<Real>);
    let beside = item.beside().map(|records| {
        let names: Vec<_> = records.iter().map(|(input, _)| ident(roles.input(*input))).collect();
        let ty = joined(records.iter().map(|(_, named)| *named), krate, &real);
        match &names[..] {
            [] => quote!(_: &#ty),
            [name] => quote!(#name: &#ty),
            names => quote!((#(#names),*): &#ty),
        }
    });
    let second = joined(&item.q, krate, &real);
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
            #p: &#mutable #type_of_p<Real>,
            #(#beside,)*
            #others: &__Others,
            #total
        ) {
            #printed
        }
    }
}

/// Returns the type of records of one kind: none, one, or several as a tuple.
fn joined<'a>(
    records: impl IntoIterator<Item = &'a Named>,
    krate: &TokenStream,
    of: &TokenStream,
) -> TokenStream {
    let records: Vec<_> = records.into_iter().map(|named| &named.ident).collect();
    crate::emit_rust::joined(&records, krate, of)
}
