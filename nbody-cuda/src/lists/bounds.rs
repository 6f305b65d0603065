//! The text of interval arithmetic, and of programs in it.

use std::fmt::Write as _;

use nbody_core::interval::shared::Function;
use nbody_core::interval::{Role, Statement, Step, TEXT};

const QUALIFIERS: &str = "__device__ __forceinline__";

/// Returns the text of the primitive operations, the functions of bounds, and the entries of
/// arrays.
pub fn arithmetic() -> String {
    let mut text = include_str!("interval.cuh").to_owned();
    text.push_str("namespace nbody::bounds {\n\n");
    for (name, value) in TEXT.constants {
        let _ = writeln!(text, "constexpr double {name} = {value:e};");
    }
    TEXT.functions.into_iter().flatten().for_each(|it| function(&mut text, it));
    text.push_str("\n} // namespace nbody::bounds\n");
    text.push_str(include_str!("entries.cuh"));
    text
}

fn function(text: &mut String, Function { docs, name, parameters, output, body }: &Function) {
    let parameters: Vec<_> =
        parameters.iter().map(|[name, of]| format!("{} {name}", type_name(of))).collect();
    text.push('\n');
    docs.iter().for_each(|line| _ = writeln!(text, "//{line}"));
    let head = format!("{QUALIFIERS} {} {name}", type_name(output));
    let _ = writeln!(text, "{head}({})\n{{", parameters.join(", "));
    for statement in *body {
        let _ = match statement {
            Statement::Let(name, value) => writeln!(text, "    const auto {name} = {value};"),
            Statement::ReturnIf(condition, value) => {
                writeln!(text, "    if ({condition}) return {value};")
            }
            Statement::Fold { name, first, counter, range: [begin, end], next } => writeln!(
                text,
                "    auto {name} = {first};\n#pragma unroll\n    \
                 for (int {counter} = {begin}; {counter} >= {end}; --{counter}) {name} = {next};"
            ),
            Statement::Return(value) => writeln!(text, "    return {value};"),
        };
    }
    text.push_str("}\n");
}

fn type_name(rust: &str) -> &str {
    match rust {
        "f64" => "double",
        other => other,
    }
}

/// Returns the function `cutoff` of the bounds of all parameters, and of the numbers of i and of j
/// that the cutoff depends on, by their indices in the records.
pub fn cutoff(steps: &[Step], reads: [&[usize]; 2]) -> String {
    let index = |role: Role, number: usize| match role {
        Role::Parameters => format!("of_parameters[{number}]"),
        Role::I | Role::J => {
            let (name, reads) = if role == Role::I { ("i", reads[0]) } else { ("j", reads[1]) };
            let place = reads.iter().position(|read| *read == number);
            format!("of_{name}[{}]", place.expect("a number that is read is among the numbers"))
        }
    };
    let mut text = format!(
        "{QUALIFIERS} Interval cutoff(\n    const Interval *of_parameters, const Interval *of_i, const Interval *of_j)\n{{\n"
    );
    for (k, step) in steps.iter().enumerate() {
        let value = match *step {
            Step::Real(x) if x.is_finite() => format!("constant({x:e})"),
            Step::Real(x) if x.is_nan() => "whole()".to_owned(),
            Step::Real(x) => format!("exactly({}infinite())", if x < 0.0 { "-" } else { "" }),
            Step::Integer(n) => format!("integer({n}u)"),
            Step::Truth(holds) => format!("known({holds})"),
            Step::Unknown => "whole()".to_owned(),
            Step::Number(role, number) => format!("stored({})", index(role, number)),
            Step::Index(role, number) => format!("integers_within({})", index(role, number)),
            Step::Apply(function, operands) => {
                let operands = &operands[..function.inputs().len()];
                format!("{}({})", function.name(), places(operands))
            }
            Step::Power(base, n) => format!("power(x{base}, {n}u)"),
            Step::Entry(among, index) => {
                let _ = writeln!(text, "    const Interval among{k}[] = {{{}}};", places(among));
                format!("entry(among{k}, x{index})")
            }
            Step::Lookup { first, size: [rows, columns], at: [row, column] } => {
                format!("entry<{rows}, {columns}>(of_parameters + {first}, x{row}, x{column})")
            }
        };
        let _ = writeln!(text, "    const auto x{k} = {value};");
    }
    let _ = writeln!(text, "    return x{};\n}}", steps.len() - 1);
    text
}

fn places(of: &[u16]) -> String {
    of.iter().map(|place| format!("x{place}")).collect::<Vec<_>>().join(", ")
}
