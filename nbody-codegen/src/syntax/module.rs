//! Sorts the items of a module.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::{Ident, Item, ItemImpl, ItemMod, ItemStruct};

use super::items::{Constant, Field, Function, Module, Struct, Trait, Tuple};
use super::parts::{attributes, generics, plain_name, type_name};
use super::{implementation, interaction, program, tuple};
use crate::diagnostics::{Ctxt, Site};
use crate::message;

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
            Some(Trait::Tuple) => self.programs.extend(tuple::tuple(cx, item)),
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

pub fn function(cx: &Ctxt, item: syn::ItemFn) -> Function {
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
            "a module holds structs, constants, helper functions and `impl`s of `Interaction`, `Update`, \
             `Measure` and `Tuple`"
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
