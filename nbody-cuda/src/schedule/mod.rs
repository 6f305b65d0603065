//! Programs of pairs: the text that follows an interaction, and the registers and shared memory of its blocks.

pub mod dealt;
pub mod program;
pub mod resources;

use std::ffi::CStr;

/// The text of a schedule, which follows the text of the interaction.
#[derive(Clone, Copy)]
pub(crate) struct ScheduleText<'a> {
    /// The pairs of the schedule, for the title of a program.
    pub title: &'static str,
    pub parts: &'a [&'static str],
    /// Register budget per thread for partial sums that are loaded together in a merge of splits.
    pub merging: usize,
    /// Whether each i-particle meets the j-particles in the order of their indices.
    pub in_order: bool,
    /// The names of the kernels; the first is the kernel of pairs.
    pub kernels: &'static [&'static CStr],
}
