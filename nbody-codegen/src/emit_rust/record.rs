//! Prints the structs: their fields, the numbers that make up each field, and the accumulation
//! into results.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::types::{self, type_tokens};
use crate::ir::{Field, Reduction, Struct, Type};

pub fn structure(item: &Struct, krate: &TokenStream) -> TokenStream {
    let Struct { attrs, vis, ident, .. } = item;
    let fields = item.fields.iter().map(|field| {
        let Field { attrs, vis, ident, .. } = field;
        let ty = type_tokens(field.ty, krate);
        quote!(#(#attrs)* #vis #ident: #ty)
    });
    // Without the marker field the lane would be unused, and a unit struct would lose its value.
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
    let has_splines = item.fields.iter().any(|field| field.ty.is_of_splines());
    let copy = (!has_splines).then(|| quote!(Copy,));
    let pod = (!has_splines).then(|| pod(item, krate));
    let record = record(item, krate);
    let output = item.is_output.then(|| output(item, krate));
    quote! {
        #(#attrs)*
        #[derive(Clone, #copy Debug, PartialEq)]
        #[repr(C)]
        #vis struct #ident<Real: #krate::Lane = f64> { #(#fields,)* #marker }
        #value
        #record
        #output
        #pod
    }
}

/// Prints the numbers of a struct.
///
/// The `unsafe impl` is sound: the fields and the code that reads and writes them come from one
/// list, for any lane.
fn record(item: &Struct, krate: &TokenStream) -> TokenStream {
    let name = &item.ident;
    let marker = item.fields.is_empty().then(|| quote!(__real: ::core::marker::PhantomData,));
    let numbers: Vec<_> = item.fields.iter().map(|field| Numbers::of(field, krate)).collect();
    let zeros = item.fields.iter().zip(&numbers).map(|(Field { ident, .. }, numbers)| {
        let zero = &numbers.zero;
        quote!(#ident: #zero)
    });
    let reads = item.fields.iter().zip(&numbers).map(|(Field { ident, .. }, numbers)| {
        let read = &numbers.read;
        quote!(#ident: #read)
    });
    let writes = numbers.iter().map(|numbers| &numbers.write);
    let kinds = item.fields.iter().zip(&numbers).map(|(Field { ident, .. }, numbers)| {
        let (name, kind) = (ident.to_string(), &numbers.kind);
        quote!(#krate::Field { name: #name, kind: #krate::FieldKind::#kind })
    });
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

/// Code for the numbers of a field.
struct Numbers {
    /// Value before the first pair.
    zero: TokenStream,
    /// Value from a reader.
    read: TokenStream,
    /// Statement for a writer.
    write: TokenStream,
    /// Variant of `FieldKind`.
    kind: TokenStream,
}

impl Numbers {
    fn of(Field { ident, ty, .. }: &Field, krate: &TokenStream) -> Self {
        let default = quote!(::core::default::Default::default());
        let real = (quote!(__from.real()), quote!(__to.real(self.#ident);));
        let integer = (quote!(__from.index()), quote!(__to.index(self.#ident);));
        let by_itself =
            |ty: TokenStream| (quote!(#ty::read(__from)), quote!(self.#ident.write(__to);));
        let (zero, (read, write), kind) = match *ty {
            Type::Real | Type::Bool => (default, real, quote!(Real)),
            Type::U32 => (default, integer, quote!(U32)),
            Type::Vector(n) => {
                let ty = quote!(#krate::Vector);
                (quote!(#ty::default()), by_itself(ty), quote!(Vector(#n)))
            }
            Type::Tensor(n) => {
                let ty = quote!(#krate::Tensor::<Real, #n>);
                (quote!(#ty::default()), by_itself(ty), quote!(Tensor(#n)))
            }
            Type::Point(n) => {
                let ty = quote!(#krate::Point);
                (quote!(#ty::default()), by_itself(ty), quote!(Point(#n)))
            }
            Type::Array(n) => {
                let zero = quote!([Real::default(); #n]);
                let read = quote!({
                    let mut __array = #zero;
                    for __x in &mut __array {
                        *__x = __from.real();
                    }
                    __array
                });
                let write = quote!(for __x in self.#ident { __to.real(__x); });
                (zero, (read, write), quote!(Array(#n)))
            }
            Type::Counts(n) => {
                let zero = quote!([Real::splat_u32(0); #n]);
                let read = quote!({
                    let mut __counts = #zero;
                    for __n in &mut __counts {
                        *__n = __from.index();
                    }
                    __counts
                });
                let write = quote!(for __n in self.#ident { __to.index(__n); });
                (zero, (read, write), quote!(Counts(#n)))
            }
            Type::Table(rows, columns) => {
                let (zero, n) = (quote!([[Real::default(); #columns]; #rows]), rows * columns);
                let read = quote!({
                    let mut __table = #zero;
                    for __x in __table.as_flattened_mut() {
                        *__x = __from.real();
                    }
                    __table
                });
                let write = quote!(for __x in self.#ident.as_flattened() { __to.real(*__x); });
                (zero, (read, write), quote!(Array(#n)))
            }
            Type::Spline(n) => (default, by_itself(quote!(#krate::Spline)), quote!(Spline(#n))),
            Type::Splines(n, knots) => {
                (default, by_itself(quote!(#krate::Splines)), quote!(Splines(#n, #knots)))
            }
            Type::SplineTable(rows, columns, knots) => {
                let n = rows * columns;
                (default, by_itself(quote!(#krate::Splines)), quote!(Splines(#n, #knots)))
            }
            Type::Reduced(Reduction::Min) => {
                (quote!(Real::splat(f64::INFINITY)), real, quote!(Min))
            }
            Type::Reduced(Reduction::Max) => {
                (quote!(Real::splat(f64::NEG_INFINITY)), real, quote!(Max))
            }
            Type::Reduced(Reduction::Arg(extremum)) => {
                let name = types::ident(extremum.name());
                (default, by_itself(quote!(#krate::#name)), quote!(#name))
            }
            Type::Reduced(Reduction::Nearest(n)) => {
                (default, by_itself(quote!(#krate::Nearest)), quote!(Nearest(#n)))
            }
            Type::Reduced(Reduction::Count) => (default, integer, quote!(Count)),
        };
        Self { zero, read, write, kind }
    }
}

fn output(item: &Struct, krate: &TokenStream) -> TokenStream {
    let name = &item.ident;
    let sums: Vec<_> = item.fields.iter().map(|field| Sum::of(field, krate)).collect();
    let chosen = item.fields.iter().zip(&sums).map(|(Field { ident, .. }, sum)| {
        let select = &sum.select;
        quote!(#ident: #select(__mask, __yes.#ident, __no.#ident))
    });
    let compensated = sums.iter().map(|sum| &sum.compensate);
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
            fn compensate<__L: #krate::Lane, __Space: #krate::Space<__L>>(
                __term: &#name<__L>,
                __total: &mut #name<__L>,
                __lost: &mut #name<__L>,
            ) {
                #(#compensated)*
            }
        }
    }
}

/// Code that accumulates into a field of the result.
struct Sum {
    /// Function that chooses between two values by a mask.
    select: TokenStream,
    /// Statement that adds a term to a compensated sum.
    compensate: TokenStream,
}

impl Sum {
    fn of(Field { ident, ty, .. }: &Field, krate: &TokenStream) -> Self {
        let each = |components: TokenStream| {
            quote! {
                for (__k, __x) in __term.#ident #components.into_iter().enumerate() {
                    #krate::compensate(
                        __x,
                        &mut __total.#ident #components[__k],
                        &mut __lost.#ident #components[__k],
                    );
                }
            }
        };
        let (select, compensate) = match ty {
            Type::Vector(_) => (quote!(#krate::Vector::select), each(quote!(.0))),
            Type::Tensor(n) => (quote!(#krate::Tensor::<__L, #n>::select), each(quote!(.0))),
            Type::Array(_) => (quote!(#krate::select_array::<__L, _>), each(TokenStream::new())),
            Type::Counts(_) => (
                quote!(#krate::select_counts::<__L, _>),
                quote! {
                    for (__n, __k) in __total.#ident.iter_mut().zip(__term.#ident) {
                        *__n = <__L as #krate::Lane>::add_u32(*__n, __k);
                    }
                },
            ),
            Type::Reduced(Reduction::Min) => (
                quote!(__L::select),
                quote!(__total.#ident = #krate::Lane::min(__total.#ident, __term.#ident);),
            ),
            Type::Reduced(Reduction::Max) => (
                quote!(__L::select),
                quote!(__total.#ident = #krate::Lane::max(__total.#ident, __term.#ident);),
            ),
            Type::Reduced(Reduction::Arg(extremum)) => {
                let name = types::ident(extremum.name());
                (
                    quote!(#krate::#name::select),
                    quote! {
                        __total.#ident.take::<__Space>(__term.#ident.value, __term.#ident.index);
                    },
                )
            }
            Type::Reduced(Reduction::Nearest(_)) => (
                quote!(#krate::Nearest::select),
                quote!(__total.#ident.merge::<__Space>(&__term.#ident);),
            ),
            Type::Reduced(Reduction::Count) => (
                quote!(__L::select_u32),
                quote! {
                    __total.#ident = <__L as #krate::Lane>::add_u32(__total.#ident, __term.#ident);
                },
            ),
            Type::Real => (
                quote!(__L::select),
                quote! {
                    #krate::compensate(__term.#ident, &mut __total.#ident, &mut __lost.#ident);
                },
            ),
            Type::Bool
            | Type::U32
            | Type::Point(_)
            | Type::Table(..)
            | Type::Spline(_)
            | Type::Splines(..)
            | Type::SplineTable(..) => {
                unreachable!("checked: no result is a {ty}")
            }
        };
        Self { select, compensate }
    }
}

/// Implements `Pod` for the scalars for which the struct has no padding.
///
/// This is sound: the struct is `repr(C)`, its fields are `f32`, `f64`, `u32` or transparent
/// arrays of these types, for which all bit patterns are values, and [`is_dense`] ensures that no
/// byte lies between or behind the fields.
fn pod(item: &Struct, krate: &TokenStream) -> TokenStream {
    let name = &item.ident;
    let scalars = [("f32", 4), ("f64", 8)];
    scalars
        .into_iter()
        .filter(|(_, size)| is_dense(item, *size))
        .map(|(scalar, _)| {
            let scalar = format_ident!("{scalar}");
            quote! {
                unsafe impl #krate::Zeroable for #name<#scalar> {}
                unsafe impl #krate::Pod for #name<#scalar> {}
            }
        })
        .collect()
}

/// Tests whether `repr(C)` leaves no padding when a real number takes this many bytes.
fn is_dense(item: &Struct, real: usize) -> bool {
    let (mut offset, mut align) = (0, 1);
    for field in &item.fields {
        let (size, needs) = match field.ty {
            Type::U32 | Type::Reduced(Reduction::Count) => (4, 4),
            Type::Counts(n) => (4 * n, 4),
            // Reals, and an integer for each. Such a struct must have no padding of its own.
            Type::Reduced(Reduction::Arg(_) | Reduction::Nearest(_)) => {
                let size = (real + 4) * (field.ty.components() / 2);
                if !size.is_multiple_of(real) {
                    return false;
                }
                (size, real)
            }
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
