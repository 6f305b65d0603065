//! The stub that replaces a refused module: its types, with the widest visibility, and
//! interactions that do nothing, so that the surrounding code compiles without further errors.
//!
//! The `unsafe impl` of both traits is sound: a program with an error is never run.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use syn::{Ident, Type};

use crate::check;
use crate::diagnostics::Ctxt;
use crate::emit_rust::{joined, type_tokens};
use crate::ir::{self, Constant, List, Value};
use crate::message::nearest;
use crate::names::{self, Unique};
use crate::syntax::{self, Function, Module, Roles, Struct, Trait, Tuple};

/// Types of Rust that a user may have given to a field.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32",
    "u64", "u128", "usize",
];

pub fn stub(module: &Module, krate: &TokenStream) -> TokenStream {
    // These errors were reported when the module was checked.
    let quiet = Ctxt::new();
    let constants = check::constant::check(&quiet, &module.constants, &mut Unique::default());
    let stub = Stub { module, krate, constants, quiet };
    let values = stub.values();
    let structs = stub.structs().map(|item| stub.structure(item));
    let tuples = stub.tuples().map(|item| stub.tuple(item));
    let structs: TokenStream = structs.chain(tuples).collect();
    let interactions = stub.interactions();
    let _reported = stub.quiet.finish();
    let Module { vis, ident, .. } = module;
    quote! {
        #[allow(warnings, clippy::all, clippy::pedantic)]
        #vis mod #ident {
            /// A type that is the same for every scalar.
            #[doc(hidden)]
            pub trait __Same<__T> { type As; }
            impl<__L, __T> __Same<__T> for __L { type As = __T; }
            #values
            #structs
            #interactions
        }
    }
}

struct Stub<'a> {
    module: &'a Module,
    krate: &'a TokenStream,
    constants: List<Constant>,
    quiet: Ctxt,
}

impl<'a> Stub<'a> {
    /// Returns the structs, each name once.
    fn structs(&self) -> impl Iterator<Item = &'a Struct> {
        let structs = &self.module.structs;
        let is_first = |(k, item): &(usize, &Struct)| {
            // Inside the struct its name would hide the scalar `Real`.
            item.ident != "Real" && structs[..*k].iter().all(|other| other.ident != item.ident)
        };
        structs.iter().enumerate().filter(is_first).map(|(_, item)| item)
    }

    /// Returns the structs whose fields have no names.
    fn tuples(&self) -> impl Iterator<Item = &'a Tuple> {
        let (structs, tuples) = (&self.module.structs, &self.module.tuples);
        let is_first = |(k, item): &(usize, &Tuple)| {
            structs.iter().all(|other| other.ident != item.ident)
                && tuples[..*k].iter().all(|other| other.ident != item.ident)
        };
        tuples.iter().enumerate().filter(is_first).map(|(_, item)| item)
    }

    /// Returns the names of all structs.
    fn names(&self) -> impl Iterator<Item = &'a Ident> {
        let tuples = self.tuples().map(|item| &item.ident);
        self.structs().map(|item| &item.ident).chain(tuples)
    }

    /// Declares the constants and the functions, each name once.
    fn values(&self) -> TokenStream {
        let units = self.structs().filter(|item| item.fields.is_empty());
        let mut taken: Vec<&Ident> = units.map(|item| &item.ident).collect();
        let mut tokens = TokenStream::new();
        for (item, constant) in self.module.constants.iter().zip(self.constants.iter()) {
            if taken.contains(&&item.ident) {
                continue;
            }
            taken.push(&item.ident);
            let (ident, ty) = (&item.ident, &item.ty);
            let value = match constant.value {
                Value::Real(x) => Literal::f64_unsuffixed(x),
                Value::U32(n) => Literal::u32_unsuffixed(n),
            };
            tokens.extend(match primitive(ty) {
                Some(known) if is_named(ty, "bool") => quote!(pub const #ident: #known = false;),
                Some(known) => quote!(pub const #ident: #known = #value as #known;),
                None => {
                    let ty = if constant.value.ty() == ir::Type::U32 { "u32" } else { "f64" };
                    let ty = Ident::new(ty, ident.span());
                    quote!(pub const #ident: ::core::primitive::#ty = #value;)
                }
            });
        }
        for item in &self.module.functions {
            if !taken.contains(&&item.ident) {
                taken.push(&item.ident);
                tokens.extend(self.function(item));
            }
        }
        tokens
    }

    fn function(&self, item: &Function) -> TokenStream {
        let (krate, name) = (self.krate, &item.ident);
        let ty = |written| {
            let known = check::types::exact(&self.quiet, written, &self.constants);
            type_tokens(known.unwrap_or(ir::Type::Real), krate)
        };
        let parameters = item.parameters.iter().map(|(_, written)| ty(written));
        let real = syn::parse_quote!(Real);
        let output = ty(item.output.as_ref().unwrap_or(&real));
        quote! {
            pub fn #name<Real: #krate::Lane>(#(_: #parameters),*) -> #output {
                ::core::unimplemented!()
            }
        }
    }

    fn structure(&self, item: &Struct) -> TokenStream {
        let name = &item.ident;
        let mut fields: Vec<(&Ident, TokenStream)> = Vec::new();
        for field in &item.fields {
            if fields.iter().all(|(ident, _)| **ident != field.ident) {
                fields.push((&field.ident, self.ty(name, &field.ty)));
            }
        }
        let fields = fields.iter().map(|(ident, ty)| quote!(pub #ident: #ty,));
        let marker = item
            .fields
            .is_empty()
            .then(|| quote!(#[doc(hidden)] pub __real: ::core::marker::PhantomData<Real>));
        let value = item.fields.is_empty().then(
            || quote!(pub const #name: #name = #name { __real: ::core::marker::PhantomData };),
        );
        let record = self.record(name, &quote!({ #(#fields)* #marker }));
        quote!(#record #value)
    }

    fn tuple(&self, item: &Tuple) -> TokenStream {
        let fields = item.fields.iter().map(|ty| self.ty(&item.ident, ty));
        self.record(&item.ident, &quote!((#(pub #fields),*);))
    }

    /// Declares a struct with these fields, for use as a particle, as parameters and as a result.
    fn record(&self, name: &Ident, fields: &TokenStream) -> TokenStream {
        let krate = self.krate;
        let text = fields.to_string();
        let has_splines = [":: Spline <", ":: Splines <"].iter().any(|ty| text.contains(ty));
        let copy = (!has_splines).then(|| quote!(Copy,));
        quote! {
            #[derive(Clone, #copy Debug, PartialEq)]
            pub struct #name<Real: #krate::Lane = ::core::primitive::f64> #fields
            impl<Real: #krate::Lane> ::core::default::Default for #name<Real> {
                fn default() -> Self { ::core::unimplemented!() }
            }
            unsafe impl<Real: #krate::Lane> #krate::Record for #name<Real> {
                type Lane = Real;
                type With<__M: #krate::Lane> = #name<__M>;
                type Host = #name<::core::primitive::f64>;
                const FIELDS: &'static [#krate::Field] = &[];
                const DIM: ::core::primitive::usize = 0;
                fn read<__R: #krate::Reader<Real>>(_: &mut __R) -> Self { ::core::unimplemented!() }
                fn write<__W: #krate::Writer<Real>>(&self, _: &mut __W) {}
            }
            impl #krate::Output for #name {
                fn select<__L: #krate::Lane>(
                    _: __L::Mask, _: &#name<__L>, _: &#name<__L>,
                ) -> #name<__L> { ::core::unimplemented!() }
                fn compensate<__L: #krate::Lane, __Space: #krate::Space<__L>>(
                    _: &#name<__L>, _: &mut #name<__L>, _: &mut #name<__L>,
                ) {}
            }
        }
    }

    /// Returns the type of a field: its type in the language, else the type of Rust or the earlier
    /// struct that the user wrote, or else a number.
    fn ty(&self, of: &Ident, ty: &Type) -> TokenStream {
        let known = check::types::exact(&self.quiet, ty, &self.constants);
        match (known, ty) {
            (Some(known), _) if known != ir::Type::Bool => type_tokens(known, self.krate),
            (_, Type::Array(array)) => {
                let element = self.ty(of, &array.elem);
                match check::constant::index(&array.len, &self.constants) {
                    Some(n) if n <= 4096 => quote!([#element; #n]),
                    _ => element,
                }
            }
            (_, ty) => {
                let before = self.structs().take_while(|item| item.ident != *of);
                let name = syntax::type_name(ty);
                let other =
                    before.map(|item| &item.ident).find(|item| Some(*item) == name.as_ref());
                match (primitive(ty), other) {
                    (Some(primitive), _) => quote!(<Real as __Same<#primitive>>::As),
                    (None, Some(other)) => quote!(#other<Real>),
                    (None, None) => quote!(Real),
                }
            }
        }
    }

    fn interactions(&self) -> TokenStream {
        let mut done = Vec::new();
        let mut tokens = TokenStream::new();
        // An interaction has the most information on a struct.
        let mut roles: Vec<&Roles> = self.module.roles.iter().collect();
        roles.sort_by_key(|roles| roles.types.iter().filter(|(_, ty)| ty.is_none()).count());
        for roles in roles {
            let Some(target) = self.meant(roles.target.as_ref()) else { continue };
            if !done.contains(&(roles.of, target)) {
                done.push((roles.of, target));
                tokens.extend(match roles.of {
                    Trait::Interaction => self.interaction(target, roles),
                    Trait::Tuple => Some(self.of_tuple(target, roles)),
                    of => Some(self.program(of, target, roles)),
                });
            }
        }
        tokens
    }

    fn interaction(&self, target: &Ident, roles: &Roles) -> Option<TokenStream> {
        let krate = self.krate;
        let [i, j, f] = ["I", "J", "F"].map(|role| self.meant(roles.get(role)));
        // A missing role is filled by a struct that no `impl` names, or by the other particle.
        let unnamed = self.unnamed();
        let i_or_j = i.or(j).or(unnamed.first().copied())?;
        let (i, j) = (i.unwrap_or(i_or_j), j.unwrap_or(i_or_j));
        let f = f.or(unnamed.last().copied()).unwrap_or(i);
        let name = names::snake_case(&target.to_string());
        Some(quote! {
            unsafe impl #krate::Interaction for #target {
                type I = #i;
                type J = #j;
                type F = #f;
                const LAW: &'static #krate::Law = &#krate::Declaration {
                    name: #name,
                    self_pairs: false,
                    cutoff: false,
                    cutoff_reads: [&[], &[]],
                    reach: &[],
                    charges: ::core::result::Result::Err(""),
                    operations: #krate::Operations {
                        add: 0, mul: 0, div: 0, sqrt: 0, special: 0, compare: 0,
                    },
                    most_counted: ::core::option::Option::None,
                    cuda: #krate::CudaText { law: "", sums: "", compensated: "" },
                    third_law: ::core::option::Option::None,
                }.law::<Self>();
                fn pair<Real: #krate::Lane, __Space: #krate::Space<Real>>(
                    _: &#target<Real>, _: &__Space, _: &#i<Real>, _: &#j<Real>, _: Real::U32,
                    _: &mut #f<Real>,
                ) {}
                fn cpu_loops(_: #krate::Variant) -> #krate::Compiled {
                    ::core::unimplemented!()
                }
            }
        })
    }

    fn program(&self, of: Trait, target: &Ident, roles: &Roles) -> TokenStream {
        let krate = self.krate;
        let unnamed = self.unnamed();
        let p = self.meant(roles.get("P")).or(unnamed.first().copied()).unwrap_or(target);
        let read = ["Q", "F", "G"]
            .map(|role| roles.all(role).filter_map(|ty| self.meant(Some(ty))).collect::<Vec<_>>());
        let [q, f, g] = read.each_ref().map(|structs| joined(structs, krate, &quote!()));
        let [of_q, of_f, of_g] = read.map(|structs| joined(&structs, krate, &quote!(<Real>)));
        let total = (of == Trait::Measure)
            .then(|| self.meant(roles.get("T")).or(unnamed.last().copied()).unwrap_or(p));
        let (kind, function) = match total {
            None => (
                "update",
                quote! {
                    fn update<
                        Real: #krate::Lane<Coordinate = Real>,
                        __Space: #krate::Space<Real>,
                        __Others: #krate::Others<#of_q, Real::U32>,
                    >(
                        _: &#target<Real>, _: &__Space, _: &mut #p<Real>, _: &#of_q, _: &#of_f,
                        _: &#of_g, _: &__Others,
                    ) {}
                },
            ),
            Some(t) => (
                "measure",
                quote! {
                    type T = #t;
                    fn measure<
                        Real: #krate::Lane<Coordinate = Real>,
                        __Space: #krate::Space<Real>,
                        __Others: #krate::Others<#of_q, Real::U32>,
                    >(
                        _: &#target<Real>, _: &__Space, _: &#p<Real>, _: &#of_q, _: &#of_f,
                        _: &#of_g, _: &__Others, _: Real::U32, _: &mut #t<Real>,
                    ) {}
                },
            ),
        };
        let of = Ident::new(of.name(), target.span());
        let constant = self.declaration(target, kind);
        quote! {
            unsafe impl #krate::#of for #target {
                type P = #p;
                type Q = #q;
                type F = #f;
                type G = #g;
                #constant
                #function
            }
        }
    }

    fn of_tuple(&self, target: &Ident, roles: &Roles) -> TokenStream {
        let krate = self.krate;
        let unnamed = self.unnamed();
        let p = self.meant(roles.get("P")).or(unnamed.first().copied()).unwrap_or(target);
        let f = self.meant(roles.get("F")).or(unnamed.last().copied()).unwrap_or(p);
        let t = self.meant(roles.get("T")).map(ToTokens::to_token_stream);
        let t = t.unwrap_or_else(|| quote!(#krate::Nothing));
        let members = roles.members.unwrap_or(2).clamp(1, syntax::MOST_MEMBERS);
        let constant = self.declaration(target, "tuple");
        quote! {
            unsafe impl #krate::Tuple for #target {
                type P = #p;
                type T = #t;
                type F = #f;
                type Members = [u32; #members];
                #constant
                fn tuple<Real: #krate::Lane<Coordinate = Real>, __Space: #krate::Space<Real>>(
                    _: &#target<Real>, _: &__Space, _: &#t<Real>, _: &[#p<Real>], _: &mut [#f<Real>],
                ) {}
            }
        }
    }

    /// Declares the value of a program, and its loop.
    fn declaration(&self, target: &Ident, kind: &str) -> TokenStream {
        let (krate, kind) = (self.krate, Ident::new(kind, target.span()));
        let name = names::snake_case(&target.to_string());
        quote! {
            const PROGRAM: &'static #krate::ParticleProgram =
                &#krate::ParticleDeclaration {
                    name: #name,
                    operations: #krate::Operations {
                        add: 0, mul: 0, div: 0, sqrt: 0, special: 0, compare: 0,
                    },
                    cuda: #krate::ParticleText { law: "", names: "" },
                    changes: &[],
                    gathers: 0,
                }.#kind::<Self>();
            fn cpu_loop() -> #krate::ParticleLoop {
                ::core::unimplemented!()
            }
        }
    }

    /// Returns the struct of this name, or the struct that a misspelt name was meant to be.
    fn meant(&self, name: Option<&Ident>) -> Option<&'a Ident> {
        let name = name?.to_string();
        let all: Vec<_> = self.names().map(|ident| (ident.to_string(), ident)).collect();
        let near = nearest(&name, all.iter().map(|(name, _)| name.as_str()))?;
        all.iter().find(|(name, _)| name == near).map(|(_, ident)| *ident)
    }

    /// Returns the structs that no `impl` names.
    fn unnamed(&self) -> Vec<&'a Ident> {
        let roles = self.module.roles.iter();
        let named = roles.flat_map(|roles| {
            [&roles.target].into_iter().chain(roles.types.iter().map(|(_, name)| name))
        });
        let named: Vec<_> = named.filter_map(|name| self.meant(name.as_ref())).collect();
        self.names().filter(|ident| !named.contains(ident)).collect()
    }
}

fn is_named(ty: &Type, name: &str) -> bool {
    syntax::type_name(ty).is_some_and(|found| found == name)
}

/// Returns the written type, if it is a type of Rust.
fn primitive(ty: &Type) -> Option<TokenStream> {
    let name = syntax::type_name(ty)?;
    let found = PRIMITIVES.iter().find(|primitive| name == **primitive)?;
    let found = Ident::new(found, proc_macro2::Span::call_site());
    Some(quote!(::core::primitive::#found))
}
