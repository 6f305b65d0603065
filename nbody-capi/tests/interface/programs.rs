//! Programs in C, C++ and Fortran.

use std::path::PathBuf;

use crate::names::functions;
use crate::tools::{ROOT, WARNINGS, compile_and_run, compiler, fortran, fortran_sources};

/// Returns the path of a program of the tests.
pub fn source(name: &str) -> PathBuf {
    PathBuf::from(format!("{ROOT}/tests/programs/{name}"))
}

#[test]
fn c_programs_run() {
    let folder = tempfile::tempdir().unwrap();
    let cc = compiler("CC", "cc").unwrap();
    let options = [&["-std=c99", "-g"], &WARNINGS[..]].concat();
    for name in ["gravity.c", "errors.c", "memory.c", "integrators.c"] {
        let out = compile_and_run(&cc, &options, &[source(name)], &[], folder.path());
        assert_eq!(out, "ok\n", "{name}");
    }
}

#[test]
fn runs_are_resumed_with_their_bits() {
    let cc = compiler("CC", "cc").unwrap();
    let sanitizers = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    // The emulator changes stacks, which slows a sanitizer down ten times.
    for (device, checked) in [(&[][..], &sanitizers[..]), (&["emulator"], &[])] {
        let options = [&["-std=c99", "-g"], &WARNINGS[..], checked].concat();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("suppressions"), "leak:nbody_declare\n").unwrap();
        let program = [source("checkpoints.c")];
        let out = compile_and_run(&cc, &options, &program, device, folder.path());
        assert_eq!(out, "ok\n", "{device:?}");
    }
}

/// Wrong arguments, too, with the checks of the compiler for memory and undefined behaviour.
#[test]
fn programs_run_under_sanitizers() {
    let folder = tempfile::tempdir().unwrap();
    let [cc, cxx] =
        [("CC", "cc"), ("CXX", "c++")].map(|(name, usual)| compiler(name, usual).unwrap());
    let sanitizers = "-fsanitize=address,undefined";
    let options = [sanitizers, "-fno-sanitize-recover=all", "-g"];
    // The loops of a law live as long as the process.
    std::fs::write(folder.path().join("suppressions"), "leak:nbody_declare\n").unwrap();
    for (compiler, name) in
        [(&cc, "gravity.c"), (&cc, "errors.c"), (&cc, "memory.c"), (&cxx, "engines.cpp")]
    {
        let out = compile_and_run(compiler, &options, &[source(name)], &[], folder.path());
        assert_eq!(out, "ok\n", "{name}");
    }
}

/// Every function of the header takes part.
#[test]
fn every_wrong_argument_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let cxx = compiler("CXX", "c++").unwrap();
    let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let options = [&["-std=c++17", "-g"], &WARNINGS[..], &sanitizers].concat();
    std::fs::write(folder.path().join("suppressions"), "leak:nbody_declare\n").unwrap();
    let program = [source("arguments.cpp")];
    let out = compile_and_run(&cxx, &options, &program, &[], folder.path());
    assert_eq!(out, "ok\n");
    let text = std::fs::read_to_string(&program[0]).unwrap();
    let missing: Vec<_> = functions().into_iter().filter(|name| !text.contains(name)).collect();
    assert_eq!(missing, ["nbody_last_message"; 0], "functions without wrong arguments");
}

#[test]
fn cpp_programs_run() {
    let folder = tempfile::tempdir().unwrap();
    let cxx = compiler("CXX", "c++").unwrap();
    let options = [&["-std=c++11", "-g"], &WARNINGS[..]].concat();
    let out = compile_and_run(&cxx, &options, &[source("engines.cpp")], &[], folder.path());
    assert_eq!(out, "ok\n");
}

/// Without a Fortran compiler, the module is compared with the header alone (`names`).
#[test]
fn fortran_programs_run() {
    let Some((fortran, options)) = fortran() else { return };
    let folder = tempfile::tempdir().unwrap();
    let sources = fortran_sources(source("gravity.f90"));
    let out = compile_and_run(&fortran, &options, &sources, &[], folder.path());
    assert_eq!(out.trim(), "ok");
}
