//! Cost of compiling one law: the number of functions that the compiler generates for
//! `examples/gravity.rs`, and the lines of LLVM code before optimisation. Unlike the compilation
//! time, which follows them, they do not depend on the machine.
//!
//! `INSTA_UPDATE=always cargo test -p nbody-tests --test pairs compilation` records them again.
#![cfg(target_arch = "x86_64")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Numbers of functions and lines of each part of the code.
type Costs = BTreeMap<&'static str, [usize; 2]>;

/// Parts of the code, by a pattern in the names of their functions; the first match counts.
const PARTS: [(&str, &str); 7] = [
    ("loops on scalars", "::scalars::Unit"),
    ("loops on vectors of f32", "::singles::Unit"),
    ("loops on vectors of f64", "::doubles::Unit"),
    ("nbody_core", "nbody_core::"),
    ("nbody_cuda", "nbody_cuda::"),
    ("the command line", "gravity::arguments::"),
    ("the rest", ""),
];

#[test]
fn of_one_law() {
    let folder = tempfile::tempdir().unwrap();
    let code = folder.path().join("gravity.ll");
    compile(&code);
    let costs = costs(&std::fs::read_to_string(&code).unwrap());
    assert!(costs.contains_key("loops on scalars"), "no loop is found by its name: {costs:?}");
    insta::assert_snapshot!(table(&costs));
}

/// Has the compiler write the code before optimisation, as in a release build.
fn compile(code: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let library = library(root);
    let joined = |first: &str, path: &Path| {
        let mut joined = OsString::from(first);
        joined.push(path);
        joined
    };
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command
        .current_dir(root)
        .args(["examples/gravity.rs", "--crate-name", "gravity", "--edition=2024"])
        .args(["-C", "opt-level=3", "-C", "codegen-units=1", "-C", "no-prepopulate-passes"])
        .args(["-C", "symbol-mangling-version=v0", "--extern"])
        .arg(joined("nbody=", &library))
        .arg("-L")
        .arg(joined("dependency=", library.parent().unwrap()))
        .arg(joined("--emit=llvm-ir=", code));
    succeed(&mut command);
}

/// Returns the library that the tests use: another selection of packages would have other features,
/// and be compiled for this test alone.
fn library(root: &Path) -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root).args(["build", "--workspace", "--example", "gravity"]);
    let messages = succeed(cargo.args(["--message-format", "json"]));
    let messages = messages.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let mut files = messages
        .filter(|it| it["target"]["name"] == "nbody" && it["target"]["kind"][0] == "lib")
        .flat_map(|it| it["filenames"].as_array().unwrap().clone())
        .map(|file| PathBuf::from(file.as_str().unwrap()));
    files.find(|file| file.extension().is_some_and(|it| it == "rlib")).unwrap()
}

/// Runs a command, and returns its output.
fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Counts functions and their lines.
fn costs(code: &str) -> Costs {
    let mut costs = Costs::new();
    let mut part = None;
    for line in code.lines() {
        if let Some(definition) = line.strip_prefix("define ") {
            part = Some(part_of(definition));
            costs.entry(part_of(definition)).or_default()[0] += 1;
        } else if line == "}" {
            part = None;
        } else if let Some(part) = part
            && !line.trim().is_empty()
        {
            costs.entry(part).or_default()[1] += 1;
        }
    }
    costs
}

/// Finds the part that a function belongs to: `... @_RNv...(...) ...`.
fn part_of(definition: &str) -> &'static str {
    let name = definition.split_once('@').map_or("", |(_, rest)| rest);
    let name = name.split(['(', '"']).find(|name| !name.is_empty()).unwrap_or_default();
    let name = format!("{:#}", rustc_demangle::demangle(name));
    PARTS.iter().find(|(_, marks)| name.contains(marks)).map_or("the rest", |(part, _)| part)
}

fn table(costs: &Costs) -> String {
    let mut text = format!("{:<26}{:>9}{:>9}\n", "part", "functions", "lines");
    let mut all = [0, 0];
    for (part, _) in PARTS {
        let [functions, lines] = costs.get(part).copied().unwrap_or_default();
        all = [all[0] + functions, all[1] + lines];
        let _ = writeln!(text, "{part:<26}{functions:>9}{lines:>9}");
    }
    let _ = writeln!(text, "{:<26}{:>9}{:>9}", "all", all[0], all[1]);
    text
}
