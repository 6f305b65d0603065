//! The cutoff as a program of interval arithmetic, which bounds it for groups of particles.
//!
//! The pass replaces vectors by their components, unrolls loops and evaluates calls, so that a program is a list of steps
//! on numbers, integers and conditions. As in lanes of many particles, an `if` is a condition that may hold for some
//! particles and fail for others: both branches are computed, and assigned values are selected by the condition, which
//! gives bounds of both where it is undecided. A `return` removes particles from those that go on.

mod lower;
mod math;
mod steps;

use proc_macro2::TokenStream;
use quote::quote;

use crate::ir::{Interaction, Module};
use lower::Lowering;
use steps::tokens;

/// Longest program: a cutoff of more operations has no bounds.
const LONGEST: usize = 4096;

/// The program of a cutoff, as a constant slice; empty without a cutoff.
pub fn reach(module: &Module, interaction: &Interaction, krate: &TokenStream) -> TokenStream {
    let Some(cutoff) = &interaction.cutoff else { return quote!(&[]) };
    let program = Lowering::new(module).program(interaction, &cutoff.body);
    let steps = program.filter(|steps| steps.len() <= LONGEST).map_or_else(
        || quote!(Unknown),
        |steps| {
            let steps = steps.iter().map(tokens);
            quote!(#(#steps),*)
        },
    );
    quote! {
        {
            #[allow(unused_imports)]
            use #krate::{Function::*, Role::*, Step::*};
            &[#steps]
        }
    }
}
