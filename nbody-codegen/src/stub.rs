//! What takes the place of a module that was refused: its types and an interaction that does
//! nothing, so that the code around it compiles and adds no errors of its own.

use proc_macro2::TokenStream;

use crate::check;
use crate::diagnostics::Ctxt;
use crate::names::{self, Unique};
use crate::{expand, ir, syntax};

pub fn stub(module: &syntax::Module, krate: &TokenStream) -> TokenStream {
    let cx = Ctxt::new();
    let mut names = Unique::default();
    let constants = check::constant::check(&cx, &module.constants, &mut names);
    let structs = check::structs(&cx, module, &constants, &mut names);
    // These errors were reported when the module was checked.
    let _reported = cx.finish();
    let known = |ident: &syn::Ident| structs.iter().any(|item| item.ident == *ident);
    let interactions = module
        .interactions
        .iter()
        .filter(|impl_| [&impl_.target, &impl_.i, &impl_.j, &impl_.f].into_iter().all(known))
        .map(interaction)
        .collect();
    let module = ir::Module {
        attrs: module.attrs.clone(),
        vis: module.vis.clone(),
        ident: module.ident.clone(),
        names,
        structs,
        constants,
        functions: Vec::new(),
        interactions,
    };
    expand::expand(&module, krate)
}

fn interaction(impl_: &syntax::Interaction) -> ir::Interaction {
    let index = "_index".to_owned();
    let mut names = Unique::default();
    let [i, j, f] =
        impl_.names.each_ref().map(|name| format!("_{}", names.name(&name.to_string())));
    let body = ir::Body {
        locals: Vec::new(),
        statements: Vec::new(),
        // Nothing that a user writes ends up as `__space`.
        space: "_space".to_owned(),
        comments: Vec::new(),
    };
    ir::Interaction {
        ident: impl_.target.clone(),
        name: names::snake_case(&impl_.target.to_string()),
        i: impl_.i.clone(),
        j: impl_.j.clone(),
        f: impl_.f.clone(),
        self_pairs: false,
        cutoff: None,
        pair: ir::Pair { docs: Vec::new(), roles: ir::Roles { i, j, f, index, g: None }, body },
    }
}
