//! Checks structs: their uses, their fields and their visibility.

use quote::ToTokens as _;
use syn::{Ident, Visibility};

use crate::check::types;
use crate::diagnostics::{Ctxt, Site};
use crate::ir::{self, List, Type};
use crate::message::{self, suggestion};
use crate::names::Unique;
use crate::syntax;

/// Names that structs cannot have.
const TYPES_OF_THE_LANGUAGE: &[&str] = &[
    "Real",
    "Vector",
    "Tensor",
    "Point",
    "Interaction",
    "Update",
    "Measure",
    "Tuple",
    "Min",
    "Max",
    "ArgMin",
    "ArgMax",
    "Count",
    "Spline",
    "Splines",
];

pub(crate) fn structs(
    cx: &Ctxt,
    module: &syntax::Module,
    constants: &[ir::Constant],
    names: &mut Unique,
) -> List<ir::Struct> {
    let find = |ident: &Ident| {
        module.structs.iter().any(|item| item.ident == *ident)
            || module.tuples.iter().any(|item| item.ident == *ident)
    };
    let of_interactions = module.interactions.iter();
    let of_interactions = of_interactions.flat_map(|it| [&it.target, &it.i, &it.j, &it.f]);
    let of_programs = module.programs.iter();
    let of_programs = of_programs.flat_map(|it| [&it.target].into_iter().chain(it.types()));
    for ident in of_interactions.chain(of_programs) {
        if !find(ident) {
            let all: Vec<_> = module.structs.iter().map(|item| item.ident.to_string()).collect();
            let name = ident.to_string();
            let help =
                if ["Real", "Vector", "Tensor", "u32", "f64", "Count", "Point"].contains(&&*name) {
                    format!("name a struct that holds it: `pub struct Sum {{ pub value: {name} }}`")
                } else {
                    suggestion(&name, all.iter().map(String::as_str))
                };
            cx.error(Site::of(ident), &message::UNKNOWN_STRUCT, &[&name, &help]);
        }
    }
    let mut structs = List::<ir::Struct>::default();
    for item in &module.structs {
        structs.push(structure(cx, module, item, constants, names));
    }
    structs
}

/// Uses of a struct in the `impl`s of the module.
struct Use {
    is_parameters: bool,
    is_particle: bool,
    /// Whether it is a result or a total; true also if only a program per particle reads it.
    is_output: bool,
}

impl Use {
    fn of(module: &syntax::Module, ident: &Ident) -> Self {
        let mut found = Self { is_parameters: false, is_particle: false, is_output: false };
        for impl_ in &module.interactions {
            found.is_parameters |= impl_.target == *ident;
            found.is_particle |= impl_.i == *ident || impl_.j == *ident;
            found.is_output |= impl_.f == *ident;
        }
        for impl_ in &module.programs {
            let is = |name: &Option<Ident>| name.as_ref() == Some(ident);
            found.is_parameters |= impl_.target == *ident;
            found.is_particle |= impl_.p == *ident || is(&impl_.record) || impl_.q.contains(ident);
            found.is_output |= impl_.f.contains(ident) || impl_.g.contains(ident) || is(&impl_.t);
        }
        found
    }
}

fn structure(
    cx: &Ctxt,
    module: &syntax::Module,
    item: &syntax::Struct,
    constants: &[ir::Constant],
    names: &mut Unique,
) -> ir::Struct {
    let name = item.ident.to_string();
    let Use { is_parameters, is_particle, is_output } = Use::of(module, &item.ident);
    if TYPES_OF_THE_LANGUAGE.contains(&name.as_str()) {
        cx.error(Site::of(&item.ident), &message::RESERVED_TYPE, &[&name]);
    } else if !(is_parameters
        || is_particle
        || is_output
        || is_incomplete(module)
        || is_type(module, &item.ident))
    {
        cx.error(Site::of(&item.ident), &message::UNUSED_STRUCT, &[&name]);
    }
    if item.fields.is_empty() && (is_particle || is_output) {
        cx.error(Site::of(&item.ident), &message::EMPTY_PARTICLE, &[&name]);
    } else if item.fields.is_empty() && item.has_braces {
        cx.error(Site::of(&item.ident), &message::EMPTY_BRACES, &[&name]);
    }
    visibility(cx, module, item);
    let distinct =
        item.fields.iter().enumerate().filter(|(k, field)| {
            item.fields[..*k].iter().all(|before| before.ident != field.ident)
        });
    let distinct = distinct.map(|(_, field)| field);
    let type_name = names.name(&name);
    let mut members = Unique::default();
    // In C++ a member with the name of the struct would be a constructor.
    members.keep(&type_name);
    let field = |field: &syntax::Field| {
        // A field of a refused type stays, so that its uses cause no further errors.
        let found = types::check(cx, &field.ty, constants);
        let roles = Use { is_parameters, is_particle, is_output };
        let is_refused = found.is_none_or(|ty| !is_field(cx, module, field, ty, &roles));
        let ty = found.filter(|_| !is_refused).unwrap_or(Type::Real);
        ir::Field {
            attrs: field.attrs.clone(),
            vis: field.vis.clone(),
            ident: field.ident.clone(),
            name: members.name(&field.ident.to_string()),
            ty,
            is_refused,
        }
    };
    ir::Struct {
        attrs: item.attrs.clone(),
        vis: item.vis.clone(),
        ident: item.ident.clone(),
        name: type_name,
        fields: distinct.map(field).collect(),
        is_output,
    }
}

/// Tests whether the struct is the type of a field or a parameter, which is refused there.
fn is_type(module: &syntax::Module, ident: &Ident) -> bool {
    let fields = module.structs.iter().flat_map(|item| &item.fields).map(|field| &field.ty);
    let parameters = module.functions.iter().flat_map(|item| &item.parameters).map(|(_, ty)| ty);
    fields.chain(parameters).any(|ty| {
        let mut names = ty.to_token_stream().into_iter();
        names.any(|token| matches!(token, proc_macro2::TokenTree::Ident(name) if name == *ident))
    })
}

/// Tests whether a field of a struct with these roles may have this type; refuses it otherwise.
fn is_field(
    cx: &Ctxt,
    module: &syntax::Module,
    field: &syntax::Field,
    ty: Type,
    roles: &Use,
) -> bool {
    let Use { is_parameters, is_particle, is_output } = *roles;
    let site = Site::of(&field.ty);
    let name = field.ident.to_string();
    match ty {
        Type::Bool => cx.error(site, &message::FIELD_BOOL, &[]),
        Type::Reduced(_) | Type::Counts(_) if !is_output => {
            // A struct without a role may be a result if an `impl` was refused.
            if is_parameters || is_particle || !is_incomplete(module) {
                cx.error(site, &message::REDUCTION_PLACE, &[&ty.to_string()]);
            }
        }
        Type::Table(rows, columns) if is_particle || is_output => {
            let of_programs = module.programs.iter().map(|impl_| &impl_.target);
            let mut all = module.interactions.iter().map(|impl_| &impl_.target).chain(of_programs);
            let parameters = all.next().map(ToString::to_string).unwrap_or_default();
            let (whole, role) =
                if is_output { ("that is a result", "f") } else { ("of each particle", "i") };
            let (numbers, columns) = ((rows * columns).to_string(), columns.to_string());
            let element = format!("{role}.{name}");
            let arguments = [&*parameters, &name, whole, &numbers, &element, &columns];
            cx.error(site, &message::TABLE_PLACE, &arguments);
        }
        ty if ty.is_of_splines() && (is_particle || is_output) => {
            let index = match ty {
                Type::Splines(..) => "[j.kind]",
                Type::SplineTable(..) => "[i.kind][j.kind]",
                _ => "",
            };
            cx.error(site, &message::SPLINE_PLACE, &[&format!("{name}{index}")]);
        }
        Type::U32 if is_output => {
            let help = format!(
                "a count of pairs, or a sum of integers, is a `Count`: write `{name}: Count`, and `f.{name} += 1`"
            );
            cx.error(site, &message::OUTPUT_TYPE, &["u32", &help]);
        }
        Type::Point(_) if is_output => {
            let help = "positions do not add: sum differences of two points, in a `Vector`";
            cx.error(site, &message::OUTPUT_TYPE, &[&ty.to_string(), help]);
        }
        _ => return true,
    }
    false
}

/// Tests whether there is no `impl`, or whether one was refused or names no struct of the module.
/// Any struct may then be meant.
fn is_incomplete(module: &syntax::Module) -> bool {
    let is_known = |ident: &Option<Ident>| {
        ident.as_ref().is_some_and(|name| module.structs.iter().any(|item| item.ident == *name))
    };
    let mut roles = module.roles.iter();
    module.roles.is_empty()
        || module.interactions.len() + module.programs.len() < module.roles.len()
        || roles.any(|roles| !roles.types.iter().all(|(_, name)| is_known(name)))
}

/// Refuses a particle or a result that is less visible than its interaction.
fn visibility(cx: &Ctxt, module: &syntax::Module, item: &syntax::Struct) {
    let rank = |vis: &Visibility| match vis {
        Visibility::Inherited => 0,
        Visibility::Restricted(_) => 1,
        Visibility::Public(_) => 2,
    };
    let of_interactions = module.interactions.iter();
    let of_interactions =
        of_interactions.map(|impl_| (&impl_.target, vec![&impl_.i, &impl_.j, &impl_.f]));
    let of_programs = module.programs.iter().map(|impl_| (&impl_.target, impl_.types().collect()));
    let users = of_interactions.chain(of_programs).filter(|(_, used)| used.contains(&&item.ident));
    let users =
        users.filter_map(|(target, _)| module.structs.iter().find(|user| user.ident == *target));
    let most = users.max_by_key(|parameters| rank(&parameters.vis));
    if let Some(user) = most.filter(|user| rank(&user.vis) > rank(&item.vis)) {
        let (name, vis) =
            (item.ident.to_string(), user.vis.to_token_stream().to_string().replace(" (", "("));
        let arguments = [&name, &user.ident.to_string(), &*vis, &name];
        cx.error(Site::of(&item.ident), &message::LESS_VISIBLE, &arguments);
    }
}
