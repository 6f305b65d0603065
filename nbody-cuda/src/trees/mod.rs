//! Trees: their programs, their memory, the launches that build them, and the walks through them.
//!
//! The kernels are assembled from the `.cuh` files of this folder. They build the trees that
//! nbody-core's `trees` defines, by IEEE arithmetic without contraction.

mod build;
#[cfg(test)]
mod cells;
mod declared;
pub mod engine;
mod essential;
mod finite;
mod walk;

use std::fmt::Write as _;

use nbody_core::pack::Binding;
use nbody_core::{Carried, Charges, Expansion, Law, Mixed, Precision};

use crate::compile::program::Program;
use crate::error::Error;
use crate::layout::{kind_of_word, numbers_of};
use crate::order::keys;
use crate::order::{BLOCK, HILBERT, sort, tilted};

/// The text of the work of walks.
pub(crate) const WORK: &str = include_str!("work.cuh");

/// Returns the largest number of far particles of a cell.
pub(crate) const fn far_particles(expansion: Expansion) -> usize {
    match expansion {
        Expansion::Monopole => 1,
        Expansion::Second => 10,
    }
}

impl Program {
    /// Returns the programs that build trees of the j-particles of an interaction, with far
    /// particles of this expansion: the first orders particles, the second builds cells. They are
    /// compiled at the same time.
    pub fn trees(
        law: &Law,
        precision: Precision,
        expansion: Expansion,
    ) -> Result<[Self; 2], Error> {
        Ok([Self::tree_order(law, precision)?, Self::tree_cells(law, precision, expansion)?])
    }

    fn tree_order(law: &Law, precision: Precision) -> Result<Self, Error> {
        let record = text_of_record(law, precision)?;
        let parts = [&*record, &text_of_frames(), WORK, include_str!("order.cuh")];
        let kernels = &[build::ORDER];
        Ok(Self::of_exact_words(
            "order",
            "particles in the order of a tree",
            kernels,
            BLOCK,
            &parts,
        ))
    }

    fn tree_cells(law: &Law, precision: Precision, expansion: Expansion) -> Result<Self, Error> {
        let refused = |reason| nbody_core::Error::NoTree { law: law.name, reason };
        let charges = law.charges.map_err(refused)?;
        let parts = [
            &*text_of_record(law, precision)?,
            &text_of_charges(law, charges, precision, expansion)?,
            &text_of_frames(),
            include_str!("boundaries.cuh"),
            include_str!("cells.cuh"),
            include_str!("moments.cuh"),
            include_str!("far.cuh"),
            WORK,
            include_str!("build.cuh"),
        ];
        let kernels = &[build::CELLS];
        Ok(Self::of_exact_words("tree", "the cells of trees", kernels, BLOCK, &parts))
    }
}

/// Returns the text that both programs have: positions, their frame, and their order.
fn text_of_frames() -> String {
    let parts = [
        &*declared::of_build(),
        include_str!("../../kernels/grid.cuh"),
        include_str!("../../kernels/scan.cuh"),
        &tilted(false),
        include_str!("../../kernels/wrap.cuh"),
        sort::TEXT,
        HILBERT,
        keys::POSITIONS,
        keys::TEXT,
        include_str!("frame.cuh"),
    ];
    parts.join("\n")
}

/// Returns the word of each number of a j-particle in its record.
fn words_of_record(law: &Law, precision: Precision) -> Result<Vec<usize>, Error> {
    let binding = Binding::new(law.name, law.j, law.j)?;
    let words = binding.places().iter().map(|place| match precision {
        Precision::Single => place.word::<f32>(),
        Precision::Double => place.word::<f64>(),
        Precision::Mixed => place.word::<Mixed>(),
    });
    Ok(words.collect())
}

/// Returns the text of the record of a j-particle.
fn text_of_record(law: &Law, precision: Precision) -> Result<String, Error> {
    let words = words_of_record(law, precision)?;
    let position = Binding::new(law.name, nbody_core::lists::cutoff::position(law.j), law.j)?;
    let position = position.places().first().map_or(0, |place| words[place.component()]);
    Ok(format!(
        "\
// The record of a j-particle of {name}.
namespace nbody {{

using real = {real};
constexpr u32 ROW = {row}; // words of a record
constexpr u32 POSITION = {position}; // of the coordinates in it
constexpr u32 COORDINATE = {coordinate}; // words of a coordinate

}} // namespace nbody
",
        name = law.name,
        real = kind_of_word(precision),
        row = numbers_of(law.j, precision),
        coordinate = if precision == Precision::Mixed { 2 } else { 1 },
    ))
}

/// Returns the text of the charges of j-particles, and of j-particles with given charges.
fn text_of_charges(
    law: &Law,
    charges: Charges,
    precision: Precision,
    expansion: Expansion,
) -> Result<String, Error> {
    let words = words_of_record(law, precision)?;
    let primary: Vec<_> = charges.primary().collect();
    let [moments, summary] = build::moments(expansion);
    let mut text = format!(
        "\
// The charges of a j-particle of {name}, and the j-particle that has given charges.
namespace nbody {{

constexpr u32 CHARGES = {count};
constexpr bool SECOND = {second}; // far particles have second moments
constexpr bool HAS_SIGN = {has_sign}; // one charge gives the weight
constexpr u32 SIGN = {sign}; // that charge

constexpr u32 FAR = {far}; // the most far particles of a cell, and the room for them
constexpr u32 MOMENTS_BYTES = {moments}, SUMMARY_BYTES = {summary}; // for which the host reserves memory
",
        name = law.name,
        count = charges.products.len().max(1),
        second = expansion == Expansion::Second,
        has_sign = primary.len() == 1,
        far = far_particles(expansion),
        moments = 8 * moments,
        summary = 8 * summary,
        sign = primary.first().filter(|_| primary.len() == 1).unwrap_or(&0),
    );
    write_charges(&mut text, charges, &words);
    write_weight(&mut text, &primary);
    write_carried(&mut text, charges, &words);
    text.push_str("} // namespace nbody\n");
    Ok(text)
}

/// Writes the function that returns the charges of a j-particle.
fn write_charges(text: &mut String, charges: Charges, words: &[usize]) {
    text.push_str(
        "
__device__ __forceinline__ void charges_of(const real *words, double (&charges)[CHARGES])
{
",
    );
    for (q, product) in charges.products.iter().enumerate() {
        let factors: Vec<_> =
            product.iter().map(|&k| format!("double(words[{}])", words[k])).collect();
        let product = if factors.is_empty() { "1.0".to_owned() } else { factors.join(" * ") };
        let _ = writeln!(text, "    charges[{q}] = {product};");
    }
    if charges.products.is_empty() {
        text.push_str("    charges[0] = 0.0;\n");
    }
    text.push_str("}\n");
}

/// Writes the function that returns the weight of charges.
fn write_weight(text: &mut String, primary: &[usize]) {
    text.push_str(
        "
template <u32 N> __device__ __forceinline__ double length_of(const double (&vector)[N]);

__device__ __forceinline__ double weight_of(const double (&charges)[CHARGES])
{
",
    );
    let _ = match primary {
        [] => writeln!(text, "    return 0.0;"),
        [q] => writeln!(text, "    return ::fabs(charges[{q}]);"),
        _ => {
            let primary: Vec<_> = primary.iter().map(|q| format!("charges[{q}]")).collect();
            let _ = writeln!(text, "    const double primary[] = {{{}}};", primary.join(", "));
            writeln!(text, "    return length_of(primary);")
        }
    };
    text.push_str("}\n");
}

/// Writes two functions: one sets the numbers that carry charges, the other calls a function with
/// each divisor.
fn write_carried(text: &mut String, charges: Charges, words: &[usize]) {
    text.push_str(
        "
__device__ __forceinline__ void carry(const double (&charges)[CHARGES], real *words)
{
",
    );
    let mut divisors = Vec::new();
    for (carried, word) in charges.carried.iter().zip(words) {
        let _ = match *carried {
            Carried::Zero => Ok(()),
            Carried::One => writeln!(text, "    words[{word}] = real(1);"),
            Carried::Charge(q) => writeln!(text, "    words[{word}] = real(charges[{q}]);"),
            Carried::Ratio(q, by) => {
                if !divisors.contains(&by) {
                    divisors.push(by);
                }
                let ratio = format!(
                    "charges[{by}] == 0.0 ? 0.0 * charges[{q}] : charges[{q}] / charges[{by}]"
                );
                writeln!(text, "    words[{word}] = real({ratio});")
            }
        };
    }
    text.push_str(
        "}

// Calls `act` with each charge by which others are divided.
template <typename Act> __device__ __forceinline__ void each_divisor([[maybe_unused]] const Act &act)
{
",
    );
    for divisor in divisors {
        let _ = writeln!(text, "    act({divisor}u);");
    }
    text.push_str("}\n\n");
}
