//! `impl Interaction for ...`.

use quote::ToTokens;
use syn::{Ident, ImplItem, ItemImpl, Type};

use crate::diagnostics::{Ctxt, Site};
use crate::message;
use crate::syntax::{
    Cutoff, Interaction, Roles, attributes, generics, plain_name, type_name, type_without_groups,
};

/// The structs that an `impl` names.
pub(super) fn roles(item: &ItemImpl) -> Roles {
    let last_name = |ty: &Type| match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.clone()),
        ty => type_name(ty),
    };
    let role = |name: &str| {
        item.items.iter().find_map(|item| match item {
            ImplItem::Type(item) if item.ident == name => last_name(&item.ty),
            _ => None,
        })
    };
    Roles { target: last_name(&item.self_ty), i: role("I"), j: role("J"), f: role("F") }
}

/// Sorts the items of the `impl`; `None` if it is not one of the language.
pub(super) fn interaction(cx: &Ctxt, item: ItemImpl, structs: &[Ident]) -> Option<Interaction> {
    let is_interaction = item.trait_.as_ref().is_some_and(|(path, _)| path.is_ident("Interaction"));
    let target = type_name(&item.self_ty).filter(|_| is_interaction);
    let Some(target) = target else {
        cx.error(Site::of(&item.self_ty), &message::OTHER_TRAIT, &[]);
        return None;
    };
    generics(cx, &item.generics);
    modifier(cx, &item.unsafety);
    modifier(cx, &item.modifiers.defaultness);
    modifier(cx, &item.modifiers.polarity);
    let attrs = attributes(cx, item.attrs);
    let mut seen = Vec::new();
    let (mut i, mut j, mut f) = (None, None, None);
    let (mut self_pairs, mut cutoff, mut pair) = (None, None, None);
    for mut item in item.items {
        impl_item_attributes(cx, &mut item);
        impl_item_modifiers(cx, &item);
        let name = impl_item_name(&item);
        if seen.contains(&name) {
            cx.error(Site::of(&item), &message::IMPL_DUPLICATE, &[&name]);
            continue;
        }
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
            other => cx.error(Site::of(&other), &message::IMPL_ITEM, &[&name]),
        }
        seen.push(name);
    }
    let missing = |name: &str, example: &str| {
        cx.error(Site::of(&target), &message::MISSING_ITEM, &[name, example]);
    };
    let role = |name: &str, ty: Option<Type>| {
        let Some(ty) = ty else {
            missing(&format!("type {name}"), &format!("type {name} = ...;"));
            return None;
        };
        let ident = type_name(&ty);
        if ident.is_none() {
            let written = ty.to_token_stream().to_string();
            cx.error(Site::of(&ty), &message::UNKNOWN_STRUCT, &[&written, "name a struct"]);
        }
        ident
    };
    let (i, j, f) = (role("I", i), role("J", j), role("F", f));
    let Some(pair) = pair else {
        missing("fn pair", "fn pair(&self, i: &..., j: &..., f: &mut ...) { ... }");
        return None;
    };
    let (i, j, f) = (i?, j?, f?);
    // A refused one is left out, so that `pair` is still checked.
    let cutoff = cutoff.and_then(|function| self::cutoff(cx, function, [&i, &j], structs));
    let names = names_of(&pair.sig, &[(&i, false), (&j, false), (&f, true)], structs)
        .filter(|_| matches!(pair.sig.output, syn::ReturnType::Default))
        .and_then(|names| names.try_into().ok());
    let Some(names) = names else {
        let [a, b, c] = [&i, &j, &f].map(ToString::to_string);
        cx.error(Site::of(&pair.sig), &message::PAIR_SIGNATURE, &[&a, &b, &c]);
        return None;
    };
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

/// The names of the parameters after `&self`, if they are references to these types, mutable
/// or not. A type that is not a struct is refused elsewhere; any name is accepted for it.
fn names_of(
    signature: &syn::Signature,
    types: &[(&Ident, bool)],
    structs: &[Ident],
) -> Option<Vec<Ident>> {
    let mut inputs = signature.inputs.iter();
    let receiver = matches!(inputs.next(), Some(syn::FnArg::Receiver(receiver))
        if receiver.mutability.is_none() && receiver.to_token_stream().to_string() == "& self");
    let mut names = Vec::new();
    for (expected, mutable) in types {
        let input = inputs.next()?;
        let syn::FnArg::Typed(parameter) = input else {
            return None;
        };
        let Type::Reference(reference) = type_without_groups(&parameter.ty) else {
            return None;
        };
        let named = type_name(&reference.elem)?;
        let fits = named == **expected || !structs.contains(expected);
        if !fits || reference.mutability.is_some() != *mutable {
            return None;
        }
        names.push(plain_name(&parameter.pat)?);
    }
    let plain = signature.constness.is_none()
        && signature.asyncness.is_none()
        && matches!(signature.safety, syn::Safety::Default)
        && inputs.next().is_none();
    (receiver && plain).then_some(names)
}

/// Refuses attributes inside an impl that would be lost.
fn impl_item_attributes(cx: &Ctxt, item: &mut ImplItem) {
    let attrs = match item {
        ImplItem::Const(item) => &mut item.attrs,
        ImplItem::Fn(item) => &mut item.attrs,
        ImplItem::Type(item) => &mut item.attrs,
        _ => return,
    };
    *attrs = attributes(cx, std::mem::take(attrs));
}

/// Refuses tokens before an item, or after its name, that would be lost.
fn impl_item_modifiers(cx: &Ctxt, item: &ImplItem) {
    let (vis, default, parameters) = match item {
        ImplItem::Const(item) => (&item.vis, &item.modifiers.defaultness, &item.generics),
        ImplItem::Fn(item) => (&item.vis, &item.modifiers.defaultness, &item.sig.generics),
        ImplItem::Type(item) => (&item.vis, &item.modifiers.defaultness, &item.generics),
        _ => return,
    };
    modifier(cx, vis);
    modifier(cx, default);
    generics(cx, parameters);
}

/// Refuses a word before an item.
fn modifier(cx: &Ctxt, word: &impl ToTokens) {
    let written = word.to_token_stream().to_string();
    if !written.is_empty() {
        cx.error(Site::of(word), &message::MODIFIER, &[&written]);
    }
}

fn impl_item_name(item: &syn::ImplItem) -> String {
    match item {
        ImplItem::Const(item) => format!("const {}", item.ident),
        ImplItem::Fn(item) => format!("fn {}", item.sig.ident),
        ImplItem::Type(item) => format!("type {}", item.ident),
        other => other.to_token_stream().to_string(),
    }
}
