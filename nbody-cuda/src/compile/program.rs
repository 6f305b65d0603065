//! Programs: CUDA text and its compiler options.

use std::ffi::CStr;
use std::fmt::Write as _;
use std::ops::Range;

use nbody_compile::{Error as CompileError, numbered};
use nbody_core::{Math, Options};

use crate::config::KernelConfig;
#[cfg(test)]
use crate::config::Schedule;
use crate::error::Error;

/// A CUDA program: one text for NVRTC, nvcc and the emulator.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Program {
    /// The name of the interaction, or of the program per particle.
    pub name: &'static str,
    /// The text, in CUDA C++17.
    pub source: String,
    /// The names of its kernels; the first is the kernel of pairs or of particles.
    pub kernels: &'static [&'static CStr],
    /// The kernel configuration of the text.
    pub config: KernelConfig,
    /// The options of the text.
    pub options: Options,
    /// The range of the declaration in the text.
    pub(crate) declared: Range<usize>,
    /// The size in bytes of the records of a thread, as an expression of the text. The emulator
    /// makes room for them.
    pub(crate) records: &'static str,
}

impl Program {
    /// Returns the options for NVRTC and nvcc, without the architecture.
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

    /// Returns a program that moves words of particles with any fields, with blocks of `block`
    /// threads.
    pub(crate) fn of_words(
        name: &'static str,
        title: &str,
        kernels: &'static [&'static CStr],
        block: usize,
        parts: &[&str],
    ) -> Self {
        let mut source = format!(
            "\
// {name}: {title}.
namespace nbody {{

using u32 = unsigned int;
constexpr int BLOCK = {block}; // threads of a block

}} // namespace nbody
"
        );
        for part in parts {
            let _ = write!(source, "\n{part}");
        }
        Self {
            name,
            source,
            kernels,
            config: KernelConfig::per_thread(block),
            options: Options::default(),
            declared: 0..0,
            records: "0",
        }
    }

    /// Returns such a program whose arithmetic is all IEEE without contraction, so that every device finds
    /// the same.
    pub(crate) fn of_exact_words(
        name: &'static str,
        title: &str,
        kernels: &'static [&'static CStr],
        block: usize,
        parts: &[&str],
    ) -> Self {
        let program = Self::of_words(name, title, kernels, block, parts);
        Self { options: Options::default().math(Math::Exact), ..program }
    }

    /// Returns the part of the text that comes from the interaction: structs, functions and
    /// `pair`.
    pub fn declaration(&self) -> &str {
        &self.source[self.declared.clone()]
    }

    /// Returns the text with line numbers, for reading compiler messages.
    pub fn numbered(&self) -> String {
        numbered(&self.source)
    }

    /// Returns the error of a compiler that refuses the program.
    pub(crate) fn refused(&self, compiler: String, log: String) -> Error {
        CompileError::Compilation { compiler, log, source_text: self.numbered(), file: None }.into()
    }
}

#[cfg(test)]
impl Program {
    /// Returns a program with this text, and blocks of one warp.
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
        let kernels = &[c"by_hand"];
        Self { name: "by_hand", source, kernels, config, options, declared: 0..0, records: "0" }
    }
}
