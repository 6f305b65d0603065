//! Header, Fortran module and library have the same functions, and the headers compile without
//! warnings.

use std::collections::BTreeSet;
use std::process::Command;

use object::{Object, ObjectSymbol};

use crate::tools::{ROOT, WARNINGS, compiler, library, run};

fn read(path: &str) -> String {
    std::fs::read_to_string(format!("{ROOT}/{path}")).unwrap()
}

/// Returns the text of the header without comments.
fn header() -> String {
    let text = read("include/nbody.h");
    let mut parts = text.split("/*");
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |text, part| text + part.split_once("*/").unwrap().1)
}

/// Returns the functions of the header.
pub fn functions() -> BTreeSet<String> {
    called(&header())
}

/// Returns the names in front of a parenthesis.
fn called(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names = text.match_indices('(').map(|(at, _)| {
        let before = &text[..at];
        before[before.trim_end_matches(is_part).len()..].to_owned()
    });
    names.filter(|name| name.starts_with("nbody_")).collect()
}

#[test]
fn the_library_exports_the_functions_of_the_header_alone() {
    let bytes = std::fs::read(library()).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let exported: BTreeSet<_> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition() && symbol.is_global())
        .map(|symbol| symbol.name().unwrap().to_owned())
        .collect();
    let declared = functions();
    assert!(declared.len() > 30, "{declared:?}");
    assert_eq!(exported, declared);
}

#[test]
fn the_fortran_module_has_the_functions_of_the_header() {
    let module = read("fortran/nbody.f90");
    let names = module.split("name=\"").skip(1).map(|rest| rest.split_once('"').unwrap().0);
    let bound: BTreeSet<_> =
        names.filter(|name| name.starts_with("nbody_")).map(str::to_owned).collect();
    assert_eq!(bound, functions());
}

/// Returns the constants `NBODY_... = value` of a text, in small letters and without the prefix.
fn constants(text: &str) -> BTreeSet<(String, i64)> {
    let mut constants = BTreeSet::new();
    for part in text.to_lowercase().split("nbody_").skip(1) {
        let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        let (name, rest) = part.split_at(part.find(is_end).unwrap_or(part.len()));
        let Some(value) = rest.trim_start().strip_prefix('=') else { continue };
        let value: String = value.trim_start().chars().take_while(char::is_ascii_digit).collect();
        if let Ok(value) = value.parse() {
            constants.insert((name.to_owned(), value));
        }
    }
    constants
}

#[test]
fn the_fortran_module_has_the_constants_of_the_header() {
    let expected = constants(&header());
    assert!(expected.len() > 40, "{expected:?}");
    let found = constants(&read("fortran/nbody.f90"));
    assert!(found.is_superset(&expected), "{:?}", expected.difference(&found));
}

#[test]
fn the_version_of_the_header_is_the_version_of_the_library() {
    let version = format!("#define NBODY_ABI_VERSION {}\n", nbody_capi::ABI_VERSION);
    assert!(header().contains(&version));
}

#[test]
fn the_headers_compile_without_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let [c, cpp] = ["t.c", "t.cpp"].map(|name| folder.path().join(name));
    let body = "int main(void) { nbody_options o = NBODY_OPTIONS; return (int)o.pairs; }\n";
    std::fs::write(&c, format!("#include \"nbody.h\"\n{body}")).unwrap();
    std::fs::write(&cpp, format!("#include \"nbody.hpp\"\n#include \"nbody.h\"\n{body}")).unwrap();
    let check = |compiler: &str, standard: &str, file| {
        run(Command::new(compiler)
            .args([&format!("-std={standard}"), "-fsyntax-only", &format!("-I{ROOT}/include")])
            .args(WARNINGS)
            .arg(file));
    };
    let [cc, cxx] = [("CC", "cc"), ("CXX", "c++")].map(|(variable, usual)| {
        compiler(variable, usual).expect("compilers of C and C++ are part of the toolchain")
    });
    for standard in ["c99", "c11", "c17"] {
        check(&cc, standard, &c);
    }
    for standard in ["c++11", "c++17", "c++20"] {
        check(&cxx, standard, &cpp);
    }
}
