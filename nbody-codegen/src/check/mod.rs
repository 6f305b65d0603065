//! Resolves the names, types and roles of a module, and refuses invalid items.
//!
//! Every error is collected. Unresolved items are left out, so that each error is reported once.

pub(crate) mod advice;
mod assign;
mod body;
mod call;
pub(crate) mod constant;
mod control;
mod expr;
mod gradient;
mod index;
mod items;
mod library;
mod meant;
pub(crate) mod operator;
mod program;
mod scope;
mod statement;
mod structure;
mod tensor;
pub(crate) mod types;

use std::collections::{HashMap, HashSet};

use quote::ToTokens as _;
use syn::{Expr, Ident, Lit};

use crate::comments::Comments;
use crate::diagnostics::{Ctxt, Site};
use crate::ir::{self, FieldId, FunctionId, Input, List, StructId, Type};
use crate::message;
use crate::names::{self, Unique};
use crate::syntax::{self, Trait};

use body::{BodyChecker, Returns};
use items::{Items, Signature};
use library::Library;

/// Types of Rust that appear in generated code.
const TYPES_OF_RUST: &[&str] = &["f32", "f64", "u32", "usize", "bool", "str"];

/// Checks the module; `None` after errors that prevent further checks.
pub fn check(cx: &Ctxt, module: &syntax::Module) -> Option<ir::Module> {
    duplicates(cx, module);
    generated_names(cx, module);
    let mut names = Unique::default();
    if module.interactions.iter().any(|impl_| impl_.cutoff.is_some()) {
        names.keep("cutoff");
    }
    let constants = constant::check(cx, &module.constants, &mut names);
    let structs = structure::structs(cx, module, &constants, &mut names);
    if module.roles.is_empty() {
        let name = module.structs.first().map_or("...".to_owned(), |first| first.ident.to_string());
        cx.error(Site::of(&module.ident), &message::NO_INTERACTION, &[&name]);
    }
    let mut library = Library::of(cx, module);
    let of_library = std::mem::take(&mut library.functions);
    // The functions of the language call none of the module.
    let functions: Vec<_> = of_library.iter().chain(&module.functions).collect();
    let (order, is_order) = scope::call_order(cx, &functions);
    let function_names: Vec<_> =
        order.iter().map(|function| names.name(&function.ident.to_string())).collect();
    // Rust keeps the given names of constants, and no variable may hide them.
    for constant in constants.iter() {
        names.keep(&constant.ident.to_string());
    }
    let mut items = Items {
        cx,
        structs: &structs,
        constants: &constants,
        signatures: HashMap::new(),
        library,
        names,
    };
    let signatures: Vec<_> = order
        .iter()
        .zip(function_names)
        .enumerate()
        .map(|(place, (function, name))| {
            let id = FunctionId::nth(place);
            (function.ident.to_string(), signature(&items, function, id, name))
        })
        .collect();
    items.signatures = signatures.into_iter().collect();
    // Callers of a refused function, and functions that call each other in a circle, are checked
    // but not kept.
    let mut functions = is_order.then(List::default);
    for item in &order {
        let checked = function(&items, functions.as_ref(), item);
        functions = functions.zip(checked).map(|(mut functions, checked)| {
            let id = functions.push(checked);
            assert_eq!(Some(id), items.signature(&item.ident).map(|signature| signature.id));
            functions
        });
    }
    let interactions = module.interactions.iter();
    let interactions: Vec<_> =
        interactions.filter_map(|impl_| interaction(&items, functions.as_ref(), impl_)).collect();
    let programs = module.programs.iter();
    let programs: Vec<_> =
        programs.filter_map(|impl_| program::program(&items, functions.as_ref(), impl_)).collect();
    let functions = functions?;
    let complete =
        interactions.len() == module.interactions.len() && programs.len() == module.programs.len();
    if complete {
        for (interaction, written) in interactions.iter().zip(&module.interactions) {
            let pair = (&written.pair, &interaction.pair.body);
            let cutoff = written.cutoff.as_ref().zip(interaction.cutoff.as_ref());
            let cutoff = cutoff.map(|(written, cutoff)| (&written.function, &cutoff.body));
            [pair].into_iter().chain(cutoff).for_each(|(written, body)| length(cx, written, body));
        }
        for (program, written) in programs.iter().zip(&module.programs) {
            length(cx, &written.function, &program.body);
        }
    }
    let names = items.names;
    complete.then(|| ir::Module {
        attrs: module.attrs.clone(),
        vis: module.vis.clone(),
        ident: module.ident.clone(),
        names,
        structs,
        constants,
        functions,
        interactions,
        programs,
    })
}

/// Refuses names of structs and constants that the generated Rust needs: a variable cannot hide a
/// constant.
fn generated_names(cx: &Ctxt, module: &syntax::Module) {
    let structs = module.structs.iter().map(|item| (&item.ident, TYPES_OF_RUST));
    let constants = module.constants.iter().map(|item| (&item.ident, &[][..]));
    for (ident, others) in structs.chain(constants) {
        let name = ident.to_string();
        if name == "this" || name.starts_with("__") || others.contains(&&*name) {
            cx.error(Site::of(ident), &message::GENERATED_NAME, &[&name]);
        }
    }
}

fn duplicates(cx: &Ctxt, module: &syntax::Module) {
    let mut seen = HashSet::new();
    let types = module.structs.iter().map(|item| &item.ident);
    // A struct without fields also declares a value of its name.
    let units = module.structs.iter().filter(|item| item.fields.is_empty());
    let values = units
        .map(|item| &item.ident)
        .chain(module.constants.iter().map(|item| &item.ident))
        .chain(module.functions.iter().map(|item| &item.ident));
    let fields = module.structs.iter().map(|item| item.fields.iter().map(|field| &field.ident));
    let mut check = |scope: String, ident: &Ident| {
        if !seen.insert((scope, ident.to_string())) {
            cx.error(Site::of(ident), &message::DUPLICATE, &[&ident.to_string()]);
        }
    };
    types.for_each(|ident| check("type".to_owned(), ident));
    values.for_each(|ident| check("value".to_owned(), ident));
    for (k, fields) in fields.enumerate() {
        fields.for_each(|ident| check(format!("field {k}"), ident));
    }
    let interactions = module.interactions.iter().map(|item| (Trait::Interaction, &item.target));
    let programs = module.programs.iter().map(|item| (item.of, &item.target));
    interactions
        .chain(programs)
        .for_each(|(of, ident)| check(format!("impl {}", of.name()), ident));
}

/// Refuses a function that compilers would inline and unroll excessively.
fn length(cx: &Ctxt, function: &syn::ImplItemFn, body: &ir::Body) {
    /// Far above any useful pair, and still within reach of compilers: the code is generated for
    /// each kind of vector, and several times in a kernel.
    const LONGEST: u64 = 10_000;
    if body.summary.expressions > LONGEST {
        let name = &function.sig.ident;
        let arguments = [&name.to_string(), &*LONGEST.to_string()];
        cx.error(Site::of(name), &message::PAIR_LENGTH, &arguments);
    }
}

fn signature(
    items: &Items,
    function: &syntax::Function,
    id: FunctionId,
    name: String,
) -> Signature {
    let of = |ty| {
        let found = types::check(items.cx, ty, items.constants)?;
        if found.is_of_splines()
            || matches!(found, Type::Table(..) | Type::Reduced(_) | Type::Counts(_))
        {
            items.cx.error(Site::of(ty), &message::FN_TYPE, &[&found.to_string()]);
            return None;
        }
        Some(found)
    };
    let parameters = function.parameters.iter().map(|(_, ty)| of(ty)).collect();
    Signature { id, name, parameters, output: function.output.as_ref().and_then(of) }
}

/// Checks a helper function, and adds it after the functions that it calls if none of them was
/// refused.
fn function(
    items: &Items,
    functions: Option<&List<ir::Function>>,
    function: &syntax::Function,
) -> Option<ir::Function> {
    let name = function.ident.to_string();
    let signature = items.signature(&function.ident)?;
    let names = function.parameters.iter().filter_map(|(pattern, _)| syntax::plain_name(pattern));
    scope::names_differ(items.cx, &names.collect::<Vec<_>>())?;
    let mut checker = BodyChecker::new(items, functions, &function.block);
    if items.library.has(&name) {
        // Its text has no place of its own, but the place of the whole module.
        checker.comments = Comments::default();
    }
    checker.returns = signature.output.map_or(Returns::Unknown, Returns::Value);
    if function.takes_self {
        checker.scopes.bind("self".to_owned(), scope::Binding::Unknown);
    }
    let mut declare = |pattern: &syn::Pat, ty: Option<Type>| {
        let Some((ident, ty)) = syntax::plain_name(pattern).zip(ty) else {
            checker.scopes.bind_unknown(pattern.to_token_stream());
            return None;
        };
        Some(checker.declare(&ident, ty, false))
    };
    let parameters = function.parameters.iter().zip(&signature.parameters);
    let parameters: Vec<_> = parameters.map(|((pattern, _), ty)| declare(pattern, *ty)).collect();
    let site = Site::of(&function.ident);
    let written = || function.output.to_token_stream().to_string();
    let output = signature.output.map_or_else(written, |ty| ty.to_string());
    if function.output.is_none() {
        let is_value = matches!(function.block.stmts.last(), Some(syn::Stmt::Expr(_, None)));
        if !is_value {
            checker.block_without_value(&function.block);
            return None;
        }
    }
    let missing = (site, &message::FN_VALUE, &[name.as_str(), output.as_str()][..]);
    let value = checker.block_value(&function.block, missing)?;
    let returned = signature.output?;
    if value.ty != returned {
        refuse_value(items, &function.block, &value, returned);
    }
    Some(ir::Function {
        attrs: function.attrs.clone(),
        vis: function.vis.clone(),
        ident: function.ident.clone(),
        name: signature.name.clone(),
        parameters: parameters.into_iter().collect::<Option<_>>()?,
        output: returned,
        body: checker.finish(functions?, &function.block, Some(value)),
    })
}

fn interaction(
    items: &Items,
    functions: Option<&List<ir::Function>>,
    impl_: &syntax::Interaction,
) -> Option<ir::Interaction> {
    let [target, i, j, f] = [&impl_.target, &impl_.i, &impl_.j, &impl_.f];
    let [parameters, i, j, f] =
        [items.named(target)?, items.named(i)?, items.named(j)?, items.named(f)?];
    scope::names_differ(items.cx, &impl_.names)?;
    let records = [(Input::Parameters, parameters.id), (Input::I, i.id), (Input::J, j.id)];
    let output = f.id;
    let self_pairs = match &impl_.self_pairs {
        None => false,
        Some(Expr::Lit(syn::ExprLit { lit: Lit::Bool(value), .. })) => value.value,
        Some(other) => {
            items.cx.error(Site::of(other), &message::SELF_PAIRS, &[]);
            false
        }
    };
    let block = &impl_.pair.block;
    let mut checker = BodyChecker::new(items, functions, block);
    let roles = checker.roles(&impl_.names, &records, Some(output));
    checker.block_without_value(block);
    checker.refuse_unused(output, &impl_.names[2], "pair");
    let cutoff = match &impl_.cutoff {
        None => None,
        Some(cutoff) => Some(self::cutoff(items, functions, cutoff, &records)?),
    };
    Some(ir::Interaction {
        attrs: impl_.attrs.clone(),
        name: names::snake_case(&impl_.target.to_string()),
        parameters,
        i,
        j,
        f,
        self_pairs,
        cutoff,
        pair: ir::Pair {
            attrs: impl_.pair.attrs.clone(),
            roles,
            body: checker.finish(functions?, block, None),
        },
    })
}

fn cutoff(
    items: &Items,
    functions: Option<&List<ir::Function>>,
    cutoff: &syntax::Cutoff,
    records: &[(Input, StructId); 3],
) -> Option<ir::Cutoff> {
    scope::names_differ(items.cx, &cutoff.names)?;
    let block = &cutoff.function.block;
    let mut checker = BodyChecker::new(items, functions, block);
    checker.returns = Returns::Value(Type::Real);
    let roles = checker.roles(&cutoff.names, records, None);
    let site = Site::of(&cutoff.function.sig.ident);
    let value = checker.block_value(block, (site, &message::FN_VALUE, &["cutoff", "Real"]))?;
    if value.ty != Type::Real {
        refuse_value(items, block, &value, Type::Real);
    }
    let [_, (_, i), (_, j)] = *records;
    let points = [position(items, site, i, j), position(items, site, j, i)];
    let [Some(i), Some(j)] = points else { return None };
    let attrs = cutoff.function.attrs.clone();
    let body = checker.finish(functions?, block, Some(value));
    Some(ir::Cutoff { attrs, roles, body, points: [i, j] })
}

/// Refuses the final value of a body if its type differs from the declared one.
fn refuse_value(items: &Items, block: &syn::Block, value: &ir::Expr, declared: Type) {
    let help = advice::operators::of_value(value, declared);
    let help = help.unwrap_or_else(|| "convert the value, or declare its type".to_owned());
    let arguments = [&*value.ty.to_string(), &declared.to_string(), &help];
    let site = block.stmts.last().map_or_else(|| Site::of(block), Site::of);
    items.cx.error(site, &message::LET_TYPE, &arguments);
}

/// Finds the only position of a particle, if the other particle has a position of the same type.
fn position(items: &Items, site: Site, particle: StructId, other: StructId) -> Option<FieldId> {
    let (fields, other) = (items.structs.fields(particle), &items.structs[other].fields);
    let mut points = fields.filter(|(_, field)| matches!(field.ty, Type::Point(_)));
    let found = points.next().filter(|_| points.next().is_none());
    let found = found.filter(|(_, point)| other.iter().any(|field| field.ty == point.ty));
    let particles = [&items.structs[particle].fields, other];
    let is_refused = particles.into_iter().flatten().any(|field| field.is_refused);
    if found.is_none() && !is_refused {
        let particle = &items.structs[particle].ident;
        items.cx.error(site, &message::CUTOFF_POSITION, &[&particle.to_string()]);
    }
    found.map(|(id, _)| id)
}
