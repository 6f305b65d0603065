//! The compiler of interactions, as a plain library: a Rust module in, CUDA C++ and Rust out.
//!
//! Data flows one way. `nesting` limits the depth for the later passes, `fragments` removes the
//! groups of macros, `syntax` sorts the items of the module, `check` resolves names and types and
//! collects every error, `ir` is the checked module, `symmetry` makes a tree of both directions of a
//! pair where it can, `reach` makes a program of interval arithmetic of a cutoff, `emit_cuda` and `emit_rust` print
//! the same trees in two languages, and `expand` assembles the output.
//!
//! It is not a proc-macro itself, so that it can be tested, and used, like any other code.

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
mod reach;
mod separable;
mod stub;
mod symmetry;
mod syntax;
mod values;

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
        // Other code may use the removed items: ignore these errors.
        let quiet = Ctxt::new();
        let module = syntax::Module::parse(&quiet, fragments::spliced(item));
        let _missed = quiet.finish();
        return (module, None);
    }
    let module = syntax::Module::parse(cx, fragments::spliced(item));
    let checked = module.as_ref().and_then(|module| check::check(cx, module));
    (module, checked)
}

/// The generated part of a CUDA program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuda {
    /// The interaction.
    pub name: String,
    /// The declaration, in the namespace `nbody::law`.
    pub law: String,
    /// Both directions of a pair at once, after `law`; empty where the parities do not allow it.
    pub third_law: Option<String>,
    /// The interface to the kernels, in the namespace `nbody`.
    pub sums: String,
    /// The interface for compensated sums, after `sums`.
    pub compensated: String,
}

/// The generated part of the CUDA program of a program per particle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticleCuda {
    /// The program.
    pub name: String,
    /// The declaration, in the namespace `nbody::law`.
    pub law: String,
    /// The names by which kernels know it, in the namespace `nbody`.
    pub names: String,
}

/// The generated part of the CUDA program of each interaction in the module.
///
/// The error is the text of every message, one a line.
pub fn cuda(item: TokenStream) -> Result<Vec<Cuda>, String> {
    let ir = sound(item)?;
    let cuda = ir.interactions.iter().map(|interaction| Cuda {
        name: interaction.name.clone(),
        law: emit_cuda::law(&ir, interaction),
        third_law: symmetry::symmetric(&ir, interaction)
            .map(|both| emit_cuda::pair_symmetric(&ir, interaction, &both)),
        sums: emit_cuda::sums(&ir, interaction),
        compensated: emit_cuda::compensated(&ir, interaction),
    });
    Ok(cuda.collect())
}

/// The generated part of the CUDA program of each update and measure in the module.
///
/// The error is that of [`cuda`].
pub fn particle_cuda(item: TokenStream) -> Result<Vec<ParticleCuda>, String> {
    let ir = sound(item)?;
    let cuda = ir.programs.iter().map(|program| ParticleCuda {
        name: program.name.clone(),
        law: emit_cuda::program(&ir, program),
        names: emit_cuda::names(&ir, program),
    });
    Ok(cuda.collect())
}

/// The module, if it has no errors; else the text of every message.
fn sound(item: TokenStream) -> Result<ir::Module, String> {
    let cx = Ctxt::new();
    let (_, checked) = self::checked(&cx, item);
    let messages = cx.messages();
    match (cx.finish(), checked) {
        (Ok(()), Some(ir)) => Ok(ir),
        _ => Err(messages.join("\n")),
    }
}
