//! Puts the expansion together: the module with its structs, their layouts, the functions and
//! the `impl Interaction`.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::Attribute;

use crate::analysis::{Operations, needs_space};
use crate::emit_cuda;
use crate::emit_rust::{Printer, ident, type_tokens};
use crate::exchange;
use crate::ir::{
    self, Body, Constant, Field, Function, Interaction, Module, Reduction, Roles, Struct, Type,
    Value,
};

/// The module that takes the place of the declaration.
pub fn expand(module: &Module, krate: &TokenStream) -> TokenStream {
    let Module { attrs, vis, ident, .. } = module;
    let structs = module.structs.iter().map(|item| structure(item, krate));
    let constants = module.constants.iter().map(constant);
    let functions = module.functions.iter().map(|item| function(module, item, krate));
    let interactions = module.interactions.iter().map(|item| interaction(module, item, krate));
    quote! {
        #(#attrs)*
        #vis mod #ident {
            #(#constants)*
            #(#structs)*
            #(#functions)*
            #(#interactions)*
        }
    }
}

fn constant(item: &Constant) -> TokenStream {
    let Constant { attrs, vis, ident, .. } = item;
    match item.value {
        // The value may be near a constant that clippy knows, and is what the user wrote.
        Value::Real(x) => quote! {
            #(#attrs)*
            #[allow(clippy::approx_constant)]
            #vis const #ident: f64 = #x;
        },
        Value::U32(n) => quote!(#(#attrs)* #vis const #ident: u32 = #n;),
    }
}

fn structure(item: &Struct, krate: &TokenStream) -> TokenStream {
    let Struct { attrs, vis, ident, .. } = item;
    let fields = item.fields.iter().map(|field| {
        let Field { attrs, vis, ident, .. } = field;
        let ty = type_tokens(field.ty, krate);
        quote!(#(#attrs)* #vis #ident: #ty)
    });
    // Without a field the lane would be unused, and a unit struct would lose its value.
    let marker = item
        .fields
        .is_empty()
        .then(|| quote!(#[doc(hidden)] pub __real: ::core::marker::PhantomData<Real>));
    let value = item.fields.is_empty().then(|| {
        quote! {
            #[doc(hidden)]
            #[allow(non_upper_case_globals)]
            #vis const #ident: #ident = #ident { __real: ::core::marker::PhantomData };
        }
    });
    let (record, pod) = (record(item, krate), pod(item, krate));
    let output = item.is_output.then(|| output(item, krate));
    quote! {
        #(#attrs)*
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        #vis struct #ident<Real: #krate::Lane = f64> { #(#fields,)* #marker }
        #value
        #record
        #output
        #pod
    }
}

/// The numbers of a struct.
///
/// The `unsafe impl` is sound: fields, what reads and what writes them come from one list, whatever the
/// lane.
fn record(item: &Struct, krate: &TokenStream) -> TokenStream {
    let name = &item.ident;
    let marker = item.fields.is_empty().then(|| quote!(__real: ::core::marker::PhantomData,));
    let each = |f: fn(&Field, &TokenStream) -> TokenStream| {
        let parts: Vec<_> = item.fields.iter().map(|field| f(field, krate)).collect();
        parts
    };
    let (zeros, reads, writes, kinds) = (each(zero), each(read), each(write), each(kind));
    quote! {
        impl<Real: #krate::Lane> ::core::default::Default for #name<Real> {
            #[inline(always)]
            fn default() -> Self {
                Self { #(#zeros,)* #marker }
            }
        }
        unsafe impl<Real: #krate::Lane> #krate::Record for #name<Real> {
            type Lane = Real;
            type With<__M: #krate::Lane> = #name<__M>;
            type Host = #name<f64>;
            const FIELDS: &'static [#krate::Field] = &[#(#kinds),*];
            const DIM: usize = #krate::dim(Self::FIELDS);
            #[inline(always)]
            fn read<__R: #krate::Reader<Real>>(__from: &mut __R) -> Self {
                Self { #(#reads,)* #marker }
            }
            #[inline(always)]
            fn write<__W: #krate::Writer<Real>>(&self, __to: &mut __W) {
                #(#writes)*
            }
        }
    }
}

fn zero(field: &Field, krate: &TokenStream) -> TokenStream {
    let ident = &field.ident;
    let value = match field.ty {
        Type::Array(n) => quote!([Real::default(); #n]),
        Type::Table(rows, columns) => quote!([[Real::default(); #columns]; #rows]),
        Type::Reduced(Reduction::Min) => quote!(Real::splat(f64::INFINITY)),
        Type::Reduced(Reduction::Max) => quote!(Real::splat(f64::NEG_INFINITY)),
        Type::Vector(_) => quote!(#krate::Vector::default()),
        Type::Point(_) => quote!(#krate::Point::default()),
        _ => quote!(::core::default::Default::default()),
    };
    quote!(#ident: #value)
}

fn read(field: &Field, krate: &TokenStream) -> TokenStream {
    let ident = &field.ident;
    let value = match field.ty {
        Type::Array(n) => quote!({
            let mut __array = [Real::default(); #n];
            for __x in &mut __array {
                *__x = __from.real();
            }
            __array
        }),
        Type::Table(rows, columns) => quote!({
            let mut __table = [[Real::default(); #columns]; #rows];
            for __x in __table.as_flattened_mut() {
                *__x = __from.real();
            }
            __table
        }),
        Type::Vector(_) => quote!(#krate::Vector::read(__from)),
        Type::Point(_) => quote!(#krate::Point::read(__from)),
        Type::U32 | Type::Reduced(Reduction::Count) => quote!(__from.index()),
        Type::Reduced(Reduction::ArgMin) => quote!(#krate::ArgMin::read(__from)),
        Type::Real | Type::Bool | Type::Reduced(Reduction::Min | Reduction::Max) => {
            quote!(__from.real())
        }
    };
    quote!(#ident: #value)
}

fn write(field: &Field, _: &TokenStream) -> TokenStream {
    let ident = &field.ident;
    match field.ty {
        Type::Array(_) => quote!(for __x in self.#ident { __to.real(__x); }),
        Type::Table(..) => quote!(for __x in self.#ident.as_flattened() { __to.real(*__x); }),
        Type::Vector(_) | Type::Point(_) | Type::Reduced(Reduction::ArgMin) => {
            quote!(self.#ident.write(__to);)
        }
        Type::U32 | Type::Reduced(Reduction::Count) => quote!(__to.index(self.#ident);),
        Type::Real | Type::Bool | Type::Reduced(Reduction::Min | Reduction::Max) => {
            quote!(__to.real(self.#ident);)
        }
    }
}

fn kind(field: &Field, krate: &TokenStream) -> TokenStream {
    let name = field.ident.to_string();
    let kind = match field.ty {
        Type::Real | Type::Bool => quote!(Real),
        Type::U32 => quote!(U32),
        Type::Vector(n) => quote!(Vector(#n)),
        Type::Point(n) => quote!(Point(#n)),
        Type::Array(n) => quote!(Array(#n)),
        Type::Table(..) => {
            let n = field.ty.components();
            quote!(Array(#n))
        }
        Type::Reduced(Reduction::Min) => quote!(Min),
        Type::Reduced(Reduction::Max) => quote!(Max),
        Type::Reduced(Reduction::ArgMin) => quote!(ArgMin),
        Type::Reduced(Reduction::Count) => quote!(Count),
    };
    quote!(#krate::Field { name: #name, kind: #krate::FieldKind::#kind })
}

fn output(item: &Struct, krate: &TokenStream) -> TokenStream {
    let name = &item.ident;
    let chosen = item.fields.iter().map(|field| {
        let ident = &field.ident;
        let choose = match field.ty {
            Type::Vector(_) => quote!(#krate::Vector::select),
            Type::Array(_) => quote!(#krate::select_array::<__L, _>),
            Type::Reduced(Reduction::ArgMin) => quote!(#krate::ArgMin::select),
            Type::Reduced(Reduction::Count) => quote!(__L::select_u32),
            _ => quote!(__L::select),
        };
        quote!(#ident: #choose(__mask, __yes.#ident, __no.#ident))
    });
    let compensated = item.fields.iter().map(|field| compensate(field, krate));
    quote! {
        impl #krate::Output for #name {
            #[inline(always)]
            fn select<__L: #krate::Lane>(
                __mask: __L::Mask,
                __yes: &#name<__L>,
                __no: &#name<__L>,
            ) -> #name<__L> {
                #name { #(#chosen),* }
            }
            #[inline(always)]
            fn compensate<__L: #krate::Lane>(
                __term: &#name<__L>,
                __total: &mut #name<__L>,
                __lost: &mut #name<__L>,
            ) {
                #(#compensated)*
            }
        }
    }
}

fn compensate(field: &Field, krate: &TokenStream) -> TokenStream {
    let ident = &field.ident;
    match field.ty {
        Type::Vector(_) | Type::Array(_) => {
            let components = matches!(field.ty, Type::Vector(_)).then(|| quote!(.0));
            quote! {
                for (__k, __x) in __term.#ident #components.into_iter().enumerate() {
                    #krate::compensate(
                        __x,
                        &mut __total.#ident #components[__k],
                        &mut __lost.#ident #components[__k],
                    );
                }
            }
        }
        Type::Reduced(Reduction::Min) => {
            quote!(__total.#ident = #krate::Lane::min(__total.#ident, __term.#ident);)
        }
        Type::Reduced(Reduction::Max) => {
            quote!(__total.#ident = #krate::Lane::max(__total.#ident, __term.#ident);)
        }
        Type::Reduced(Reduction::ArgMin) => {
            quote!(__total.#ident.take(__term.#ident.value, __term.#ident.index);)
        }
        Type::Reduced(Reduction::Count) => quote! {
            __total.#ident = <__L as #krate::Lane>::add_u32(__total.#ident, __term.#ident);
        },
        _ => quote! {
            #krate::compensate(__term.#ident, &mut __total.#ident, &mut __lost.#ident);
        },
    }
}

/// `Pod` for the scalars over which the struct has no padding.
///
/// This is sound: the struct is `repr(C)`, its fields are `f32`, `f64`, `u32` or transparent
/// arrays of them, for which any bits are a value, and [`is_dense`] tells that no byte lies
/// between or behind them.
fn pod(item: &Struct, krate: &TokenStream) -> TokenStream {
    let name = &item.ident;
    let scalars = [("f32", 4), ("f64", 8)];
    scalars
        .into_iter()
        .filter(|(_, size)| is_dense(item, *size))
        .map(|(scalar, _)| {
            let scalar = format_ident!("{scalar}");
            quote! {
                unsafe impl #krate::__private::Zeroable for #name<#scalar> {}
                unsafe impl #krate::__private::Pod for #name<#scalar> {}
            }
        })
        .collect()
}

/// Whether `repr(C)` leaves no padding when a real number takes this many bytes.
fn is_dense(item: &Struct, real: usize) -> bool {
    let (mut offset, mut align) = (0, 1);
    for field in &item.fields {
        let (size, needs) = match field.ty {
            Type::U32 | Type::Reduced(Reduction::Count) => (4, 4),
            // A real and an integer.
            Type::Reduced(Reduction::ArgMin) if real != 4 => return false,
            ty => (real * ty.components(), real),
        };
        if offset % needs != 0 {
            return false;
        }
        offset += size;
        align = align.max(needs);
    }
    offset % align == 0
}

fn function(module: &Module, item: &Function, krate: &TokenStream) -> TokenStream {
    let Function { attrs, vis, ident, .. } = item;
    let mut printer = Printer::new(module, &item.body, None, krate);
    let parameters: Vec<_> = item
        .parameters
        .iter()
        .map(|&id| {
            let (name, ty) = (printer.local(id), type_tokens(item.body.locals[id].ty, krate));
            quote!(#name: #ty)
        })
        .collect();
    let output = type_tokens(item.output, krate);
    let body = printer.body_with_value(&item.value);
    let space = item.summary.needs_space.then(|| self::ident(&item.body.space));
    let (bound, space) = space
        .map(|space| (quote!(, __Space: #krate::Space<Real>), quote!(#space: &__Space,)))
        .unzip();
    quote! {
        #(#attrs)*
        #[inline(always)]
        #vis fn #ident<Real: #krate::Lane #bound>(#space #(#parameters),*) -> #output {
            #body
        }
    }
}

/// The interaction of an `impl`.
///
/// The `unsafe impl` is sound: the CUDA text declares the structs with the fields of the records, and
/// reads nothing but these; entries that the data tells are looked up where there are any.
fn interaction(module: &Module, item: &Interaction, krate: &TokenStream) -> TokenStream {
    let Interaction { attrs, ident: target, name, i, j, f, self_pairs, pair, .. } = item;
    let cuda = Literal::string(&emit_cuda::emit(module, item));
    let operations = operations(module, item, &pair.body, krate);
    let cutoff = item.cutoff.as_ref().map(|cutoff| self::cutoff(module, item, cutoff, krate));
    let third_law = third_law(module, item, krate);
    let ends = item.cutoff.is_some();
    let evaluate = evaluate(module, item, &pair.body, &pair.roles, krate);
    let index = ident(&pair.roles.index);
    let index =
        if emit_cuda::keeps_index(module, item) { index } else { format_ident!("_{index}") };
    let index = quote!(#index: Real::U32,);
    // The name in commands may be that of another interaction too.
    let units = target.to_string();
    let units = ident(&format!("__units_of_{}", units.trim_start_matches("r#")));
    let lints = lints(&pair.attrs);
    let pair = function_of_pair("pair", item, (&pair.roles, &lints), &index, &evaluate, krate);
    quote! {
        #(#attrs)*
        unsafe impl #krate::Interaction for #target {
            type I = #i;
            type J = #j;
            type F = #f;
            const NAME: &'static str = #name;
            const SELF_PAIRS: bool = #self_pairs;
            const CUTOFF: bool = #ends;
            const OPERATIONS: #krate::Operations = #operations;
            const CUDA: &'static str = #cuda;
            #cutoff
            #pair
            #third_law

            #[inline(never)]
            fn cpu_loops(__variant: #krate::__private::Variant) -> #krate::__private::Compiled {
                __variant.of::<Self, #units::scalars::Unit, #units::singles::Unit, #units::doubles::Unit>()
            }
        }

        // The compiler takes the functions of a module's types for one unit of code generation, and
        // works on several units at a time.
        #[allow(non_snake_case)]
        mod #units {
            pub mod scalars { pub struct Unit; }
            pub mod singles { pub struct Unit; }
            pub mod doubles { pub struct Unit; }
        }
    }
}

/// The lint levels among the attributes of a function, whose docs are in the CUDA text.
fn lints(attrs: &[Attribute]) -> TokenStream {
    attrs
        .iter()
        .filter(|attr| !attr.path().is_ident("doc"))
        .map(ToTokens::to_token_stream)
        .collect()
}

/// What a function of a pair does, and the name by which it knows the space.
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
    let mut printer = Printer::new(module, body, Some(roles), krate);
    let [i, j, space] = [&roles.i, &roles.j, &body.space].map(|name| ident(name));
    let uses_space = item.cutoff.is_some() || needs_space(&module.functions, body, None);
    let body = if item.cutoff.is_some() {
        printer.body_within(&quote!(<Self as #krate::Interaction>::within(this, #space, #i, #j)))
    } else {
        printer.body()
    };
    let space = if uses_space { space } else { format_ident!("_{space}") };
    Evaluate { space, body }
}

/// A function of a pair, in one direction or in both.
fn function_of_pair(
    name: &str,
    item: &Interaction,
    (roles, lints): (&Roles, &TokenStream),
    index: &TokenStream,
    evaluate: &Evaluate,
    krate: &TokenStream,
) -> TokenStream {
    let Interaction { ident: target, i, j, f, .. } = item;
    let Evaluate { space, body } = evaluate;
    let [name, i_name, j_name, f_name] = [name, &roles.i, &roles.j, &roles.f].map(ident);
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

/// The distance at which an interaction ends, and whether a pair is closer.
fn cutoff(
    module: &Module,
    item: &Interaction,
    cutoff: &ir::Cutoff,
    krate: &TokenStream,
) -> TokenStream {
    let Interaction { ident: target, i, j, .. } = item;
    let ir::Cutoff { attrs, roles, body, value, points } = cutoff;
    let [i_name, j_name, space] = [&roles.i, &roles.j, &body.space].map(|name| ident(name));
    let [i_point, j_point] = points.each_ref().map(|point| &point.ident);
    let body = Printer::new(module, body, Some(roles), krate).body_with_value(value);
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
        let __distance = #space.difference(#j_name.#j_point, #i_name.#i_point);
        Real::within_reach(__reach, __distance.norm2())
    };
    let within = function("within", TokenStream::new(), quote!(Real::Mask), within);
    quote!(#cutoff #within)
}

/// Both directions of a pair at once, where there is such a form.
fn third_law(module: &Module, item: &Interaction, krate: &TokenStream) -> Option<TokenStream> {
    let both = exchange::both(module, item)?;
    let cuda = Literal::string(&emit_cuda::emit_both(module, item, &both));
    let operations = operations(module, item, &both.body, krate);
    let evaluate = evaluate(module, item, &both.body, &both.roles, krate);
    let none = TokenStream::new();
    let roles = (&both.roles, &none);
    let pair_symmetric = function_of_pair("pair_symmetric", item, roles, &none, &evaluate, krate);
    Some(quote! {
        const THIRD_LAW: ::core::option::Option<#krate::ThirdLaw> =
            ::core::option::Option::Some(#krate::ThirdLaw { cuda: #cuda, operations: #operations });
        #pair_symmetric
    })
}

fn operations(
    module: &Module,
    item: &Interaction,
    body: &Body,
    krate: &TokenStream,
) -> TokenStream {
    let Operations { add, mul, div, sqrt, special, compare } = Operations::of(module, item, body);
    quote! {
        #krate::Operations {
            add: #add, mul: #mul, div: #div, sqrt: #sqrt, special: #special, compare: #compare,
        }
    }
}
