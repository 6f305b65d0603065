//! The whole CUDA program of an interaction: configuration, prelude, generated part, schedule.

use std::fmt::Write as _;

use nbody_core::pack::dim;
use nbody_core::{Accumulation, CudaText, Law, Math, Options, Precision};

use super::ScheduleText;
use crate::compile::program::Program;
use crate::config::{KernelConfig, Schedule};
use crate::engine::counts::text_of_counts;
use crate::engine::nearest::text_of_nearest;
use crate::engine::parameters::text_of_parameters;
use crate::layout::{bytes_of, kind_of_space, kind_of_word};

const PRELUDE: &str = include_str!("../../kernels/prelude.cuh");
const SUMS: &str = include_str!("../../kernels/sums.cuh");
const LAST_BLOCK: &str = include_str!("../../kernels/last_block.cuh");

/// The size of the records of a thread, for the emulator: i-particles, their sums and backup
/// accumulators.
const RECORDS: &str = "sizeof(Parameters) + sizeof(ParticleJ) + I_PER_THREAD * (sizeof(ParticleI) \
                       + 2 * sizeof(Accumulators) + 2 * FDIM * sizeof(backup))";

impl Program {
    /// Assembles a program; `constants` precede the text of the schedule.
    pub(crate) fn assemble(
        law: &Law,
        options: Options,
        config: KernelConfig,
        text: ScheduleText,
        constants: &str,
    ) -> Self {
        let texts = (text_of_counts(&[law.f]), constants);
        Self::assemble_counting(law, options, config, text, texts)
    }

    /// Assembles a program with this text of arrays of counts, and constants as
    /// [`assemble`](Self::assemble) has them.
    pub(crate) fn assemble_counting(
        law: &Law,
        options: Options,
        config: KernelConfig,
        text: ScheduleText,
        (counts, constants): (&str, &str),
    ) -> Self {
        let ScheduleText { title, parts, merging, in_order, kernels } = text;
        let CudaText { law: text, sums, compensated } = law.cuda;
        let symmetric = law.third_law.filter(|_| config.schedule == Schedule::Symmetric);
        let symmetric = symmetric.map_or("", |symmetric| symmetric.cuda);
        let is_compensated = options.accumulation == Accumulation::Compensated;
        let compensated = if is_compensated { compensated } else { "" };
        let mut source = header(law, options, config, (title, merging, in_order));
        source.push_str(PRELUDE);
        source.push('\n');
        source.push_str(text_of_parameters(law.parameters));
        source.push_str(counts);
        source.push_str(text_of_nearest(&[law.f]));
        let begin = source.len();
        let _ = writeln!(
            source,
            "namespace nbody::law {{\n\n{text}{symmetric}}} // namespace nbody::law"
        );
        let declared = begin..source.len();
        let _ =
            writeln!(source, "\nnamespace nbody {{\n\n{sums}{compensated}}} // namespace nbody\n");
        source.push_str(constants);
        for part in [SUMS, LAST_BLOCK].iter().chain(parts) {
            let _ = writeln!(source, "{part}");
        }
        Self { name: law.name, source, kernels, config, options, declared, records: RECORDS }
    }
}

fn header(
    law: &Law,
    options: Options,
    config: KernelConfig,
    (title, merging, in_order): (&str, usize, bool),
) -> String {
    let KernelConfig { block, i_per_thread, bag, unroll, resident, .. } = config;
    let Options { precision, accumulation, math, domain, .. } = options;
    let space = kind_of_space(domain);
    let (real, backup) = (kind_of_word(precision), options.backup());
    let registers = i_per_thread * dim(law.f) * bytes_of(backup) / 4;
    let parts = [8, 4, 2].into_iter().find(|&n| n * registers <= merging).unwrap_or(1);
    let backup = kind_of_word(backup);
    let fold_each_bag = options.folds_each_bag();
    let compensated = accumulation == Accumulation::Compensated;
    let exact = math == Math::Exact;
    let coordinate = match precision {
        Precision::Single | Precision::Double => "using Coordinate = real; // of a position",
        Precision::Mixed => "struct Coordinate { real hi, lo; }; // of a position: double-single",
    };
    format!(
        "\
// {name}: {title} in {precision} precision, {accumulation} accumulation, {math} mathematics.
namespace nbody {{

using real = {real}; // the arithmetic of a pair
{coordinate}
using backup = {backup}; // the backup accumulators
constexpr int BLOCK = {block}; // threads of a block
constexpr int RESIDENT = {resident}; // blocks per multiprocessor that registers must suffice for
constexpr int I_PER_THREAD = {i_per_thread}; // i-particles of a thread
constexpr int BAG = {bag}; // j-particles of a bag
constexpr int UNROLL = {unroll}; // j-particles per iteration of the FORCE-LOOP
constexpr int PARTS = {parts}; // splits that are loaded together
constexpr bool FOLD_EACH_BAG = {fold_each_bag};
constexpr bool COMPENSATED = {compensated}; // sum the rounding errors of sums, too
constexpr bool IN_ORDER = {in_order}; // i-particles meet j-particles in the order of their indices
constexpr bool EXACT = {exact}; // IEEE roots and divisions
{space}
}} // namespace nbody

",
        name = law.name
    )
}
