//! The C++ program of a law: constants, headers, the text of the law, and its loops.

use std::fmt::Write as _;

use super::border;
use super::lane::Lane;

/// The headers, by their names in `#include`.
const HEADERS: &[(&str, &str)] = &[
    ("lane.hpp", include_str!("../../cpp/lane.hpp")),
    ("element.hpp", include_str!("../../cpp/element.hpp")),
    ("scalar.hpp", include_str!("../../cpp/scalar.hpp")),
    ("narrow.hpp", include_str!("../../cpp/narrow.hpp")),
    ("bounded.hpp", include_str!("../../cpp/bounded.hpp")),
    ("x86.hpp", include_str!("../../cpp/x86.hpp")),
    ("avx2.hpp", include_str!("../../cpp/avx2.hpp")),
    ("avx512.hpp", include_str!("../../cpp/avx512.hpp")),
    ("array.hpp", include_str!("../../cpp/array.hpp")),
    ("series.hpp", include_str!("../../cpp/series.hpp")),
    ("wide.hpp", include_str!("../../cpp/wide.hpp")),
    ("exact.hpp", include_str!("../../cpp/exact.hpp")),
    ("functions.hpp", include_str!("../../cpp/functions.hpp")),
    ("spline.hpp", include_str!("../../cpp/spline.hpp")),
    ("space.hpp", include_str!("../../cpp/space.hpp")),
    ("vector.hpp", include_str!("../../cpp/vector.hpp")),
    ("numbers.hpp", include_str!("../../cpp/numbers.hpp")),
    ("record.hpp", include_str!("../../cpp/record.hpp")),
    ("others.hpp", include_str!("../../cpp/others.hpp")),
    ("loops.hpp", include_str!("../../cpp/loops.hpp")),
    ("particles.hpp", include_str!("../../cpp/particles.hpp")),
    ("tuples.hpp", include_str!("../../cpp/tuples.hpp")),
    ("checks.hpp", include_str!("../../cpp/checks.hpp")),
];

/// The options that every lane is compiled with, which g++ and clang++ know. There is no contraction,
/// as in Rust. Straight code is not vectorized: g++ 12 then leaves out the rounding of two neighbouring
/// numbers to `float` and back.
const OPTIONS: [&str; 9] = [
    "-O3",
    "-fno-tree-slp-vectorize",
    "-std=c++17",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fPIC",
    "-shared",
    "-w",
];

/// Returns the options of the compiler for a lane.
pub(super) fn options(lane: Lane) -> Vec<&'static str> {
    [&OPTIONS, lane.options].concat()
}

/// Returns the program of a law in a space: `Open`, `Periodic`, `Triclinic` or `Either`; lists
/// have a space of their own.
pub(super) fn of_law(
    title: &str,
    lane: Lane,
    [space, of_lists]: [&str; 2],
    is_symmetric: bool,
    law: &str,
) -> String {
    let names = format!(
        "namespace nbody {{\nusing SpaceOfPairs = {space};\nusing SpaceOfLists = \
         OfLists<{of_lists}>;\n}} // namespace nbody\n"
    );
    let defines = [("NBODY_SYMMETRIC", u32::from(is_symmetric).to_string())];
    assemble(title, lane, &defines, law, &names, ["record.hpp", "loops.hpp"])
}

/// Returns the program of an update or a measure.
pub(super) fn of_particles(title: &str, program: &str) -> String {
    assemble(title, Lane::OF_PARTICLES, &[], program, "", ["others.hpp", "particles.hpp"])
}

/// Returns the program of a tuple.
pub(super) fn of_tuples(title: &str, program: &str) -> String {
    let structs = border::tuples();
    let program = format!("{structs}{program}");
    let defines = [("NBODY_EXACT", "1".to_owned())];
    assemble(title, Lane::of_tuples(), &defines, &program, "", ["record.hpp", "tuples.hpp"])
}

/// Returns the program of the pair function of a law on the numbers of checks.
pub(super) fn of_checks(title: &str, lane: Lane, law: &str) -> String {
    let structs = border::checks();
    let law = format!("{structs}{law}");
    assemble(title, lane, &[], &law, "", ["numbers.hpp", "checks.hpp"])
}

fn assemble(
    title: &str,
    lane: Lane,
    defines: &[(&str, String)],
    declared: &str,
    names: &str,
    [first, last]: [&str; 2],
) -> String {
    let mut text = format!("// {title}\n#define NBODY_LANE NBODY_{}\n", lane.name);
    for (name, value) in defines {
        let _ = writeln!(text, "#define {name} {value}");
    }
    text += &nbody_core::loaded::fits();
    text += &nbody_core::loaded::accuracy();
    let (domain, structs) = (border::domain(), border::structs());
    let _ = write!(text, "\nnamespace nbody {{\n\n{domain}}} // namespace nbody\n\n");
    include(first, &mut text);
    let _ = write!(
        text,
        "\nnamespace nbody {{\n\n{structs}{declared}\n}} // namespace nbody\n\n{names}\n"
    );
    include(last, &mut text);
    text
}

/// Appends a header with the headers that it includes. Each is guarded by a macro, since a header
/// may be included in several branches.
fn include(name: &str, text: &mut String) {
    let (_, header) = HEADERS.iter().find(|(known, _)| *known == name).expect("a known header");
    let guard = format!("NBODY_{}", name.replace('.', "_").to_uppercase());
    let _ = writeln!(text, "#ifndef {guard}\n#define {guard}");
    for line in header.lines().filter(|line| *line != "#pragma once") {
        let included = line.strip_prefix("#include \"").and_then(|rest| rest.strip_suffix('"'));
        if let Some(included) = included {
            include(included, text);
        } else {
            let _ = writeln!(text, "{line}");
        }
    }
    let _ = writeln!(text, "#endif // {guard}");
}
