//! Compiler of interactions, as a plain library: a Rust module in; CUDA C++, C++ and Rust out.
//!
//! Data flows one way. `nesting` limits the depth for the later passes, `fragments` removes the
//! groups of macros, `syntax` sorts the items of the module, `check` resolves names and types and
//! collects every error, `ir` is the checked module, `symmetry` derives a tree for both directions
//! of a pair where possible, `reach` turns a cutoff into a program of interval arithmetic, `lanes`
//! turns a body into masks and fused operations for many particles at a time, `emit_cuda`,
//! `emit_cpp` and `emit_rust` print these trees, and `expand` assembles the output.
//!
//! It is not a proc-macro itself, so that it can be tested and used like any other code.

#![allow(clippy::missing_panics_doc)]

mod check;
mod comments;
pub mod describe;
mod diagnostics;
mod emit_cpp;
mod emit_cuda;
mod emit_rust;
mod expand;
mod fragments;
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
mod values;

use proc_macro2::TokenStream;
use quote::quote;

use crate::diagnostics::Ctxt;

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

/// The texts of an interaction: the generated part of its CUDA program, and C++ for the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cuda {
    /// Name of the interaction.
    pub name: String,
    /// Declaration of the interaction, in the namespace `nbody::law`.
    pub law: String,
    /// Function for both directions of a pair, to follow `law`; `None` where the parities do not
    /// allow it.
    pub third_law: Option<String>,
    /// Interface to the kernels, in the namespace `nbody`.
    pub sums: String,
    /// Interface for compensated sums, to follow `sums`.
    pub compensated: String,
    /// C++ for the lanes of the CPU, to follow the headers of nbody-declare in the namespace `nbody`.
    pub cpp: String,
}

/// The texts of a program per particle: the generated part of its CUDA program, and C++ for the
/// CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticleCuda {
    /// Name of the program.
    pub name: String,
    /// Declaration of the program, in the namespace `nbody::law`.
    pub law: String,
    /// Names by which kernels refer to the program, in the namespace `nbody`.
    pub names: String,
    /// C++ for the lanes of the CPU, to follow the headers of nbody-declare in the namespace `nbody`.
    pub cpp: String,
}

impl Cuda {
    fn of(ir: &ir::Module, interaction: &ir::Interaction) -> Self {
        Self {
            name: interaction.name.clone(),
            law: emit_cuda::law(ir, interaction),
            third_law: symmetry::symmetric(ir, interaction)
                .map(|both| emit_cuda::pair_symmetric(ir, interaction, &both)),
            sums: emit_cuda::sums(ir, interaction),
            compensated: emit_cuda::compensated(ir, interaction),
            cpp: emit_cpp::law(ir, interaction),
        }
    }
}

impl ParticleCuda {
    fn of(ir: &ir::Module, program: &ir::Program) -> Self {
        Self {
            name: program.name.clone(),
            law: emit_cuda::program(ir, program),
            names: emit_cuda::names(ir, program),
            cpp: emit_cpp::program(ir, program),
        }
    }
}

/// Returns the texts of each interaction in the module.
///
/// The error contains the text of every message, one on each line.
pub fn cuda(item: TokenStream) -> Result<Vec<Cuda>, String> {
    let ir = sound(item)?;
    Ok(ir.interactions.iter().map(|interaction| Cuda::of(&ir, interaction)).collect())
}

/// Returns the texts of each update and measure in the module.
///
/// The error is the same as for [`cuda`].
pub fn particle_cuda(item: TokenStream) -> Result<Vec<ParticleCuda>, String> {
    let ir = sound(item)?;
    Ok(ir.programs.iter().map(|program| ParticleCuda::of(&ir, program)).collect())
}

/// Returns the module, or the text of every message if it has errors.
fn sound(item: TokenStream) -> Result<ir::Module, String> {
    let cx = Ctxt::new();
    let (_, checked) = self::checked(&cx, item);
    let messages = cx.messages();
    match (cx.finish(), checked) {
        (Ok(()), Some(ir)) => Ok(ir),
        _ => Err(messages.join("\n")),
    }
}
