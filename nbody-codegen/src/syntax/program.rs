//! Parses `impl Update for ...` and `impl Measure for ...`: programs per particle.

use syn::{Ident, ImplItem, ItemImpl, Type};

use super::implementation::{Header, names_of, records_of, structs_of};
use super::items::{Program, Trait};
use crate::diagnostics::{Ctxt, Site};
use crate::message;

/// Returns the name of the function of a trait.
fn function_name(of: Trait) -> &'static str {
    if of == Trait::Measure { "measure" } else { "update" }
}

fn items(of: Trait) -> &'static str {
    if of == Trait::Measure {
        "`type P`, `type T`, `fn measure` and, if it reads them, `type Q`, `type F` and `type G`"
    } else {
        "`type P`, `fn update` and, if it reads them, `type Q`, `type F` and `type G`"
    }
}

/// Sorts the items of the `impl`; returns `None` if it is not part of the language.
pub(super) fn program(cx: &Ctxt, of: Trait, item: ItemImpl, structs: &[Ident]) -> Option<Program> {
    let name = function_name(of);
    let (header, all) = Header::parse(cx, of, item)?;
    let (mut p, mut q, mut f, mut g, mut t, mut function) = (None, None, None, None, None, None);
    let mut others = Vec::new();
    for item in all {
        match item {
            ImplItem::Type(item) if item.ident == "P" => p = Some(item.ty),
            ImplItem::Type(item) if item.ident == "Q" => q = Some(item.ty),
            ImplItem::Type(item) if item.ident == "F" => f = Some(item.ty),
            ImplItem::Type(item) if item.ident == "G" => g = Some(item.ty),
            ImplItem::Type(item) if item.ident == "T" && of == Trait::Measure => t = Some(item.ty),
            ImplItem::Fn(item) if item.sig.ident == name => function = Some(item),
            other => others.push(other),
        }
    }
    // A refused function may be meant to be the function of the trait.
    let has_other = others.iter().any(|other| matches!(other, ImplItem::Fn(_)));
    for other in &others {
        header.refuse(cx, other, items(of), function.is_none());
    }
    let written = function.as_ref().map(|it| records_of(&it.sig)).unwrap_or_default();
    let p = header.role(cx, "P", p, written.first().map(|(_, ty, _)| ty));
    // The inner option is `None` where the type was refused.
    let t = (of == Trait::Measure)
        .then(|| header.role(cx, "T", t, written.last().map(|(_, ty, _)| ty)));
    let [q, f, g] = [q, f, g].map(|ty: Option<Type>| ty.map(|ty| structs_of(cx, &ty)));
    let Some(function) = function else {
        if has_other {
            return None;
        }
        let examples = if of == Trait::Measure { "p: &..., t: &mut ..." } else { "p: &mut ..." };
        let example = format!("fn {name}(&self, {examples}) {{ ... }}");
        header.missing(cx, &format!("fn {name}"), &example);
        return None;
    };
    if [&q, &f, &g].into_iter().any(|ty| *ty == Some(None)) || t == Some(None) {
        return None;
    }
    let [q, f, g] = [q, f, g].map(|ty| ty.flatten().unwrap_or_default());
    let (p, t) = (p?, t.flatten());
    let expected = expected(of, &p, [&q, &f, &g], t.as_ref());
    let types: Vec<_> = expected.iter().map(|(_, ty, mutable)| (*ty, *mutable)).collect();
    let names = names_of(&function.sig, &types, structs)
        .filter(|_| matches!(function.sig.output, syn::ReturnType::Default));
    let Some(names) = names else {
        if undeclared(cx, &header, &written, &expected) {
            return None;
        }
        let written = expected.iter().map(|(role, ty, mutable)| {
            format!("{role}: &{}{ty}", if *mutable { "mut " } else { "" })
        });
        let written: Vec<_> = written.collect();
        let arguments = [name, name, &*written.join(", ")];
        cx.error(Site::of(&function.sig), &message::PROGRAM_SIGNATURE, &arguments);
        return None;
    };
    let Header { target, attrs, .. } = header;
    let (record, members) = (None, 0);
    Some(Program { of, attrs, target, p, record, q, f, g, t, members, function, names })
}

/// Refuses a function that takes more records, `q`, `f` or `g`, than the `impl` names: their types
/// are missing.
fn undeclared(
    cx: &Ctxt,
    header: &Header,
    written: &[(String, Ident, Site)],
    expected: &[(String, &Ident, bool)],
) -> bool {
    let mut known: Vec<&Ident> = expected.iter().map(|(_, ty, _)| *ty).collect();
    let mut is_new = |ty: &Ident| {
        let found = known.iter().position(|known| *known == ty);
        found.map(|at| known.remove(at)).is_none()
    };
    let new: Vec<_> = written.iter().filter(|(_, ty, _)| is_new(ty)).collect();
    let is_missing =
        |role: &&str| expected.iter().all(|(known, ..)| !known[..1].eq_ignore_ascii_case(role));
    let missing: Vec<_> = ["Q", "F", "G"].into_iter().filter(is_missing).collect();
    if new.is_empty() || written.len() != expected.len() + new.len() {
        return false;
    }
    if let [(name, ty, site)] = &new[..]
        && !missing.contains(&meant_role(name))
    {
        let written = |role: &str| {
            let known = expected.iter().filter(|(known, ..)| known[..1].eq_ignore_ascii_case(role));
            let known: Vec<_> = known.map(|(_, ty, _)| ty.to_string()).collect();
            if known.is_empty() { ty.to_string() } else { format!("({}, {ty})", known.join(", ")) }
        };
        let [f, q, g] = ["F", "Q", "G"].map(written);
        let arguments = [header.of.name(), &ty.to_string(), &f, &q, &g];
        cx.error(*site, &message::UNREAD_RECORD, &arguments);
        return true;
    }
    let roles: Vec<&str> = match (&new[..], &missing[..]) {
        ([(name, ..)], [_, _, ..]) => missing_role(name, &missing).into_iter().collect(),
        (new, missing) if new.len() <= missing.len() => missing[..new.len()].to_vec(),
        _ => return false,
    };
    for ((_, ty, site), role) in new.into_iter().zip(&roles) {
        let arguments =
            [&*format!("type {role}"), header.of.name(), &format!("type {role} = {ty};")];
        cx.error(*site, &message::MISSING_ITEM, &arguments);
    }
    !roles.is_empty()
}

/// Returns the missing role that a parameter of this name is meant to have.
fn missing_role<'a>(name: &str, missing: &[&'a str]) -> Option<&'a str> {
    missing.iter().find(|role| **role == meant_role(name)).or(missing.first()).copied()
}

/// Returns the role that a parameter of this name is meant to have.
fn meant_role(name: &str) -> &'static str {
    match name {
        "q" | "old" | "other" | "aux" => "Q",
        "g" | "t" | "total" | "totals" | "all" | "global" => "G",
        _ => "F",
    }
}

/// Returns the expected parameters of the function: name, struct, and whether it changes.
fn expected<'a>(
    of: Trait,
    p: &'a Ident,
    read: [&'a [Ident]; 3],
    t: Option<&'a Ident>,
) -> Vec<(String, &'a Ident, bool)> {
    let mut expected = vec![("p".to_owned(), p, of == Trait::Update)];
    for (name, records) in ["q", "f", "g"].into_iter().zip(read) {
        let number =
            |k| if records.len() > 1 { format!("{name}{}", k + 1) } else { name.to_owned() };
        expected.extend(records.iter().enumerate().map(|(k, record)| (number(k), record, false)));
    }
    expected.extend(t.map(|t| ("t".to_owned(), t, true)));
    expected
}
