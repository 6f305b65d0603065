//! Compiler of interactions, as a plain library: a Rust module in; CUDA C++, C++ and Rust out.
//!
//! Data flows one way. `nesting` limits the depth for the later passes, `fragments` removes the
//! groups of macros, `syntax` sorts the items of the module, `check` resolves names and types and
//! collects every error, `ir` is the checked module, `symmetry` derives a tree for both directions
//! of a pair where possible, `reach` turns a cutoff into a program of interval arithmetic, `lanes`
//! turns a body into masks and fused operations for many particles at a time, `emit_cuda`,
//! `emit_cpp` and `emit_rust` print these trees, and `expand` assembles the output.
//!
//! The feature `describe` adds `emit_cpp`, `texts` and `describe`, for laws that are made at run time, and
//! `adjoint`, which derives the text of laws from the text of a law; the macro does without.
//!
//! It is not a proc-macro itself, so that it can be tested and used like any other code.

#![allow(clippy::missing_panics_doc)]
#![cfg_attr(
    not(feature = "describe"),
    allow(dead_code, unused_imports, reason = "parts of the printers serve C++ alone")
)]

#[cfg(feature = "describe")]
pub mod adjoint;
mod check;
mod comments;
#[cfg(feature = "describe")]
pub mod describe;
mod diagnostics;
#[cfg(feature = "describe")]
mod emit_cpp;
mod emit_cuda;
mod emit_rust;
mod expand;
mod fragments;
mod gradient;
mod ir;
mod lanes;
mod message;
mod names;
mod nesting;
mod reach;
mod separable;
mod stub;
mod symmetry;
mod syntax;
#[cfg(feature = "describe")]
mod texts;
mod values;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostics::Ctxt;
#[cfg(feature = "describe")]
pub use texts::{Cuda, ParticleCuda, cuda, particle_cuda};

/// Expands `#[nbody::interaction(args)] item`.
///
/// If there are errors, the expansion contains all of them, each at its place, and a stub of the
/// module, so that code that uses the module causes no errors of its own.
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

/// Parses and checks the module; a part that is not sound is `None`.
fn checked(cx: &Ctxt, item: TokenStream) -> (Option<syntax::Module>, Option<ir::Module>) {
    let before = cx.messages().len();
    let item = nesting::check(cx, item);
    if cx.messages().len() > before {
        // Other code may use the items that were removed, so their errors are ignored here.
        let quiet = Ctxt::new();
        let module = syntax::Module::parse(&quiet, fragments::spliced(item));
        let _missed = quiet.finish();
        return (module, None);
    }
    let module = syntax::Module::parse(cx, fragments::spliced(item));
    let checked = module.as_ref().and_then(|module| check::check(cx, module));
    (module, checked)
}
