//! Parses `impl Interaction for ...`.

use syn::{Ident, ImplItem, ItemImpl};

use super::implementation::{Header, names_of, records_of};
use super::items::{Cutoff, Interaction, Trait};
use super::parts::type_name;
use crate::diagnostics::{Ctxt, Site};
use crate::message;

const ITEMS: &str = "`type I`, `type J`, `type F`, `fn pair`, `fn cutoff` and `const SELF_PAIRS`";

/// Sorts the items of the `impl`; returns `None` if it is not part of the language.
pub(super) fn interaction(cx: &Ctxt, item: ItemImpl, structs: &[Ident]) -> Option<Interaction> {
    let (header, items) = Header::parse(cx, Trait::Interaction, item)?;
    let (mut i, mut j, mut f) = (None, None, None);
    let (mut self_pairs, mut cutoff, mut pair) = (None, None, None);
    let mut others = Vec::new();
    for item in items {
        match item {
            ImplItem::Type(item) if item.ident == "I" => i = Some(item.ty),
            ImplItem::Type(item) if item.ident == "J" => j = Some(item.ty),
            ImplItem::Type(item) if item.ident == "F" => f = Some(item.ty),
            ImplItem::Const(item) if item.ident == "SELF_PAIRS" => {
                if type_name(&item.ty).is_none_or(|name| name != "bool") {
                    cx.error(Site::of(&item.ty), &message::SELF_PAIRS, &[]);
                }
                self_pairs = Some(item.expr);
            }
            ImplItem::Fn(item) if item.sig.ident == "cutoff" => cutoff = Some(item),
            ImplItem::Fn(item) if item.sig.ident == "pair" => pair = Some(item),
            other => others.push(other),
        }
    }
    // A refused function may be meant to be `pair`.
    let has_other = others.iter().any(|other| matches!(other, ImplItem::Fn(_)));
    for other in &others {
        header.refuse(cx, other, ITEMS, pair.is_none());
    }
    let written = pair.as_ref().map(|pair| records_of(&pair.sig)).unwrap_or_default();
    let role =
        |place: usize, name, ty| header.role(cx, name, ty, written.get(place).map(|(_, ty, _)| ty));
    let (i, j, f) = (role(0, "I", i), role(1, "J", j), role(2, "F", f));
    let Some(pair) = pair else {
        if has_other {
            return None;
        }
        let example = "fn pair(&self, i: &..., j: &..., f: &mut ...) { ... }";
        header.missing(cx, "fn pair", example);
        return None;
    };
    let (i, j, f) = (i?, j?, f?);
    // A refused cutoff is left out, so that `pair` is still checked.
    let cutoff = cutoff.and_then(|function| self::cutoff(cx, function, [&i, &j], structs));
    let names = names_of(&pair.sig, &[(&i, false), (&j, false), (&f, true)], structs)
        .filter(|_| matches!(pair.sig.output, syn::ReturnType::Default))
        .and_then(|names| names.try_into().ok());
    let Some(names) = names else {
        let [a, b, c] = [&i, &j, &f].map(ToString::to_string);
        cx.error(Site::of(&pair.sig), &message::PAIR_SIGNATURE, &[&a, &b, &c]);
        return None;
    };
    let Header { target, attrs, .. } = header;
    Some(Interaction { attrs, target, i, j, f, self_pairs, cutoff, pair, names })
}

fn cutoff(
    cx: &Ctxt,
    function: syn::ImplItemFn,
    types: [&Ident; 2],
    structs: &[Ident],
) -> Option<Cutoff> {
    let names = names_of(&function.sig, &types.map(|ty| (ty, false)), structs);
    let returns_real = match &function.sig.output {
        syn::ReturnType::Type(_, ty) => type_name(ty).is_some_and(|name| name == "Real"),
        syn::ReturnType::Default => false,
    };
    let names = names.filter(|_| returns_real).and_then(|names| names.try_into().ok());
    let Some(names) = names else {
        let [i, j] = types.map(ToString::to_string);
        cx.error(Site::of(&function.sig), &message::CUTOFF_SIGNATURE, &[&i, &j]);
        return None;
    };
    Some(Cutoff { function, names })
}
