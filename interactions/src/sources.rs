//! The texts of the modules of this crate.

use std::sync::OnceLock;

/// The attribute of a declaration.
const MARK: &str = "#[nbody::interaction]";

/// The files of declarations that are no macros.
const FILES: [&str; 10] = [
    include_str!("bonds.rs"),
    include_str!("boundary.rs"),
    include_str!("dissipative.rs"),
    include_str!("electrostatics.rs"),
    include_str!("gravitation.rs"),
    include_str!("molecular.rs"),
    include_str!("optics.rs"),
    include_str!("statistics.rs"),
    include_str!("tables.rs"),
    include_str!("vortex.rs"),
];
const THERMOSTATS: &str = include_str!("thermostats.rs");
const HYDRODYNAMICS: &str = include_str!("hydrodynamics.rs");

/// Returns the text of the module that declares an interaction, a tuple or a program per particle: its
/// struct in snake case, as in `gravity` or `lennard_jones`.
///
/// The module may declare others, too. [`declare`](https://docs.rs/nbody/latest/nbody/law/fn.declare.html)
/// reads the text.
pub fn source(name: &str) -> Option<&'static str> {
    modules().iter().find(|module| declares(module, name)).map(String::as_str)
}

fn modules() -> &'static [String] {
    static MODULES: OnceLock<Vec<String>> = OnceLock::new();
    MODULES.get_or_init(|| {
        let written = FILES.iter().chain([&THERMOSTATS]).flat_map(|file| modules_of(file));
        written.chain(hydrodynamics(HYDRODYNAMICS)).collect()
    })
}

/// Returns the names that [`source`] knows, each with the trait that its struct implements: `Interaction`,
/// `Tuple`, `Update` or `Measure`.
pub fn names() -> impl Iterator<Item = (&'static str, String)> {
    modules().iter().flat_map(|module| declared(module))
}

/// Tests whether a module implements a trait for the struct of this name.
fn declares(module: &str, name: &str) -> bool {
    declared(module).any(|(_, found)| found == name)
}

/// Returns the traits of the structs of a module, and the names of the structs.
fn declared(module: &str) -> impl Iterator<Item = (&'static str, String)> {
    const TRAITS: [&str; 4] = ["Interaction", "Tuple", "Update", "Measure"];
    module.lines().filter_map(|line| {
        let (of, rest) = line.trim_start().strip_prefix("impl ")?.split_once(" for ")?;
        let known = TRAITS.into_iter().find(|known| *known == of)?;
        Some((known, snake_case(rest.trim_end_matches([' ', '{']))))
    })
}

/// Returns the name of a struct in snake case; numbers join the word before them.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Returns the marked modules of a file, each with its documentation.
fn modules_of(file: &str) -> Vec<String> {
    let lines: Vec<_> = file.lines().collect();
    let marks = lines.iter().enumerate().filter(|(_, line)| **line == MARK);
    let module = |(mark, _): (usize, &&str)| {
        let docs = lines[..mark].iter().rev().take_while(|line| line.starts_with("///")).count();
        let length = lines[mark..].iter().position(|line| *line == "}").map_or(0, |end| end + 1);
        lines[mark - docs..mark + length].join("\n") + "\n"
    };
    marks.map(module).collect()
}

/// Writes the modules of hydrodynamics as its macros do.
fn hydrodynamics(file: &str) -> Vec<String> {
    let macro_of = |name: &str, begin: &str, end: &str| {
        let text = file.split_once(&format!("macro_rules! {name} {{"))?.1;
        Some(text.split_once(begin)?.1.split_once(end)?.0.to_owned())
    };
    let mut modules = Vec::new();
    let Some(sph) = macro_of("sph", "$(#[$doc])*\n", "\n    };") else { return modules };
    for kernel in ["cubic_spline", "wendland"] {
        let Some(functions) = macro_of(kernel, "$($head)*;\n\n", "\n        }\n    };") else {
            continue;
        };
        for call in file.split(&format!("\n{kernel}! {{\n")).skip(1) {
            modules.extend(
                call.split_once("\n}").and_then(|(head, _)| expanded(&sph, &functions, head)),
            );
        }
    }
    modules
}

/// Fills the module of the macro: its documentation and names, and the functions of a kernel.
fn expanded(module: &str, kernel: &str, head: &str) -> Option<String> {
    let (docs, names) = head.rsplit_once('\n')?;
    let (name, rest) = names.trim().split_once(": ")?;
    let [density, momentum, dimensions, norm] = *rest.splitn(4, ", ").collect::<Vec<_>>() else {
        return None;
    };
    let text = module
        .replace("$($kernel)*", kernel.trim_start())
        .replace("$module", name)
        .replace("$density", density)
        .replace("$momentum", momentum)
        .replace("$dimensions", dimensions)
        .replace("$norm", norm);
    let lines = text.lines().map(|line| line.strip_prefix("        ").unwrap_or(line));
    let docs = docs.lines().map(str::trim_start);
    Some(docs.chain(lines).collect::<Vec<_>>().join("\n") + "\n")
}
