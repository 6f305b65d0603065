//! Parts that all `impl`s of a module have: a header, types, and functions of records.

use quote::ToTokens;
use syn::{Attribute, Ident, ImplItem, ItemImpl, Type};

use super::items::{Roles, Trait};
use super::parts::{attributes, generics, plain_name, type_name, type_without_groups};
use crate::diagnostics::{Ctxt, Site};
use crate::message;

/// The most records of one kind that a program per particle reads.
const MOST_JOINED: usize = 4;

impl Trait {
    const ALL: [Self; 4] = [Self::Interaction, Self::Update, Self::Measure, Self::Tuple];

    pub fn name(self) -> &'static str {
        match self {
            Self::Interaction => "Interaction",
            Self::Update => "Update",
            Self::Measure => "Measure",
            Self::Tuple => "Tuple",
        }
    }

    /// Returns the types that every `impl` of the trait names, and the types that it may name.
    fn types(self) -> [&'static [&'static str]; 2] {
        match self {
            Self::Interaction => [&["I", "J", "F"], &[]],
            Self::Update => [&["P"], &["Q", "F", "G"]],
            Self::Measure => [&["P", "T"], &["Q", "F", "G"]],
            Self::Tuple => [&["P", "F"], &["T"]],
        }
    }
}

/// Returns the trait of an `impl`, if it is part of the language.
pub(super) fn trait_of(item: &ItemImpl) -> Option<Trait> {
    let (path, _) = item.trait_.as_ref()?;
    type_name(&item.self_ty)?;
    Trait::ALL.into_iter().find(|of| path.is_ident(of.name()))
}

/// Advises on an `impl` that is not part of the language.
pub(super) fn other(item: &ItemImpl) -> String {
    let Some((path, _)) = &item.trait_ else {
        return "helper functions are free functions of the module; functions of the host stand outside of it"
            .to_owned();
    };
    let last = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    match (Trait::ALL.iter().find(|of| last == of.name()), &*item.self_ty) {
        (Some(of), Type::Path(ty)) => {
            let target = ty.path.segments.last().map(|last| last.ident.to_string());
            format!("write `impl {} for {}`", of.name(), target.unwrap_or_default())
        }
        _ => "derives are added by the macro; the `impl` of another trait stands outside of the module".to_owned(),
    }
}

/// Returns the structs that an `impl` names.
pub(super) fn roles(item: &ItemImpl, of: Trait) -> Roles {
    let last_name = |ty: &Type| match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.clone()),
        ty => type_name(ty),
    };
    let types_of = |name: &str| {
        let ty = item.items.iter().find_map(|item| match item {
            ImplItem::Type(item) if item.ident == name => Some(&item.ty),
            _ => None,
        });
        ty.map(joined_types).unwrap_or_default()
    };
    let [required, optional] = of.types();
    let named = |name: &&'static str| (*name, types_of(name).first().and_then(|ty| last_name(ty)));
    let several = |name: &&'static str| {
        let name = *name;
        types_of(name).into_iter().filter_map(last_name).map(move |ty| (name, Some(ty)))
    };
    let types = required.iter().map(named).chain(optional.iter().flat_map(several)).collect();
    let members = item.items.iter().find_map(|item| match item {
        ImplItem::Fn(item) => item.sig.inputs.iter().find_map(names_of_pattern),
        _ => None,
    });
    Roles { of, target: last_name(&item.self_ty), types, members }
}

/// Returns the number of names of a parameter such as `[a, b]: [&Atom; 2]`.
fn names_of_pattern(input: &syn::FnArg) -> Option<usize> {
    let syn::FnArg::Typed(parameter) = input else { return None };
    if let syn::Pat::Slice(pattern) = &*parameter.pat { Some(pattern.elems.len()) } else { None }
}

impl Roles {
    /// Returns the struct of a role.
    pub fn get(&self, role: &str) -> Option<&Ident> {
        self.all(role).next()
    }

    /// Returns the structs of a role, which may be several.
    pub fn all(&self, role: &str) -> impl Iterator<Item = &Ident> {
        self.types.iter().filter(move |(name, _)| *name == role).filter_map(|(_, ty)| ty.as_ref())
    }
}

/// An `impl` of the language with unsorted items.
pub(super) struct Header {
    pub of: Trait,
    pub target: Ident,
    pub attrs: Vec<Attribute>,
}

impl Header {
    /// Takes the items of an `impl`, each name once; refuses parts that would be lost.
    pub fn parse(cx: &Ctxt, of: Trait, item: ItemImpl) -> Option<(Self, Vec<ImplItem>)> {
        let target = type_name(&item.self_ty)?;
        generics(cx, &item.generics);
        modifier(cx, &item.unsafety);
        modifier(cx, &item.modifiers.defaultness);
        modifier(cx, &item.modifiers.polarity);
        let header = Self { of, target, attrs: attributes(cx, item.attrs) };
        let mut seen = Vec::new();
        let mut items = Vec::new();
        for mut item in item.items {
            impl_item_attributes(cx, &mut item);
            impl_item_modifiers(cx, &item);
            let name = impl_item_name(&item);
            if seen.contains(&name) {
                let arguments = [&*name, of.name()];
                cx.error(Site::of(&item), &message::IMPL_DUPLICATE, &arguments);
            } else {
                seen.push(name);
                items.push(item);
            }
        }
        Some((header, items))
    }

    /// Refuses an item that the trait does not have.
    ///
    /// If the main function of the trait is `missing`, the item may be meant to be it.
    pub fn refuse(&self, cx: &Ctxt, item: &ImplItem, items: &str, missing: bool) {
        let help = match item {
            ImplItem::Fn(item) => {
                let name = item.sig.ident.to_string();
                let mut known = functions(self.of).iter();
                match known.find(|known| missing == (**known != "cutoff") && is_meant(&name, known))
                {
                    Some(known) => format!("did you mean `fn {known}`? "),
                    None => "helper functions are free functions of the module; ".to_owned(),
                }
            }
            ImplItem::Const(_) => "constants stand beside the structs; ".to_owned(),
            _ => String::new(),
        };
        let arguments = [&*impl_item_name(item), self.of.name(), &help, items];
        cx.error(Site::of(item), &message::IMPL_ITEM, &arguments);
    }

    /// Reports a missing item.
    pub fn missing(&self, cx: &Ctxt, name: &str, example: &str) {
        let arguments = [name, self.of.name(), example];
        cx.error(Site::of(&self.target), &message::MISSING_ITEM, &arguments);
    }

    /// Returns the struct of a required role, or refuses a missing one; the function names it in
    /// the parameter of the same place.
    pub fn role(
        &self,
        cx: &Ctxt,
        name: &str,
        ty: Option<Type>,
        written: Option<&Ident>,
    ) -> Option<Ident> {
        if ty.is_none() {
            let written = written.map_or_else(|| "...".to_owned(), ToString::to_string);
            self.missing(cx, &format!("type {name}"), &format!("type {name} = {written};"));
        }
        struct_of(cx, &ty?)
    }
}

/// Returns the functions of a trait.
fn functions(of: Trait) -> &'static [&'static str] {
    match of {
        Trait::Interaction => &["pair", "cutoff"],
        Trait::Update => &["update"],
        Trait::Measure => &["measure"],
        Trait::Tuple => &["tuple"],
    }
}

/// Tests whether the name of an unknown function was meant to be the known function of the trait.
fn is_meant(name: &str, known: &str) -> bool {
    let others: &[&str] = match known {
        "pair" => &[
            "force",
            "interact",
            "interaction",
            "act",
            "evaluate",
            "compute",
            "kernel",
            "pairwise",
        ],
        "cutoff" => &["radius", "range", "reach", "cut_off", "cutoff_radius"],
        "tuple" => &["bond", "angle", "dihedral", "torsion", "bonded", "force", "act"],
        "update" => &["step", "apply", "kick", "drift", "advance"],
        _ => &["energy", "reduce", "sum"],
    };
    others.contains(&name) || crate::message::nearest(name, [known]).is_some()
}

/// Returns the struct that a type names.
pub(super) fn struct_of(cx: &Ctxt, ty: &Type) -> Option<Ident> {
    let ident = type_name(ty);
    if ident.is_none() {
        let written = ty.to_token_stream().to_string();
        let help = "name a struct of the module, without arguments";
        cx.error(Site::of(ty), &message::UNKNOWN_STRUCT, &[&written, help]);
    }
    ident
}

/// Returns the types of a tuple, or the type itself.
fn joined_types(ty: &Type) -> Vec<&Type> {
    match type_without_groups(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().collect(),
        ty => vec![ty],
    }
}

/// Returns the structs that a type names: one, or several as a tuple.
pub(super) fn structs_of(cx: &Ctxt, ty: &Type) -> Option<Vec<Ident>> {
    let types = joined_types(ty);
    if matches!(type_without_groups(ty), Type::Tuple(_))
        && !(2..=MOST_JOINED).contains(&types.len())
    {
        let arguments = [&*types.len().to_string(), &MOST_JOINED.to_string()];
        cx.error(Site::of(ty), &message::JOINED_RECORDS, &arguments);
        return None;
    }
    // Each of them is checked.
    let structs: Vec<_> = types.into_iter().map(|ty| struct_of(cx, ty)).collect();
    structs.into_iter().collect()
}

/// Returns the names of the parameters after `&self`, if they are references to these types,
/// mutable or not as expected. A type that is not a struct is refused elsewhere; any name is
/// accepted for it.
pub(super) fn names_of(
    signature: &syn::Signature,
    types: &[(&Ident, bool)],
    structs: &[Ident],
) -> Option<Vec<Ident>> {
    let mut inputs = signature.inputs.iter().skip(1);
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
    (is_plain(signature) && inputs.next().is_none()).then_some(names)
}

/// Tests whether a function is without modifiers and has `&self` as its first parameter.
pub(super) fn is_plain(signature: &syn::Signature) -> bool {
    let receiver = matches!(signature.inputs.first(), Some(syn::FnArg::Receiver(receiver))
        if receiver.mutability.is_none() && receiver.to_token_stream().to_string() == "& self");
    receiver
        && signature.constness.is_none()
        && signature.asyncness.is_none()
        && matches!(signature.safety, syn::Safety::Default)
}

/// Returns the structs that a function takes references to, in order, each with the name and the
/// place of the parameter.
pub(super) fn records_of(signature: &syn::Signature) -> Vec<(String, Ident, Site)> {
    let record = |input: &syn::FnArg| {
        let syn::FnArg::Typed(parameter) = input else { return None };
        let Type::Reference(reference) = type_without_groups(&parameter.ty) else { return None };
        let name = plain_name(&parameter.pat)?.to_string();
        Some((name, type_name(&reference.elem)?, Site::of(parameter)))
    };
    signature.inputs.iter().filter_map(record).collect()
}

/// Refuses attributes inside an `impl` that would be lost.
fn impl_item_attributes(cx: &Ctxt, item: &mut ImplItem) {
    let attrs = match item {
        ImplItem::Const(item) => &mut item.attrs,
        ImplItem::Fn(item) => &mut item.attrs,
        ImplItem::Type(item) => &mut item.attrs,
        _ => return,
    };
    *attrs = attributes(cx, std::mem::take(attrs));
}

/// Refuses tokens before an item or after its name that would be lost.
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
