//! Parts of items: attributes, generic parameters and plain names.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{ParseStream, Parser as _};
use syn::{AttrStyle, Attribute, Expr, Generics, Ident, Type};

use crate::diagnostics::{Ctxt, Site};
use crate::message;

/// Returns doc comments and lint levels, which are kept; refuses other attributes.
pub(super) fn attributes(cx: &Ctxt, attrs: Vec<Attribute>) -> Vec<Attribute> {
    const KEPT: [&str; 6] = ["doc", "allow", "expect", "warn", "deny", "forbid"];
    attrs
        .into_iter()
        .filter(|attr| {
            // Attributes such as `#[rustfmt::skip]` address tools, which have read them by now.
            let path = attr.path();
            let tool = path.segments.len() == 2
                && ["rustfmt", "clippy"].iter().any(|tool| path.segments[0].ident == tool);
            if tool {
                return false;
            }
            let kept = KEPT.iter().any(|name| path.is_ident(name));
            if !kept {
                cx.error(Site::of(attr), &message::ATTRIBUTE, &[]);
            }
            kept
        })
        .map(|attr| Attribute { style: AttrStyle::Outer, ..attr })
        .collect()
}

/// Returns the lint levels of a statement; refuses attributes that would be lost.
pub fn statement_attributes(cx: &Ctxt, statement: &syn::Stmt) -> Vec<Attribute> {
    let outer = |input: ParseStream| {
        let attrs = Attribute::parse_outer(input)?;
        input.parse::<TokenStream>()?;
        Ok(attrs)
    };
    // Errors other than attributes are left to the check of the statement itself.
    let mut lints = attributes(cx, outer.parse2(statement.to_token_stream()).unwrap_or_default());
    lints.retain(|attr| !attr.path().is_ident("doc"));
    lints
}

/// Refuses generic parameters and `where` clauses.
pub(super) fn generics(cx: &Ctxt, generics: &Generics) {
    if !generics.params.is_empty() {
        cx.error(Site::of(generics), &message::GENERICS, &[]);
    }
    if let Some(clause) = &generics.where_clause {
        cx.error(Site::at(clause.where_token.span), &message::GENERICS, &[]);
    }
}

/// Returns the name, if a pattern is a plain name.
pub fn plain_name(pattern: &syn::Pat) -> Option<Ident> {
    match pattern {
        syn::Pat::Ident(pattern)
            if pattern.by_ref.is_none()
                && pattern.mutability.is_none()
                && pattern.subpat.is_none() =>
        {
            Some(pattern.ident.clone())
        }
        _ => None,
    }
}

/// Returns the name, if a type is a plain name.
pub fn type_name(ty: &Type) -> Option<Ident> {
    match type_without_groups(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident().cloned(),
        _ => None,
    }
}

/// Returns the type inside parentheses and groups of macros.
pub(super) fn type_without_groups(mut ty: &Type) -> &Type {
    loop {
        ty = match ty {
            Type::Group(group) => &group.elem,
            Type::Paren(paren) => &paren.elem,
            ty => return ty,
        };
    }
}

/// Returns the expression inside groups of macros.
pub fn without_groups(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}
