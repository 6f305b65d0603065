//! Turns the cutoff into a program of interval arithmetic, which bounds it for groups of
//! particles.
//!
//! The pass replaces vectors by their components, unrolls loops and evaluates calls, so that a
//! program is a list of steps on numbers, integers and conditions. As in lanes of many particles,
//! a condition may hold for some particles and fail for others: both branches of an `if` are
//! computed, and the condition selects the assigned values. Where it is undecided, the bounds
//! cover both values. A `return` removes particles from the active ones.

mod lower;
mod math;
mod steps;

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Interaction, Module};
use lower::Lowering;
use steps::tokens;

pub use steps::{Id, Step};

/// Longest program: a cutoff with more operations has no bounds.
const LONGEST: usize = 4096;

/// Returns the program of a cutoff, which gives no bounds if it is too long; `None` without a
/// cutoff.
pub fn program(module: &Module, interaction: &Interaction) -> Option<Vec<Step>> {
    let cutoff = interaction.cutoff.as_ref()?;
    let program = Lowering::new(module).program(interaction, &cutoff.body);
    let program = program.filter(|steps| steps.len() <= LONGEST);
    Some(program.unwrap_or_else(|| vec![Step::Unknown]))
}

/// Returns the program of a cutoff as a constant slice; the slice is empty without a cutoff.
pub fn reach(module: &Module, interaction: &Interaction, krate: &TokenStream) -> TokenStream {
    let Some(program) = program(module, interaction) else { return quote!(&[]) };
    let steps = program.iter().map(tokens);
    quote! {
        {
            #[allow(unused_imports)]
            use #krate::{Function::*, Role::*, Step::*};
            &[#(#steps),*]
        }
    }
}
