//! Expands the `impl` of an interaction.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

use super::properties::{lints, operations};
use crate::emit_cuda;
use crate::emit_rust::{Printer, ident};
use crate::ir::{self, Body, Input, Interaction, Module, Roles};
use crate::reach::reach;
use crate::separable::{Carried, ChargeSum, Separable, separable};
use crate::symmetry::symmetric;

/// Expands an interaction.
///
/// The `unsafe impl` is sound: the CUDA text declares the structs with the fields of the records
/// and reads nothing else, and entries with an index from the data are read only within the
/// bounds.
pub(super) fn interaction(module: &Module, item: &Interaction, krate: &TokenStream) -> TokenStream {
    let Interaction { attrs, name, self_pairs, pair, .. } = item;
    let [target, i, j, f] = names(item);
    let [law, sums, compensated] = [
        emit_cuda::law(module, item),
        emit_cuda::sums(module, item),
        emit_cuda::compensated(module, item),
    ]
    .map(|text| Literal::string(&text));
    let operations = operations(item.operations(&pair.body), krate);
    let cutoff = item.cutoff.as_ref().map(|cutoff| self::cutoff(module, item, cutoff, krate));
    let (third_law, pair_symmetric) = third_law(module, item, krate);
    let ends = item.cutoff.is_some();
    let reads = item.cutoff_reads(module).map(|numbers| quote!(&[#(#numbers),*]));
    let reach = reach(module, item, krate);
    let charges = charges(module, item, krate);
    let evaluate = evaluate(module, item, &pair.body, &pair.roles, krate);
    let index = ident(&pair.roles.index);
    let keeps_index = module[item.f.id].keeps_index();
    let index = if keeps_index { index } else { format_ident!("_{index}") };
    let index = quote!(#index: Real::U32,);
    // Another interaction may have the same name in commands.
    let units = target.to_string();
    let units = ident(&format!("__units_of_{}", units.trim_start_matches("r#")));
    let most_counted = item.most_counted(module);
    let most_counted = most_counted.map_or_else(
        || quote!(::core::option::Option::None),
        |most| quote!(::core::option::Option::Some(#most)),
    );
    let lints = lints(&pair.attrs);
    let pair = function_of_pair("pair", item, (&pair.roles, &lints), &index, &evaluate, krate);
    quote! {
        #(#attrs)*
        unsafe impl #krate::Interaction for #target {
            type I = #i;
            type J = #j;
            type F = #f;
            const LAW: &'static #krate::Law = &#krate::Declaration {
                name: #name,
                self_pairs: #self_pairs,
                cutoff: #ends,
                cutoff_reads: [#(#reads),*],
                reach: #reach,
                charges: #charges,
                operations: #operations,
                most_counted: #most_counted,
                cuda: #krate::CudaText {
                    law: #law,
                    sums: #sums,
                    compensated: #compensated,
                },
                third_law: #third_law,
            }.law::<Self>();
            #cutoff
            #pair
            #pair_symmetric

            #[inline(never)]
            fn cpu_loops(__variant: #krate::Variant) -> #krate::Compiled {
                __variant.of::<Self, #units::scalars::Unit, #units::singles::Unit, #units::doubles::Unit>()
            }
        }

        // The compiler puts the functions of a module's types into one unit of code generation,
        // and works on several units at a time.
        #[allow(non_snake_case)]
        mod #units {
            pub mod scalars { pub struct Unit; }
            pub mod singles { pub struct Unit; }
            pub mod doubles { pub struct Unit; }
        }
    }
}

/// Returns the structs of an interaction by their names there: parameters, i, j and results.
fn names(item: &Interaction) -> [&Ident; 4] {
    [&item.parameters, &item.i, &item.j, &item.f].map(|named| &named.ident)
}

/// The body of a pair function, and its name for the space.
struct Evaluate {
    space: Ident,
    body: TokenStream,
}

/// Evaluates a body within the cutoff.
fn evaluate(
    module: &Module,
    item: &Interaction,
    body: &Body,
    roles: &Roles,
    krate: &TokenStream,
) -> Evaluate {
    let printer = Printer::new(module, body, Some(roles), krate);
    let space = ident(&body.space);
    let uses_space = item.cutoff.is_some() || body.summary.needs_space;
    let body = if item.cutoff.is_some() { printer.body_within() } else { printer.body() };
    let space = if uses_space { space } else { format_ident!("_{space}") };
    Evaluate { space, body }
}

/// Prints a function of a pair, in one direction or in both.
fn function_of_pair(
    name: &str,
    item: &Interaction,
    (roles, lints): (&Roles, &TokenStream),
    index: &TokenStream,
    evaluate: &Evaluate,
    krate: &TokenStream,
) -> TokenStream {
    let [target, i, j, f] = names(item);
    let Evaluate { space, body } = evaluate;
    let [i_name, j_name] = [Input::I, Input::J].map(|particle| ident(roles.input(particle)));
    let [name, f_name] = [name, &roles.f].map(ident);
    let g = roles.g.as_ref().map(|g| ident(g)).map(|g| quote!(#g: &mut #f<Real>,));
    quote! {
        #[inline(always)]
        #[allow(clippy::all, clippy::pedantic)]
        #lints
        fn #name<Real: #krate::Lane, __Space: #krate::Space<Real>>(
            this: &#target<Real>,
            #space: &__Space,
            #i_name: &#i<Real>,
            #j_name: &#j<Real>,
            #index
            #f_name: &mut #f<Real>,
            #g
        ) {
            #body
        }
    }
}

/// Prints the distance at which an interaction ends, and the test whether a pair is closer.
fn cutoff(
    module: &Module,
    item: &Interaction,
    cutoff: &ir::Cutoff,
    krate: &TokenStream,
) -> TokenStream {
    let [target, i, j, _] = names(item);
    let ir::Cutoff { attrs, roles, body, points } = cutoff;
    let [i_name, j_name] = [Input::I, Input::J].map(|particle| ident(roles.input(particle)));
    let space = ident(&body.space);
    let [i_point, j_point] = points.map(|point| &module[point].ident);
    let body = Printer::new(module, body, Some(roles), krate).body();
    let function = |name: &str, lints: TokenStream, output: TokenStream, body: TokenStream| {
        let name = ident(name);
        quote! {
            #[inline(always)]
            #[allow(clippy::all, clippy::pedantic, unused_variables)]
            #lints
            fn #name<Real: #krate::Lane, __Space: #krate::Space<Real>>(
                this: &#target<Real>,
                #space: &__Space,
                #i_name: &#i<Real>,
                #j_name: &#j<Real>,
            ) -> #output {
                #body
            }
        }
    };
    let cutoff = function("cutoff", lints(attrs), quote!(Real), body);
    let within = quote! {
        let __reach = <Self as #krate::Interaction>::cutoff(this, #space, #i_name, #j_name);
        let __distance = #space.difference(#i_name.#i_point, #j_name.#j_point);
        Real::within_reach(__reach, __distance.norm2())
    };
    let within = function("within", TokenStream::new(), quote!(Real::Mask), within);
    quote!(#cutoff #within)
}

/// Prints the description and the function of both directions of a pair, where such a form exists.
fn third_law(
    module: &Module,
    item: &Interaction,
    krate: &TokenStream,
) -> (TokenStream, Option<TokenStream>) {
    let Some(both) = symmetric(module, item) else {
        return (quote!(::core::option::Option::None), None);
    };
    let cuda = Literal::string(&emit_cuda::pair_symmetric(module, item, &both));
    let operations = operations(item.operations(&both.body), krate);
    let evaluate = evaluate(module, item, &both.body, &both.roles, krate);
    let none = TokenStream::new();
    let roles = (&both.roles, &none);
    let pair_symmetric = function_of_pair("pair_symmetric", item, roles, &none, &evaluate, krate);
    let third_law = quote! {
        ::core::option::Option::Some(#krate::ThirdLaw { cuda: #cuda, operations: #operations })
    };
    (third_law, Some(pair_symmetric))
}

/// Prints the charges, or the reason why there are none.
fn charges(module: &Module, item: &Interaction, krate: &TokenStream) -> TokenStream {
    let Separable { charges, carried, sums } = match separable(module, item) {
        Ok(separable) => separable,
        Err(reason) => return quote!(::core::result::Result::Err(#reason)),
    };
    let products = charges.iter().map(|charge| quote!(&[#(#charge),*]));
    let carried = carried.iter().map(|carried| match *carried {
        Carried::Zero => quote!(#krate::Carried::Zero),
        Carried::One => quote!(#krate::Carried::One),
        Carried::Charge(q) => quote!(#krate::Carried::Charge(#q)),
        Carried::Ratio(q, by) => quote!(#krate::Carried::Ratio(#q, #by)),
    });
    let sums = sums.iter().map(|ChargeSum { charges, depends_on_i }| {
        quote!(#krate::ChargeSum { charges: &[#(#charges),*], depends_on_i: #depends_on_i })
    });
    quote! {
        ::core::result::Result::Ok(#krate::Charges {
            products: &[#(#products),*],
            carried: &[#(#carried),*],
            sums: &[#(#sums),*],
        })
    }
}
