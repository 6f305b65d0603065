//! Checks programs per particle and per tuple: updates, measures and tuples.

use crate::check::body::BodyChecker;
use crate::check::items::Items;
use crate::check::scope;
use crate::diagnostics::Site;
use crate::ir::{self, Extremum, Function, Input, List, ProgramKind, Reduction, Type};
use crate::message;
use crate::names;
use crate::syntax::{self, Trait};

pub(super) fn program(
    items: &Items,
    functions: Option<&List<Function>>,
    impl_: &syntax::Program,
) -> Option<ir::Program> {
    let named = |ident: Option<&syn::Ident>| match ident {
        None => Some(None),
        Some(ident) => items.named(ident).map(Some),
    };
    let (parameters, p) = (items.named(&impl_.target)?, items.named(&impl_.p)?);
    let [record, t] = [named(impl_.record.as_ref())?, named(impl_.t.as_ref())?];
    let several = |structs: &[syn::Ident]| {
        structs.iter().map(|ident| items.named(ident)).collect::<Option<Vec<_>>>()
    };
    let [q, f, g] = [several(&impl_.q)?, several(&impl_.f)?, several(&impl_.g)?];
    scope::names_differ(items.cx, &impl_.names)?;
    let is_tuple = impl_.of == Trait::Tuple;
    let mut records = vec![(Input::Parameters, parameters.id)];
    if is_tuple {
        records.extend(record.iter().map(|record| (Input::Tuple, record.id)));
        records.extend((0..impl_.members).map(|place| (Input::Member(place), p.id)));
    } else {
        records.push((Input::P, p.id));
        records.extend(q.iter().enumerate().map(|(place, q)| (Input::Q(place), q.id)));
        records.extend(f.iter().enumerate().map(|(place, f)| (Input::F(place), f.id)));
        records.extend(g.iter().enumerate().map(|(place, g)| (Input::G(place), g.id)));
    }

    let block = &impl_.function.block;
    let mut checker = BodyChecker::new(items, functions, block);
    checker.changes = t.is_none();
    let roles = checker.roles(&impl_.names, &records, t.as_ref().map(|t| t.id));
    checker.block_without_value(block);
    let kind = match t {
        Some(f) if is_tuple => {
            let name = &impl_.names[impl_.names.len() - impl_.members];
            checker.refuse_unused(f.id, name, "tuple");
            refuse_index(items, &f);
            ProgramKind::Tuple(impl_.members, f)
        }
        Some(t) => {
            let name = impl_.names.last().expect("the total is the last parameter");
            checker.refuse_unused(t.id, name, "measure");
            ProgramKind::Measure(t)
        }
        None => {
            let fields = items.structs.fields(p.id);
            let changes: Vec<_> = fields.map(|(id, _)| checker.accumulated.contains(&id)).collect();
            // A refused assignment may have been meant to change a field.
            if !changes.contains(&true) && items.cx.messages().is_empty() {
                let name = impl_.names[0].to_string();
                let site = Site::of(&impl_.function.sig.ident);
                items.cx.error(site, &message::NO_CHANGE, &[&name, &name]);
            }
            ProgramKind::Update(changes)
        }
    };
    Some(ir::Program {
        attrs: impl_.attrs.clone(),
        name: names::snake_case(&impl_.target.to_string()),
        parameters,
        p,
        record,
        q,
        f,
        g,
        kind,
        fn_attrs: impl_.function.attrs.clone(),
        roles,
        body: checker.finish(functions?, block, None),
    })
}

/// Refuses a result that keeps an index: a tuple has several particles, and no pair.
fn refuse_index(items: &Items, f: &ir::Named) {
    for field in &items.structs[f.id].fields {
        if let Type::Reduced(reduction) = field.ty
            && reduction.keeps_index()
        {
            let name = field.ident.to_string();
            let is_greatest = reduction == Reduction::Arg(Extremum::Greatest);
            let instead = if is_greatest { "Max" } else { "Min" };
            items.cx.error(Site::of(&field.ident), &message::TUPLE_INDEX, &[&name, instead]);
        }
    }
}
