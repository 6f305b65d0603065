//! The text of a program, and the options that it is compiled with.

use std::ffi::CStr;
use std::fmt::Write as _;
use std::ops::Range;

use nbody_core::{Math, Options};

use crate::KernelConfig;
#[cfg(test)]
use crate::Schedule;

/// A CUDA program: one text for NVRTC, nvcc and the emulator.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Program {
    /// The name of the interaction.
    pub name: &'static str,
    /// CUDA C++17.
    pub source: String,
    /// The names of its kernels, the one that evaluates pairs first.
    pub kernels: &'static [&'static CStr],
    /// What the text is compiled for.
    pub config: KernelConfig,
    /// The options that the text was made for.
    pub options: Options,
    /// Where the part that was declared stands in the text.
    pub(crate) declared: Range<usize>,
}

impl Program {
    /// The compiler options, of NVRTC and nvcc alike, but for the architecture.
    pub fn compiler_options(&self) -> &'static [&'static str] {
        match self.options.math {
            Math::Fast => &[
                "--std=c++17",
                "--ftz=true",
                "--prec-div=false",
                "--prec-sqrt=false",
                "--fmad=true",
            ],
            Math::Exact => &[
                "--std=c++17",
                "--ftz=false",
                "--prec-div=true",
                "--prec-sqrt=true",
                "--fmad=false",
            ],
        }
    }

    /// The part of the source that was declared: structs, functions and `pair`.
    pub fn declaration(&self) -> &str {
        &self.source[self.declared.clone()]
    }

    /// The text with line numbers, for compiler messages.
    pub fn numbered(&self) -> String {
        let mut text = String::new();
        for (k, line) in self.source.lines().enumerate() {
            let _ = writeln!(text, "{:>4} | {line}", k + 1);
        }
        text
    }
}

#[cfg(test)]
impl Program {
    /// A program that is not emitted, of one warp to a block.
    pub(crate) fn by_hand(source: impl Into<String>) -> Self {
        let config = KernelConfig {
            schedule: Schedule::Ordered,
            block: 32,
            i_per_thread: 1,
            bag: 32,
            unroll: 1,
            resident: 1,
        };
        let (source, options) = (source.into(), Options::default());
        Self { name: "by_hand", source, kernels: &[c"by_hand"], config, options, declared: 0..0 }
    }
}
