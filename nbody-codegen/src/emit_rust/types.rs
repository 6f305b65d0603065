//! Types and identifiers of generated Rust.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::ir::{Reduction, Type};

/// Returns the type in generated Rust, where `Real` is the lane.
pub fn type_tokens(ty: Type, krate: &TokenStream) -> TokenStream {
    match ty {
        Type::Real | Type::Reduced(Reduction::Min | Reduction::Max) => quote!(Real),
        Type::U32 | Type::Reduced(Reduction::Count) => quote!(Real::U32),
        Type::Bool => quote!(Real::Mask),
        Type::Vector(3) => quote!(#krate::Vector<Real>),
        Type::Point(3) => quote!(#krate::Point<Real>),
        Type::Tensor(3) => quote!(#krate::Tensor<Real>),
        Type::Tensor(n) => quote!(#krate::Tensor<Real, #n>),
        Type::Vector(n) => quote!(#krate::Vector<Real, #n>),
        Type::Point(n) => quote!(#krate::Point<Real, #n>),
        Type::Array(n) => quote!([Real; #n]),
        Type::Counts(n) => quote!([Real::U32; #n]),
        Type::Table(rows, columns) => quote!([[Real; #columns]; #rows]),
        Type::Spline(knots) => quote!(#krate::Spline<#knots, Real>),
        Type::Splines(n, knots) => quote!(#krate::Splines<#knots, #n, 1, Real>),
        Type::SplineTable(rows, columns, knots) => {
            quote!(#krate::Splines<#knots, #rows, #columns, Real>)
        }
        Type::Reduced(Reduction::Arg(extremum)) => {
            let name = ident(extremum.name());
            quote!(#krate::#name<Real>)
        }
        Type::Reduced(Reduction::Nearest(n)) => quote!(#krate::Nearest<#n, Real>),
    }
}

/// Returns the type of records of one kind with these arguments: none, one, or several as a tuple.
pub fn joined(records: &[&Ident], krate: &TokenStream, of: &TokenStream) -> TokenStream {
    match records {
        [] => quote!(#krate::Nothing #of),
        [record] => quote!(#record #of),
        records => quote!((#(#records #of),*)),
    }
}

/// Makes an identifier of the generated function.
pub fn ident(name: &str) -> Ident {
    Ident::new(name, Span::call_site())
}
