//! Programs of pairs: the text that follows an interaction, and the registers and shared memory of its blocks.

pub mod program;
pub mod resources;

use std::ffi::CStr;

/// The text of a schedule, which follows that of the interaction.
#[derive(Clone, Copy)]
pub(crate) struct ScheduleText<'a> {
    /// The pairs that it evaluates, for the title of a program.
    pub title: &'static str,
    pub parts: &'a [&'static str],
    /// Register budget per thread for partial sums that are loaded together when splits are merged.
    pub merging: usize,
    /// Whether each i-particle meets the j-particles in the order of their indices.
    pub in_order: bool,
    /// The names of its kernels; the first is the kernel of pairs.
    pub kernels: &'static [&'static CStr],
}
