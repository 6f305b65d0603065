//! The compiler of interactions, as a plain library: a Rust module in, CUDA C++ and Rust out.
//!
//! Data flows one way. `nesting` refuses what is too deep for the rest, `fragments` takes away the
//! traces of macros, `syntax` sorts the items of the module, `check` resolves names and types and
//! collects every error, `ir` is what comes of it, `symmetry` makes a tree of both directions of a
//! pair where it can, `emit_cuda` and `emit_rust` print the same trees in two languages, and `expand`
//! puts the pieces together.
//!
//! It is no proc-macro itself, so that it can be tested, and used, like any other code.

#![allow(clippy::missing_panics_doc)]

mod check;
mod comments;
mod diagnostics;
mod emit_cuda;
mod emit_rust;
mod expand;
mod fragments;
mod ir;
mod message;
mod names;
mod nesting;
mod stub;
mod symmetry;
mod syntax;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostics::Ctxt;

/// Expands `#[nbody::interaction(args)] item`.
///
/// On errors the expansion holds every one of them, each at its place, and a stub of the
/// module, so that the code that uses the module adds no errors of its own.
pub fn interaction(args: TokenStream, item: TokenStream) -> TokenStream {
    let cx = Ctxt::new();
    let options = syntax::Arguments::parse(&cx, args);
    let (module, checked) = checked(&cx, item);
    match (cx.finish(), checked) {
        (Ok(()), Some(ir)) => expand::expand(&ir, &options.krate),
        (Ok(()), None) => TokenStream::new(),
        (Err(errors), _) => {
            let stub = module.map(|module| stub::stub(&module, &options.krate));
            quote! { #errors #stub }
        }
    }
}

/// The module as it was written, and as it was checked, as far as either is sound.
fn checked(cx: &Ctxt, item: TokenStream) -> (Option<syntax::Module>, Option<ir::Module>) {
    let before = cx.messages().len();
    let item = nesting::check(cx, item);
    if cx.messages().len() > before {
        // What is left out is missed elsewhere.
        let quiet = Ctxt::new();
        let module = syntax::Module::parse(&quiet, fragments::spliced(item));
        let _missed = quiet.finish();
        return (module, None);
    }
    let module = syntax::Module::parse(cx, fragments::spliced(item));
    let checked = module.as_ref().and_then(|module| check::check(cx, module));
    (module, checked)
}

/// The generated part of the CUDA program of each interaction in the module, by name.
///
/// The error is the text of every message, one a line.
pub fn cuda(item: TokenStream) -> Result<Vec<(String, String)>, String> {
    each_interaction(item, emit_cuda::emit)
}

/// What evaluates both directions of a pair at once, behind what [`cuda`] gives, for each
/// interaction in the module; nothing for one whose parities do not allow it.
pub fn third_law(item: TokenStream) -> Result<Vec<(String, Option<String>)>, String> {
    each_interaction(item, |module, interaction| {
        let both = symmetry::symmetric(module, interaction)?;
        Some(emit_cuda::emit_symmetric(module, interaction, &both))
    })
}

fn each_interaction<T>(
    item: TokenStream,
    emit: impl Fn(&ir::Module, &ir::Interaction) -> T,
) -> Result<Vec<(String, T)>, String> {
    let cx = Ctxt::new();
    let (_, checked) = self::checked(&cx, item);
    let messages = cx.messages();
    match (cx.finish(), checked) {
        (Ok(()), Some(ir)) => Ok(ir
            .interactions
            .iter()
            .map(|interaction| (interaction.name.clone(), emit(&ir, interaction)))
            .collect()),
        _ => Err(messages.join("\n")),
    }
}
