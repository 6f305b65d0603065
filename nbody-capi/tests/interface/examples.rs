//! The examples: each checks its own result, and exits with 1 if it is wrong.

use std::path::PathBuf;

use crate::tools::{ROOT, WARNINGS, compile_and_run, compiler, fortran, fortran_sources};

/// Returns the examples whose names end so.
pub fn examples(extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(format!("{ROOT}/examples")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|it| it == extension)).collect();
    paths.sort();
    assert!(!paths.is_empty(), "no example .{extension}");
    paths
}

/// Compiles and runs an example in a folder with the files that it reads.
#[track_caller]
fn runs(compiler: &str, options: &[&str], sources: &[PathBuf]) {
    let folder = tempfile::tempdir().unwrap();
    for law in examples("rs") {
        let name = law.file_name().unwrap();
        std::fs::copy(&law, folder.path().join(name)).unwrap();
    }
    let out = compile_and_run(compiler, options, sources, &[], folder.path());
    assert!(out.contains("error"), "{sources:?} tells no error:\n{out}");
}

#[test]
fn examples_in_c_run() {
    let cc = compiler("CC", "cc").unwrap();
    let options = [&["-std=c99"], &WARNINGS[..]].concat();
    for source in examples("c") {
        runs(&cc, &options, &[source]);
    }
}

#[test]
fn examples_in_cpp_run() {
    let cxx = compiler("CXX", "c++").unwrap();
    let options = [&["-std=c++11"], &WARNINGS[..]].concat();
    for source in examples("cpp") {
        runs(&cxx, &options, &[source]);
    }
}

#[test]
fn examples_in_fortran_run() {
    let Some((fortran, options)) = fortran() else { return };
    for source in examples("f90") {
        runs(&fortran, &options, &fortran_sources(source));
    }
}
