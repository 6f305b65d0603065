//! The whole CUDA program of an interaction: config, prelude, generated part, schedule.

use std::ffi::CStr;
use std::fmt::Write as _;
use std::ops::Range;

use nbody_core::pack::dim;
use nbody_core::{Accumulation, CudaText, Law, Math, Options, Precision};

use crate::engine::buffer::bytes_of;
use crate::{Error, KernelConfig, Schedule};

const PRELUDE: &str = include_str!("../../kernels/prelude.cuh");
const SUMS: &str = include_str!("../../kernels/sums.cuh");
const FORCE_LOOP: &str = include_str!("../../kernels/force_loop.cuh");
const ALL_PAIRS: &str = include_str!("../../kernels/all_pairs.cuh");
const SYMMETRIC: &str = include_str!("../../kernels/symmetric.cuh");

/// Registers that the parts which are loaded at a time may take, when splits are merged.
const PARTS: usize = 48;

/// A CUDA program: one text for NVRTC, nvcc and the emulator.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Program {
    /// The name of the interaction.
    pub name: &'static str,
    /// CUDA C++17.
    pub source: String,
    /// What the text is compiled for.
    pub config: KernelConfig,
    /// The options that the text was made for.
    pub options: Options,
    declared: Range<usize>,
}

impl Program {
    /// The program that evaluates every ordered pair of many particles by this law.
    pub fn new(law: &Law, options: Options) -> Result<Self, Error> {
        Ok(Self::with_config(law, options, KernelConfig::widest(law, options)?))
    }

    /// Every program that an engine may choose for some number of particles, the one for many
    /// ordered pairs first.
    pub fn all(law: &Law, options: Options) -> Result<Vec<Self>, Error> {
        let config = KernelConfig::candidates(law, options)?.into_iter();
        let config = config.chain(KernelConfig::symmetric(law, options));
        Ok(config.map(|config| Self::with_config(law, options, config)).collect())
    }

    /// The program for this configuration. That of the symmetric schedule needs an interaction with a
    /// [`third_law`](Law::third_law): see [`KernelConfig::symmetric`].
    pub fn with_config(law: &Law, options: Options, config: KernelConfig) -> Self {
        let both = law.third_law.filter(|_| config.schedule == Schedule::Symmetric);
        let [loops, schedule] =
            if both.is_some() { ["", SYMMETRIC] } else { [FORCE_LOOP, ALL_PAIRS] };
        let CudaText { law: text, sums, compensated } = law.cuda;
        let both = both.map_or("", |both| both.cuda);
        let is_compensated = options.accumulation == Accumulation::Compensated;
        let compensated = if is_compensated { compensated } else { "" };
        let mut source = header(law, options, config);
        source.push_str(PRELUDE);
        source.push('\n');
        let begin = source.len();
        let _ =
            writeln!(source, "namespace nbody::law {{\n\n{text}{both}}} // namespace nbody::law");
        let declared = begin..source.len();
        let _ =
            writeln!(source, "\nnamespace nbody {{\n\n{sums}{compensated}}} // namespace nbody\n");
        let _ = writeln!(source, "{SUMS}\n{loops}\n{schedule}");
        Self { name: law.name, source, config, options, declared }
    }

    /// The names of its kernels, the one that evaluates pairs first.
    pub fn kernels(&self) -> &'static [&'static CStr] {
        match self.config.schedule {
            Schedule::Ordered => &[c"all_pairs"],
            Schedule::Symmetric => &[c"symmetric", c"merge_parts"],
        }
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
        Self { name: "by_hand", source, config, options, declared: 0..0 }
    }
}

fn header(law: &Law, options: Options, config: KernelConfig) -> String {
    let KernelConfig { schedule, block, i_per_thread, bag, unroll, resident } = config;
    let Options { precision, accumulation, math, domain, .. } = options;
    let periodic = domain.is_periodic();
    let (real, backup) = (name(precision), options.backup());
    let kept = i_per_thread * dim(law.f) * bytes_of(backup) / 4;
    let parts = [8, 4, 2].into_iter().find(|&n| n * kept <= PARTS).unwrap_or(1);
    let backup = name(backup);
    let fold_each_bag = accumulation.folds_each_bag();
    let compensated = accumulation == Accumulation::Compensated;
    let exact = math == Math::Exact;
    let coordinate = match precision {
        Precision::Single | Precision::Double => "using Coordinate = real; // of a position",
        Precision::Mixed => "struct Coordinate { real hi, lo; }; // of a position: double-single",
    };
    let pairs = match schedule {
        Schedule::Ordered => "all pairs",
        Schedule::Symmetric => "both directions of each pair",
    };
    format!(
        "\
// {name}: {pairs} in {precision} precision, {accumulation} accumulation, {math} mathematics.
namespace nbody {{

using real = {real}; // the arithmetic of a pair
{coordinate}
using backup = {backup}; // the backup accumulators
constexpr int BLOCK = {block}; // threads of a block
constexpr int RESIDENT = {resident}; // blocks that a multiprocessor must have registers for
constexpr int I_PER_THREAD = {i_per_thread}; // i-particles of a thread
constexpr int BAG = {bag}; // j-particles of a bag
constexpr int UNROLL = {unroll}; // j-particles of one turn of the FORCE-LOOP
constexpr int PARTS = {parts}; // splits that are loaded at a time
constexpr bool FOLD_EACH_BAG = {fold_each_bag};
constexpr bool COMPENSATED = {compensated}; // keep what rounding takes from sums
constexpr bool EXACT = {exact}; // IEEE roots and divisions
constexpr bool PERIODIC = {periodic}; // the nearest image in a periodic box

}} // namespace nbody

",
        name = law.name
    )
}

/// The type in CUDA C++.
fn name(precision: Precision) -> &'static str {
    match precision {
        Precision::Single | Precision::Mixed => "float",
        Precision::Double => "double",
    }
}
