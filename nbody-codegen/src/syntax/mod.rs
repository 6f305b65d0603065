//! The module as it was written: its items are sorted, its bodies are still Rust syntax.

mod implementation;
mod interaction;
mod program;

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::{
    AttrStyle, Attribute, Expr, Generics, Ident, Item, ItemImpl, ItemMod, ItemStruct, Type,
    Visibility,
};

use crate::diagnostics::{Ctxt, Site};
use crate::message;

/// Arguments of the attribute.
pub struct Arguments {
    /// Hidden module of the `nbody` crate that has all names of generated code.
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
        Self { krate: quote!(#krate::__private) }
    }
}

/// A module such as `mod gravity { ... }`.
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
    pub programs: Vec<Program>,
    /// Structs that each `impl` names, even an invalid one.
    pub roles: Vec<Roles>,
}

/// Trait that a module implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    Interaction,
    Update,
    Measure,
}

/// Structs that an `impl` names, as far as it does.
pub struct Roles {
    pub of: Trait,
    pub target: Option<Ident>,
    /// Types that the `impl` must name, found or missing, and optional types that it does name.
    pub types: Vec<(&'static str, Option<Ident>)>,
}

pub struct Struct {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub ident: Ident,
    pub fields: Vec<Field>,
    /// Whether the struct has braces, with or without fields.
    pub has_braces: bool,
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
    /// Parameters; a pattern that is no plain name is refused.
    pub parameters: Vec<(syn::Pat, Type)>,
    /// Whether it has a parameter `self`, which is refused.
    pub takes_self: bool,
    /// Result; a missing one is refused.
    pub output: Option<Type>,
    pub block: syn::Block,
}

/// `impl Interaction for ...`.
pub struct Interaction {
    pub attrs: Vec<Attribute>,
    pub target: Ident,
    pub i: Ident,
    pub j: Ident,
    pub f: Ident,
    pub self_pairs: Option<Expr>,
    pub cutoff: Option<Cutoff>,
    pub pair: syn::ImplItemFn,
    /// Names of the parameters of `pair`.
    pub names: [Ident; 3],
}

/// `impl Update for ...` or `impl Measure for ...`.
pub struct Program {
    pub of: Trait,
    pub attrs: Vec<Attribute>,
    pub target: Ident,
    pub p: Ident,
    pub q: Option<Ident>,
    pub f: Option<Ident>,
    /// Total of a measure.
    pub t: Option<Ident>,
    pub function: syn::ImplItemFn,
    /// Names of the parameters of its function, one for each type.
    pub names: Vec<Ident>,
}

impl Program {
    /// Returns the structs that its function names, in the order of its parameters.
    pub fn types(&self) -> impl Iterator<Item = &Ident> {
        [&self.p].into_iter().chain(&self.q).chain(&self.f).chain(&self.t)
    }
}

/// `fn cutoff(&self, i: &I, j: &J) -> Real`.
pub struct Cutoff {
    pub function: syn::ImplItemFn,
    /// Names of its parameters.
    pub names: [Ident; 2],
}

impl Module {
    /// Sorts the items and leaves refused items out; returns `None` if this is not a module.
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
            programs: Vec::new(),
            roles: Vec::new(),
        };
        let structs: Vec<Ident> = items.iter().filter_map(struct_name).collect();
        for item in items {
            module.item(cx, item, &structs);
        }
        Some(module)
    }

    fn item(&mut self, cx: &Ctxt, item: Item, structs: &[Ident]) {
        let site = Site::of(&item);
        match item {
            Item::Struct(item) if matches!(item.fields, syn::Fields::Unnamed(_)) => {
                let (name, fields) = (item.ident.to_string(), item.fields);
                cx.error(Site::of(&fields), &message::TUPLE_STRUCT, &[&name]);
                let fields = fields.into_iter().map(|field| field.ty).collect();
                self.tuples.push(Tuple { ident: item.ident, fields });
            }
            Item::Struct(item) => self.structs.push(structure(cx, item)),
            // A refused item stays, so that its uses cause no further errors.
            Item::Static(item) => {
                cx.error(site, &message::ITEM, &["a static", STATIC]);
                let name = type_name(&item.ty).map(|name| name.to_string()).unwrap_or_default();
                let ty = match &*name {
                    "Real" | "f64" | "f32" => syn::parse_quote!(Real),
                    "u32" | "usize" => syn::parse_quote!(u32),
                    _ => return,
                };
                self.constants.push(Constant {
                    attrs: Vec::new(),
                    vis: item.vis,
                    ident: item.ident,
                    ty,
                    value: *item.expr,
                });
            }
            Item::Const(item) => self.constants.push(Constant {
                attrs: attributes(cx, item.attrs),
                vis: item.vis,
                ident: item.ident,
                ty: *item.ty,
                value: *item.expr,
            }),
            Item::Fn(item) => self.functions.push(function(cx, item)),
            Item::Impl(item) => self.implementation(cx, item, structs),
            other => cx.error(site, &message::ITEM, &[item_name(&other), item_help(&other)]),
        }
    }
}

impl Module {
    fn implementation(&mut self, cx: &Ctxt, item: ItemImpl, structs: &[Ident]) {
        let of = implementation::trait_of(&item);
        self.roles.push(implementation::roles(&item, of.unwrap_or(Trait::Interaction)));
        match of {
            Some(Trait::Interaction) => {
                self.interactions.extend(interaction::interaction(cx, item, structs));
            }
            Some(of) => self.programs.extend(program::program(cx, of, item, structs)),
            None => {
                let help = implementation::other(&item);
                cx.error(Site::of(&item.self_ty), &message::OTHER_TRAIT, &[&help]);
            }
        }
    }
}

/// Parses an item. An error at its end is reported at its last token.
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

/// Returns doc comments and lint levels, which are kept; refuses other attributes.
fn attributes(cx: &Ctxt, attrs: Vec<Attribute>) -> Vec<Attribute> {
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
fn generics(cx: &Ctxt, generics: &Generics) {
    if !generics.params.is_empty() {
        cx.error(Site::of(generics), &message::GENERICS, &[]);
    }
    if let Some(clause) = &generics.where_clause {
        cx.error(Site::at(clause.where_token.span), &message::GENERICS, &[]);
    }
}

fn structure(cx: &Ctxt, item: ItemStruct) -> Struct {
    generics(cx, &item.generics);
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
        has_braces: matches!(item.fields, syn::Fields::Named(_)),
        fields: item.fields.into_iter().filter_map(field).collect(),
    }
}

fn function(cx: &Ctxt, item: syn::ItemFn) -> Function {
    let signature = &item.sig;
    let plain = signature.constness.is_none()
        && signature.asyncness.is_none()
        && signature.abi.is_none()
        && matches!(signature.safety, syn::Safety::Default);
    if !plain {
        cx.error(Site::of(&signature), &message::FN_MODIFIER, &[]);
    }
    generics(cx, &signature.generics);
    let mut parameters = Vec::new();
    for input in &signature.inputs {
        let typed = match input {
            syn::FnArg::Typed(parameter) => Some(parameter),
            syn::FnArg::Receiver(_) => None,
        };
        if typed.is_none_or(|parameter| plain_name(&parameter.pat).is_none()) {
            let help = match input {
                syn::FnArg::Receiver(_) => {
                    "pass the fields of the parameters that it needs: `eps2: Real`"
                }
                syn::FnArg::Typed(_) => "write `name: Real`",
            };
            cx.error(Site::of(input), &message::FN_PARAMETER, &[help]);
        }
        let parameter = typed.map(|parameter| (*parameter.pat.clone(), *parameter.ty.clone()));
        parameters.extend(parameter);
    }
    let output = match item.sig.output {
        syn::ReturnType::Type(_, output) => Some(*output),
        syn::ReturnType::Default => {
            cx.error(Site::of(&item.sig.ident), &message::FN_OUTPUT, &[]);
            None
        }
    };
    Function {
        takes_self: item.sig.inputs.iter().any(|input| matches!(input, syn::FnArg::Receiver(_))),
        attrs: attributes(cx, item.attrs),
        vis: item.vis,
        ident: item.sig.ident,
        parameters,
        output,
        block: *item.block,
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
fn type_without_groups(mut ty: &Type) -> &Type {
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

fn struct_name(item: &Item) -> Option<Ident> {
    match item {
        Item::Struct(item) => Some(item.ident.clone()),
        _ => None,
    }
}

const STATIC: &str = "write `const NAME: Real = ...;`, or a field of the parameters";

/// Advises on an item that a module cannot contain.
fn item_help(item: &Item) -> &'static str {
    match item {
        Item::ExternCrate(_) | Item::Use(_) => {
            "the types of the language are known without; constants are written with their path, such as \
             `core::f64::consts::PI`, and functions in the module itself"
        }
        Item::Enum(_) => "a kind is a `u32`, and its values are constants: `const WALL: u32 = 1;`",

        Item::Type(_) => "write the type itself",
        _ => {
            "a module holds structs, constants, helper functions and `impl`s of `Interaction`, `Update` and \
             `Measure`"
        }
    }
}

fn item_name(item: &Item) -> &'static str {
    match item {
        Item::Enum(_) => "an enum",
        Item::ExternCrate(_) | Item::Use(_) => "an import",
        Item::ForeignMod(_) => "a foreign block",
        Item::Macro(_) => "a macro call",
        Item::Mod(_) => "a nested module",

        Item::Trait(_) | Item::TraitAlias(_) => "a trait",
        Item::Type(_) => "a type alias",
        Item::Union(_) => "a union",
        _ => "this item",
    }
}
