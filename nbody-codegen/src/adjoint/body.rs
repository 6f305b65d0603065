//! The body of `pair` up to the derivatives: it computes φ.

use std::collections::BTreeMap;

use proc_macro2::Ident;
use quote::quote;
use syn::visit_mut::VisitMut as _;
use syn::{ItemFn, Stmt, parse_quote};

use super::Law;
use super::names::{Binders, Names};
use super::refusal::Refusal;
use super::returns::Returns;
use super::selection::{Chosen, ident};
use super::sums::Sums;
use crate::ir::{TENSOR, Type};

/// The statements that compute φ.
pub(super) struct Body {
    pub statements: Vec<Stmt>,
    pub phi: Ident,
    /// The functions that contract tensors.
    pub contractions: Vec<ItemFn>,
}

impl Body {
    pub fn of(
        law: &Law,
        chosen: &Chosen,
        names: &mut Names,
        binders: &Binders,
    ) -> Result<Self, Refusal> {
        let (phi, done) = (names.new_name("phi"), names.new_name("done"));
        let mut functions = BTreeMap::new();
        for (_, sum) in chosen.in_order() {
            if let Type::Tensor(n) = sum.ty {
                functions.entry(n).or_insert_with(|| names.new_name("contraction"));
            }
        }
        let mut block = law.written.pair.block.clone();
        let mut sums = Sums {
            law,
            chosen,
            phi: &phi,
            binders,
            contractions: &functions,
            loops: Vec::new(),
            rewritten: 0,
            refused: None,
        };
        sums.visit_block_mut(&mut block);
        let refused = sums.refused;
        let mut returns =
            Returns { phi: &phi, done: &done, sets_done: false, has_terms: false, refused };
        let rest = returns.body(block.stmts);
        if let Some(refusal) = returns.refused {
            return Err(refusal);
        }
        let mut statements: Vec<Stmt> = vec![parse_quote!(let mut #phi = 0.0;)];
        statements.extend(returns.sets_done.then(|| parse_quote!(let mut #done = false;)));
        statements.extend(rest);
        let contractions = functions.iter().map(|(n, name)| contraction(*n, name)).collect();
        Ok(Self { statements, phi, contractions })
    }
}

/// Returns the function that contracts two tensors of this dimension.
fn contraction(dimension: usize, name: &Ident) -> ItemFn {
    let ty = written(Type::Tensor(dimension));
    let terms = TENSOR[dimension - 1].iter().map(|(part, _)| {
        let part = ident(part);
        quote!(a.#part * b.#part)
    });
    parse_quote! {
        /// Sums the products of the numbers of both tensors.
        fn #name(a: #ty, b: #ty) -> Real {
            #(#terms)+*
        }
    }
}

/// Returns a type as it is written.
pub(super) fn written(ty: Type) -> syn::Type {
    syn::parse_str(&ty.to_string()).expect("a type is written in the syntax of types")
}
