//! Parses `impl Tuple for ...`: the interaction of a few given particles.

use syn::{Expr, Ident, ImplItem, ItemImpl, Lit, Pat, Type};

use super::implementation::{Header, is_plain, struct_of};
use super::items::{Program, Trait};
use super::parts::{plain_name, type_name, type_without_groups};
use crate::diagnostics::{Ctxt, Site};
use crate::message;

/// The most particles of a tuple: a thread keeps the results of all of them.
pub const MOST: usize = 8;

const ITEMS: &str =
    "`type P`, `type F`, `fn tuple` and, if each tuple has a record of its own, `type T`";

/// Sorts the items of the `impl`; returns `None` if it is not part of the language.
pub(super) fn tuple(cx: &Ctxt, item: ItemImpl) -> Option<Program> {
    let (header, all) = Header::parse(cx, Trait::Tuple, item)?;
    let (mut p, mut t, mut f, mut function) = (None, None, None, None);
    let mut others = Vec::new();
    for item in all {
        match item {
            ImplItem::Type(item) if item.ident == "P" => p = Some(item.ty),
            ImplItem::Type(item) if item.ident == "T" => t = Some(item.ty),
            ImplItem::Type(item) if item.ident == "F" => f = Some(item.ty),
            ImplItem::Fn(item) if item.sig.ident == "tuple" => function = Some(item),
            other => others.push(other),
        }
    }
    // A refused function may be meant to be the function of the trait.
    let has_other = others.iter().any(|other| matches!(other, ImplItem::Fn(_)));
    for other in &others {
        header.refuse(cx, other, ITEMS, function.is_none());
    }
    let lists: Vec<List> =
        function.iter().flat_map(|it| &it.sig.inputs).filter_map(List::of).collect();
    let p = header.role(cx, "P", p, lists.first().map(|list| &list.of));
    let f = header.role(cx, "F", f, lists.get(1).map(|list| &list.of));
    let t = t.map(|ty: Type| struct_of(cx, &ty));
    let Some(function) = function else {
        if !has_other {
            let example = "fn tuple(&self, [a, b]: [&...; 2], [f, g]: [&mut ...; 2]) { ... }";
            header.missing(cx, "fn tuple", example);
        }
        return None;
    };
    if t == Some(None) {
        return None;
    }
    let (p, t, f) = (p?, t.flatten(), f?);
    let Some((names, members)) = names(&function.sig, &p, t.as_ref(), &f) else {
        let n = lists.first().map_or(2, |list| list.names.len().clamp(1, MOST));
        let example = example(n, &p, t.as_ref(), &f);
        cx.error(Site::of(&function.sig), &message::TUPLE_SIGNATURE, &[&example]);
        return None;
    };
    if !(1..=MOST).contains(&members) {
        let found = members.to_string();
        cx.error(Site::of(&function.sig), &message::TUPLE_LENGTH, &[&found, &MOST.to_string()]);
        return None;
    }
    let Header { target, attrs, .. } = header;
    let (of, record, t) = (Trait::Tuple, t, Some(f));
    let [q, f, g] = [const { Vec::new() }; 3];
    Some(Program { of, attrs, target, p, record, q, f, g, t, members, function, names })
}

/// A parameter such as `[a, b]: [&Atom; 2]`.
struct List {
    names: Vec<Ident>,
    of: Ident,
    mutable: bool,
}

impl List {
    fn of(input: &syn::FnArg) -> Option<Self> {
        let syn::FnArg::Typed(parameter) = input else { return None };
        let (Pat::Slice(pattern), Type::Array(array)) =
            (&*parameter.pat, type_without_groups(&parameter.ty))
        else {
            return None;
        };
        let Type::Reference(reference) = type_without_groups(&array.elem) else { return None };
        let names: Vec<_> = pattern.elems.iter().map(plain_name).collect::<Option<_>>()?;
        let Expr::Lit(syn::ExprLit { lit: Lit::Int(length), .. }) = &array.len else { return None };
        let is_length = length.base10_parse().is_ok_and(|n: usize| n == names.len());
        let (of, mutable) = (type_name(&reference.elem)?, reference.mutability.is_some());
        is_length.then_some(Self { names, of, mutable })
    }
}

/// Returns the names of the parameters after `&self`, and the number of particles, if the
/// parameters have these types.
fn names(
    signature: &syn::Signature,
    p: &Ident,
    t: Option<&Ident>,
    f: &Ident,
) -> Option<(Vec<Ident>, usize)> {
    let mut inputs = signature.inputs.iter().skip(1);
    let mut names = Vec::new();
    if let Some(t) = t {
        let syn::FnArg::Typed(parameter) = inputs.next()? else { return None };
        let Type::Reference(reference) = type_without_groups(&parameter.ty) else { return None };
        let fits = type_name(&reference.elem)? == *t && reference.mutability.is_none();
        names.extend(plain_name(&parameter.pat).filter(|_| fits));
        if names.is_empty() {
            return None;
        }
    }
    let (members, results) = (List::of(inputs.next()?)?, List::of(inputs.next()?)?);
    let fits = members.of == *p
        && results.of == *f
        && !members.mutable
        && results.mutable
        && members.names.len() == results.names.len();
    let plain = is_plain(signature)
        && inputs.next().is_none()
        && matches!(signature.output, syn::ReturnType::Default);
    let count = members.names.len();
    names.extend(members.names.into_iter().chain(results.names));
    (fits && plain).then_some((names, count))
}

/// Returns the signature for tuples of `n` particles.
fn example(n: usize, p: &Ident, t: Option<&Ident>, f: &Ident) -> String {
    let names = |letters: &str| {
        let names: Vec<_> = letters.split(' ').take(n).collect();
        names.join(", ")
    };
    let record = t.map_or_else(String::new, |t| format!("t: &{t}, "));
    let (members, results) = (names("a b c d e f g h"), names("fa fb fc fd fe ff fg fh"));
    format!("fn tuple(&self, {record}[{members}]: [&{p}; {n}], [{results}]: [&mut {f}; {n}])")
}
