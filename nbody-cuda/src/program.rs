//! The whole CUDA program of an interaction: choices, prelude, generated part, scheme.

use std::fmt::Write as _;

use nbody_core::{Accumulation, Interaction, Math, Options, Precision, Record, Tiling};

use crate::Error;

const PRELUDE: &str = include_str!("../kernels/prelude.cuh");
const ALL_PAIRS: &str = include_str!("../kernels/all_pairs.cuh");

/// Shared memory that every GPU grants a block without asking, in bytes.
const SHARED_MEMORY: usize = 48 * 1024;
/// 32-bit registers that the i-particles and accumulators of a thread may take, so that the
/// rest of the kernel and several blocks find room.
const REGISTERS: usize = 128;

/// j-particles of one turn of the FORCE-LOOP: enough that counting and branching cost little.
const UNROLL: usize = 4;

/// What a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choices {
    /// Threads of a block.
    pub block: usize,
    /// i-particles of a thread.
    pub i_per_thread: usize,
    /// j-particles of a bag.
    pub bag: usize,
    /// j-particles of one turn of the FORCE-LOOP.
    pub unroll: usize,
    /// Blocks that a multiprocessor must have registers for; 0 leaves it to the compiler.
    pub resident: usize,
}

/// A CUDA program: one text for NVRTC, nvcc and the emulator.
#[derive(Clone, Debug)]
pub struct Program {
    /// The name of the interaction.
    pub name: &'static str,
    /// CUDA C++17.
    pub source: String,
    /// What the text is compiled for.
    pub choices: Choices,
    /// The options that the text was made for.
    pub options: Options,
}

impl Program {
    /// The program that evaluates `X` with these options.
    pub fn new<X: Interaction>(options: Options) -> Result<Self, Error> {
        let choices = Choices::new::<X>(options)?;
        let mut source = choices.text::<X>(options);
        source.push_str(PRELUDE);
        let _ = writeln!(source, "\nnamespace nbody {{\n\n{}\n}} // namespace nbody\n", X::CUDA);
        source.push_str(ALL_PAIRS);
        Ok(Self { name: X::NAME, source, choices, options })
    }

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

    /// The text with line numbers, for compiler messages.
    pub fn numbered(&self) -> String {
        let mut text = String::new();
        for (k, line) in self.source.lines().enumerate() {
            let _ = writeln!(text, "{:>4} | {line}", k + 1);
        }
        text
    }
}

impl Choices {
    fn new<X: Interaction>(options: Options) -> Result<Self, Error> {
        if let Some(tiling) = options.tiling {
            tiling.check()?;
        }
        let words = if options.precision == Precision::Single { 1 } else { 2 };
        let backup = if backup(options) == "double" { 2 } else { 1 };
        let (i, f) = (<X::I as Record>::DIM, <X::F as Record>::DIM);
        let registers = (i + f) * words + f * backup;
        let i_per_thread = [4, 2].into_iter().find(|&n| n * registers <= REGISTERS).unwrap_or(1);
        let slot = (<X::J as Record>::DIM * words * 4).next_multiple_of(16).max(16);
        let bag = bag(slot, options.tiling)?;
        let resident = resident(i_per_thread * registers, options.precision);
        Ok(Self { block: 128, i_per_thread, bag, unroll: UNROLL, resident })
    }

    /// i-particles of a block.
    pub fn tile(self) -> usize {
        self.block * self.i_per_thread
    }

    fn text<X: Interaction>(self, options: Options) -> String {
        let Self { block, i_per_thread, bag, unroll, resident } = self;
        let Options { precision, accumulation, math, domain, .. } = options;
        let periodic = domain.is_periodic();
        let real = real(precision);
        let backup = backup(options);
        let fold_each_bag = accumulation != Accumulation::Direct;
        let exact = math == Math::Exact;
        format!(
            "\
// {name}: all pairs in {precision} precision, {accumulation} accumulation, {math} mathematics.
namespace nbody {{

using real = {real}; // the arithmetic of a pair
using backup = {backup}; // the backup accumulators
constexpr int BLOCK = {block}; // threads of a block
constexpr int RESIDENT = {resident}; // blocks that a multiprocessor must have registers for
constexpr int I_PER_THREAD = {i_per_thread}; // i-particles of a thread
constexpr int BAG = {bag}; // j-particles of a bag
constexpr int UNROLL = {unroll}; // j-particles of one turn of the FORCE-LOOP
constexpr bool FOLD_EACH_BAG = {fold_each_bag};
constexpr bool EXACT = {exact}; // IEEE roots and divisions
constexpr bool PERIODIC = {periodic}; // the nearest image in a periodic box

}} // namespace nbody

",
            name = X::NAME
        )
    }
}

/// How many blocks of 128 threads a multiprocessor must have registers for, when a thread keeps
/// this many: 4 or 3, for 128 or 168 registers of a thread, so that nothing is spilled to local
/// memory; 0, in double precision, for what the compiler thinks best.
fn resident(kept: usize, precision: Precision) -> usize {
    match (precision, kept) {
        (Precision::Single, ..=80) => 4,
        (Precision::Single, _) => 3,
        (Precision::Double, _) => 0,
    }
}

/// The bag that was asked for, or the largest power of two up to the default that fits.
fn bag(slot: usize, tiling: Option<Tiling>) -> Result<usize, Error> {
    let mut bag = tiling.unwrap_or_default().bag;
    while tiling.is_none() && bag > 1 && bag * slot > SHARED_MEMORY {
        bag /= 2;
    }
    let needed = bag.saturating_mul(slot);
    if needed <= SHARED_MEMORY {
        return Ok(bag);
    }
    Err(Error::KernelDoesNotFit {
        what: "bytes of shared memory",
        needed,
        available: SHARED_MEMORY,
        hint: "use a smaller bag (Tiling) or smaller j-particles",
    })
}

fn real(precision: Precision) -> &'static str {
    match precision {
        Precision::Single => "float",
        Precision::Double => "double",
    }
}

/// The type of the backup accumulators.
fn backup(options: Options) -> &'static str {
    match options.accumulation {
        Accumulation::BlockedF64 => "double",
        Accumulation::Direct | Accumulation::Blocked => real(options.precision),
    }
}
