//! The emitted CUDA, C++ and Rust of whole modules, as files that people and compilers read.
//!
//! `INSTA_UPDATE=always cargo test -p nbody-codegen --test golden` rewrites them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use nbody_codegen::{Cuda, ParticleCuda};
use proc_macro2::TokenStream;

fn path(of: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(of)
}

fn module(name: &str) -> TokenStream {
    let path = path(&format!("tests/modules/{name}.rs"));
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

/// Compares a text with its file, or writes the file.
fn compare(file: &str, text: &str) -> PathBuf {
    let path = path(&format!("tests/golden/{file}"));
    if std::env::var_os("INSTA_UPDATE").is_some_and(|update| update == "always") {
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap_or_default();
    let differ = |(_, (new, old)): &(usize, (&str, &str))| new != old;
    let lines = text.lines().chain([""]).zip(golden.lines().chain([""]));
    if let Some((k, (new, old))) = lines.enumerate().find(differ) {
        panic!("{file}:{}:\nis now {new:?}\nand was {old:?}", k + 1);
    }
    assert_eq!(text, golden, "{file}");
    path
}

/// Compares the generated part of a program, and has a C++ compiler read it.
fn cuda(name: &str) {
    let mut text = "#include \"header.cuh\"\n".to_owned();
    for Cuda { law, third_law, sums, compensated, .. } in nbody_codegen::cuda(module(name)).unwrap()
    {
        let both = third_law.unwrap_or_default();
        let _ =
            writeln!(text, "\nnamespace nbody::law {{\n\n{law}{both}}} // namespace nbody::law");
        let _ = writeln!(text, "\nnamespace nbody {{\n\n{sums}{compensated}}} // namespace nbody");
    }
    compiles(&compare(&format!("{name}.cu"), &text));
}

/// Compares the generated part of each program per particle.
fn particle_cuda(module: &str) {
    for ParticleCuda { name, law, names, .. } in
        nbody_codegen::particle_cuda(self::module(module)).unwrap()
    {
        let mut text = "#include \"particle_header.cuh\"\n".to_owned();
        let _ = writeln!(text, "\nnamespace nbody::law {{\n\n{law}}} // namespace nbody::law");
        let _ = writeln!(text, "\nnamespace nbody {{\n\n{names}}} // namespace nbody");
        compiles(&compare(&format!("{module}_{name}.cu"), &text));
    }
}

/// Compares the C++ for lanes of each interaction and each program per particle.
fn cpp(name: &str) {
    let laws = nbody_codegen::cuda(module(name)).unwrap().into_iter();
    let programs = nbody_codegen::particle_cuda(module(name)).unwrap().into_iter();
    let laws = laws.map(|law| (law.name, law.cpp));
    for (law, cpp) in laws.chain(programs.map(|program| (program.name, program.cpp))) {
        let file = if law == name { format!("{name}.hpp") } else { format!("{name}_{law}.hpp") };
        compare(&file, &format!("namespace nbody {{\n\n{cpp}\n}} // namespace nbody\n"));
    }
}

/// Has a C++ compiler read a file, after declarations of static functions that only a whole program
/// defines.
fn compiles(file: &Path) {
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let mut command = Command::new(compiler);
    command.args([
        "-std=c++17",
        "-fsyntax-only",
        "-Wall",
        "-Werror",
        "-Wno-unknown-pragmas",
        "-Wno-unused-function",
        "-x",
        "c++",
    ]);
    command.arg("-include").arg(path("../nbody-cuda/kernels/emulate.h")).arg(file);
    let compiled = command.output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
}

/// Compares an expansion, as Rust formats it.
fn rust(name: &str) {
    let expansion = nbody_codegen::interaction(TokenStream::new(), module(name));
    compare(&format!("{name}.rs"), &prettyplease::unparse(&syn::parse2(expansion).unwrap()));
}

#[test]
fn gravity_in_cuda() {
    cuda("gravity");
}

#[test]
fn gravity_in_cpp() {
    cpp("gravity");
}

#[test]
fn gravity_in_rust() {
    rust("gravity");
}

#[test]
fn everything_in_cuda() {
    cuda("everything");
}

#[test]
fn everything_in_cpp() {
    cpp("everything");
}

#[test]
fn everything_in_rust() {
    rust("everything");
}

#[test]
fn bonds_in_cuda() {
    particle_cuda("bonds");
}

#[test]
fn bonds_in_cpp() {
    cpp("bonds");
}

#[test]
fn bonds_in_rust() {
    rust("bonds");
}

#[test]
fn gradients_in_cuda() {
    cuda("gradients");
}

#[test]
fn gradients_in_cpp() {
    cpp("gradients");
}

#[test]
fn gradients_in_rust() {
    rust("gradients");
}

#[test]
fn bins_in_cuda() {
    cuda("bins");
}

#[test]
fn bins_in_cpp() {
    cpp("bins");
}

#[test]
fn bins_in_rust() {
    rust("bins");
}

#[test]
fn extremes_in_cuda() {
    cuda("extremes");
}

#[test]
fn extremes_in_cpp() {
    cpp("extremes");
}

#[test]
fn extremes_in_rust() {
    rust("extremes");
}

#[test]
fn fluid_in_cuda() {
    cuda("fluid");
}

#[test]
fn words_in_cuda() {
    cuda("words");
}

#[test]
fn words_in_cpp() {
    cpp("words");
}

#[test]
fn splines_in_cuda() {
    cuda("splines");
    particle_cuda("splines");
}

#[test]
fn splines_in_cpp() {
    cpp("splines");
}

#[test]
fn splines_in_rust() {
    rust("splines");
}

#[test]
fn programs_per_particle_in_cuda() {
    particle_cuda("simulation");
}

#[test]
fn programs_per_particle_in_cpp() {
    cpp("simulation");
}

#[test]
fn programs_per_particle_in_rust() {
    rust("simulation");
}

#[test]
fn tensors_in_cuda() {
    cuda("tensors");
    particle_cuda("tensors");
}

#[test]
fn tensors_in_cpp() {
    cpp("tensors");
}

#[test]
fn tensors_in_rust() {
    rust("tensors");
}

#[test]
fn rates_in_cuda() {
    cuda("rates");
}

#[test]
fn rates_in_cpp() {
    cpp("rates");
}
