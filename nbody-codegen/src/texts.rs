//! The texts of interactions and of programs per particle, for laws that are made at run time and
//! for tests.

use proc_macro2::TokenStream;

use crate::diagnostics::Ctxt;
use crate::separable::{Separable, separable};
use crate::symmetry::{Symmetric, symmetric};
use crate::{emit_cpp, emit_cuda, ir};

/// The properties of an interaction that are derived from its body.
pub(crate) struct Derived {
    /// Both directions of a pair at once, where the parities allow it.
    pub both: Option<Symmetric>,
    /// The charges of j, or the reason why there are none.
    pub charges: Result<Separable, String>,
}

impl Derived {
    pub fn of(module: &ir::Module, interaction: &ir::Interaction) -> Self {
        let both = symmetric(module, interaction);
        Self { both, charges: separable(module, interaction) }
    }
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
    pub(crate) fn of(ir: &ir::Module, interaction: &ir::Interaction, derived: &Derived) -> Self {
        let both = derived.both.as_ref();
        Self {
            name: interaction.name.clone(),
            law: emit_cuda::law(ir, interaction),
            third_law: both.map(|both| emit_cuda::pair_symmetric(ir, interaction, both)),
            sums: emit_cuda::sums(ir, interaction),
            compensated: emit_cuda::compensated(ir, interaction),
            cpp: emit_cpp::law(ir, interaction, derived),
        }
    }
}

impl ParticleCuda {
    pub(crate) fn of(ir: &ir::Module, program: &ir::Program) -> Self {
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
    Ok(ir
        .interactions
        .iter()
        .map(|interaction| Cuda::of(&ir, interaction, &Derived::of(&ir, interaction)))
        .collect())
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
    let (_, checked) = crate::checked(&cx, item);
    let messages = cx.messages();
    match (cx.finish(), checked) {
        (Ok(()), Some(ir)) => Ok(ir),
        _ => Err(messages.join("\n")),
    }
}
