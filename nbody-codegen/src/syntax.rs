//! The module as it was written: its items sorted, its bodies still Rust syntax.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Expr, Ident, Item, ItemImpl, ItemMod, ItemStruct, Type, Visibility};

use crate::diagnostics::{Ctxt, Site};
use crate::message;

/// The arguments of the attribute.
pub struct Arguments {
    /// What the `nbody` crate is called where the module stands.
    pub krate: TokenStream,
}

impl Arguments {
    pub fn parse(cx: &Ctxt, args: TokenStream) -> Self {
        let site = Site::of(&args);
        let mut krate = quote!(::nbody);
        let parser = syn::meta::parser(|meta| {
            if meta.path.is_ident("crate") {
                krate = meta.value()?.parse::<syn::Path>()?.to_token_stream();
            } else {
                cx.error(site, &message::ARGUMENT, &[]);
                meta.input.parse::<TokenStream>()?;
            }
            Ok(())
        });
        if let Err(error) = parser.parse2(args) {
            cx.syn_error(&error);
        }
        Self { krate }
    }
}

/// `mod gravity { ... }`.
pub struct Module {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub structs: Vec<Struct>,
    /// Structs whose fields have no names, which are refused.
    pub tuples: Vec<Tuple>,
    pub constants: Vec<Constant>,
    pub functions: Vec<Function>,
    pub interactions: Vec<Interaction>,
    /// What every `impl` names, sound or not.
    pub roles: Vec<Roles>,
}

/// The structs that an `impl` names, as far as it does.
pub struct Roles {
    pub target: Option<Ident>,
    pub i: Option<Ident>,
    pub j: Option<Ident>,
    pub f: Option<Ident>,
}

pub struct Struct {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub fields: Vec<Field>,
}

pub struct Tuple {
    pub ident: Ident,
    pub fields: Vec<Type>,
}

pub struct Field {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub ty: Type,
}

pub struct Constant {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub ty: Type,
    pub value: Expr,
}

pub struct Function {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub parameters: Vec<(Ident, Type)>,
    pub output: Type,
    pub block: syn::Block,
}

/// `impl Interaction for ...`.
pub struct Interaction {
    pub target: Ident,
    pub i: Ident,
    pub j: Ident,
    pub f: Ident,
    pub self_pairs: Option<Expr>,
    pub cutoff: Option<Cutoff>,
    pub pair: syn::ImplItemFn,
    /// The names of the parameters of `pair`.
    pub names: [Ident; 3],
}

/// `fn cutoff(&self, i: &I, j: &J) -> Real`.
pub struct Cutoff {
    pub function: syn::ImplItemFn,
    /// The names of its parameters.
    pub names: [Ident; 2],
}

impl Module {
    /// Sorts the items; `None` if this is no module at all. What it refuses is left out.
    pub fn parse(cx: &Ctxt, item: TokenStream) -> Option<Self> {
        let site = Site::of(&item);
        let item: ItemMod = match parse_item(item) {
            Ok(Item::Mod(item)) => item,
            Ok(_) => {
                cx.error(site, &message::NOT_A_MODULE, &[]);
                return None;
            }
            Err(error) => {
                cx.syn_error(&error);
                return None;
            }
        };
        let Some((_, items)) = item.content else {
            cx.error(Site::of(&item.ident), &message::NO_BODY, &[]);
            return None;
        };
        let mut module = Self {
            attrs: attributes(cx, item.attrs),
            vis: item.vis,
            ident: item.ident,
            structs: Vec::new(),
            tuples: Vec::new(),
            constants: Vec::new(),
            functions: Vec::new(),
            interactions: Vec::new(),
            roles: Vec::new(),
        };
        for item in items {
            module.item(cx, item);
        }
        Some(module)
    }

    fn item(&mut self, cx: &Ctxt, item: Item) {
        let site = Site::of(&item);
        match item {
            Item::Struct(item) if matches!(item.fields, syn::Fields::Unnamed(_)) => {
                let (name, fields) = (item.ident.to_string(), item.fields);
                cx.error(Site::of(&fields), &message::TUPLE_STRUCT, &[&name]);
                let fields = fields.into_iter().map(|field| field.ty).collect();
                self.tuples.push(Tuple { ident: item.ident, fields });
            }
            Item::Struct(item) => self.structs.push(structure(cx, item)),
            Item::Const(item) => self.constants.push(Constant {
                attrs: attributes(cx, item.attrs),
                vis: item.vis,
                ident: item.ident,
                ty: *item.ty,
                value: *item.expr,
            }),
            Item::Fn(item) => self.functions.extend(function(cx, item)),
            Item::Impl(item) => {
                self.roles.push(roles(&item));
                self.interactions.extend(interaction(cx, item));
            }
            other => cx.error(site, &message::ITEM, &[item_name(&other)]),
        }
    }
}

/// Parses an item. What is missing at its end is missed at its last token.
fn parse_item(item: TokenStream) -> syn::Result<Item> {
    let last = item.clone().into_iter().last();
    let mut braced = Group::new(Delimiter::Brace, item);
    braced.set_span(last.map_or_else(Span::call_site, |token| token.span()));
    let parser = |input: ParseStream| {
        let inside;
        syn::braced!(inside in input);
        inside.parse()
    };
    parser.parse2(TokenTree::Group(braced).into())
}

/// Doc comments and lint levels, which are kept; anything else is refused.
fn attributes(cx: &Ctxt, attrs: Vec<Attribute>) -> Vec<Attribute> {
    const KEPT: [&str; 6] = ["doc", "allow", "expect", "warn", "deny", "forbid"];
    attrs
        .into_iter()
        .filter(|attr| {
            // `#[rustfmt::skip]` and the like are notes to tools, which have read them by now.
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
        .collect()
}

/// Refuses attributes inside an impl that would be lost.
fn impl_item_attributes(cx: &Ctxt, item: &syn::ImplItem) {
    let attrs = match item {
        syn::ImplItem::Const(item) => &item.attrs,
        syn::ImplItem::Fn(item) => &item.attrs,
        syn::ImplItem::Type(item) => &item.attrs,
        _ => return,
    };
    attributes(cx, attrs.clone());
}

/// Refuses attributes of a statement that would be lost.
pub fn statement_attributes(cx: &Ctxt, statement: &syn::Stmt) {
    let outer = |input: ParseStream| {
        let attrs = Attribute::parse_outer(input)?;
        input.parse::<TokenStream>()?;
        Ok(attrs)
    };
    // What does not parse as attributes is refused as what it is.
    attributes(cx, outer.parse2(statement.to_token_stream()).unwrap_or_default());
}

fn structure(cx: &Ctxt, item: ItemStruct) -> Struct {
    if !item.generics.params.is_empty() {
        cx.error(Site::of(&item.generics), &message::GENERICS, &[]);
    }
    let field = |field: syn::Field| {
        Some(Field {
            attrs: attributes(cx, field.attrs),
            vis: field.vis,
            ident: field.ident?,
            ty: field.ty,
        })
    };
    Struct {
        attrs: attributes(cx, item.attrs),
        vis: item.vis,
        ident: item.ident,
        fields: item.fields.into_iter().filter_map(field).collect(),
    }
}

fn function(cx: &Ctxt, item: syn::ItemFn) -> Option<Function> {
    let signature = &item.sig;
    let plain = signature.constness.is_none()
        && signature.asyncness.is_none()
        && signature.abi.is_none()
        && matches!(signature.safety, syn::Safety::Default);
    if !plain {
        cx.error(Site::of(&signature), &message::FN_MODIFIER, &[]);
    }
    if !signature.generics.params.is_empty() {
        cx.error(Site::of(&signature.generics), &message::GENERICS, &[]);
    }
    let mut parameters = Vec::new();
    for input in &signature.inputs {
        match input {
            syn::FnArg::Typed(parameter) if plain_name(&parameter.pat).is_some() => {
                parameters
                    .extend(plain_name(&parameter.pat).map(|name| (name, (*parameter.ty).clone())));
            }
            other => cx.error(Site::of(other), &message::FN_PARAMETER, &[]),
        }
    }
    let syn::ReturnType::Type(_, output) = item.sig.output else {
        cx.error(Site::of(&item.sig.ident), &message::FN_OUTPUT, &[]);
        return None;
    };
    Some(Function {
        attrs: attributes(cx, item.attrs),
        vis: item.vis,
        ident: item.sig.ident,
        parameters,
        output: *output,
        block: *item.block,
    })
}

fn roles(item: &ItemImpl) -> Roles {
    let last_name = |ty: &Type| match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.clone()),
        ty => type_name(ty),
    };
    let role = |name: &str| {
        item.items.iter().find_map(|item| match item {
            syn::ImplItem::Type(item) if item.ident == name => last_name(&item.ty),
            _ => None,
        })
    };
    Roles { target: last_name(&item.self_ty), i: role("I"), j: role("J"), f: role("F") }
}

fn interaction(cx: &Ctxt, item: ItemImpl) -> Option<Interaction> {
    let is_interaction = item.trait_.as_ref().is_some_and(|(path, _)| path.is_ident("Interaction"));
    let target = type_name(&item.self_ty).filter(|_| is_interaction);
    let Some(target) = target else {
        cx.error(Site::of(&item.self_ty), &message::OTHER_TRAIT, &[]);
        return None;
    };
    if !item.generics.params.is_empty() {
        cx.error(Site::of(&item.generics), &message::GENERICS, &[]);
    }
    attributes(cx, item.attrs);
    let (mut i, mut j, mut f) = (None, None, None);
    let (mut self_pairs, mut cutoff, mut pair) = (None, None, None);
    for item in item.items {
        impl_item_attributes(cx, &item);
        match item {
            syn::ImplItem::Type(item) if item.ident == "I" => i = Some(item.ty),
            syn::ImplItem::Type(item) if item.ident == "J" => j = Some(item.ty),
            syn::ImplItem::Type(item) if item.ident == "F" => f = Some(item.ty),
            syn::ImplItem::Const(item) if item.ident == "SELF_PAIRS" => {
                if type_name(&item.ty).is_none_or(|name| name != "bool") {
                    cx.error(Site::of(&item.ty), &message::SELF_PAIRS, &[]);
                }
                self_pairs = Some(item.expr);
            }
            syn::ImplItem::Fn(item) if item.sig.ident == "cutoff" => cutoff = Some(item),
            syn::ImplItem::Fn(item) if item.sig.ident == "pair" => pair = Some(item),
            other => cx.error(Site::of(&other), &message::IMPL_ITEM, &[&impl_item_name(&other)]),
        }
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
    let cutoff = match cutoff {
        None => None,
        Some(function) => Some(self::cutoff(cx, function, [&i, &j])?),
    };
    let names = names_of(&pair.sig, &[(&i, false), (&j, false), (&f, true)])
        .filter(|_| matches!(pair.sig.output, syn::ReturnType::Default))
        .and_then(|names| names.try_into().ok());
    let Some(names) = names else {
        let [a, b, c] = [&i, &j, &f].map(ToString::to_string);
        cx.error(Site::of(&pair.sig), &message::PAIR_SIGNATURE, &[&a, &b, &c]);
        return None;
    };
    Some(Interaction { target, i, j, f, self_pairs, cutoff, pair, names })
}

fn cutoff(cx: &Ctxt, function: syn::ImplItemFn, types: [&Ident; 2]) -> Option<Cutoff> {
    let names = names_of(&function.sig, &types.map(|ty| (ty, false)));
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

/// The names of the parameters behind `&self`, if they are references to these types, mutable
/// or not.
fn names_of(signature: &syn::Signature, types: &[(&Ident, bool)]) -> Option<Vec<Ident>> {
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
        let same = type_name(&reference.elem).as_ref() == Some(*expected);
        if !same || reference.mutability.is_some() != *mutable {
            return None;
        }
        names.push(plain_name(&parameter.pat)?);
    }
    let plain = signature.generics.params.is_empty()
        && signature.constness.is_none()
        && signature.asyncness.is_none()
        && matches!(signature.safety, syn::Safety::Default)
        && inputs.next().is_none();
    (receiver && plain).then_some(names)
}

/// The name, if a pattern is no more than one.
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

/// The name, if a type is no more than one.
pub fn type_name(ty: &Type) -> Option<Ident> {
    match type_without_groups(ty) {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident().cloned(),
        _ => None,
    }
}

/// The type inside what a macro holds together.
fn type_without_groups(mut ty: &Type) -> &Type {
    while let Type::Group(group) = ty {
        ty = &group.elem;
    }
    ty
}

/// The expression inside what a macro holds together.
pub fn without_groups(mut expr: &Expr) -> &Expr {
    while let Expr::Group(group) = expr {
        expr = &group.expr;
    }
    expr
}

fn item_name(item: &Item) -> &'static str {
    match item {
        Item::Enum(_) => "an enum",
        Item::ExternCrate(_) | Item::Use(_) => "an import",
        Item::ForeignMod(_) => "a foreign block",
        Item::Macro(_) => "a macro call",
        Item::Mod(_) => "a nested module",
        Item::Static(_) => "a static",
        Item::Trait(_) | Item::TraitAlias(_) => "a trait",
        Item::Type(_) => "a type alias",
        Item::Union(_) => "a union",
        _ => "this item",
    }
}

fn impl_item_name(item: &syn::ImplItem) -> String {
    match item {
        syn::ImplItem::Const(item) => format!("const {}", item.ident),
        syn::ImplItem::Fn(item) => format!("fn {}", item.sig.ident),
        syn::ImplItem::Type(item) => format!("type {}", item.ident),
        other => other.to_token_stream().to_string(),
    }
}
