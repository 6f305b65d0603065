//! The emitted CUDA and Rust of whole modules, as text that people read.

use proc_macro2::TokenStream;

fn module(name: &str) -> TokenStream {
    let path = format!("{}/tests/modules/{name}.rs", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn cuda(name: &str) -> String {
    let programs = nbody_codegen::cuda(module(name)).unwrap();
    programs.into_iter().map(|(_, text)| text).collect()
}

fn third_law(name: &str) -> String {
    let programs = nbody_codegen::third_law(module(name)).unwrap();
    programs.into_iter().filter_map(|(_, text)| text).collect()
}

fn rust(name: &str) -> String {
    let expansion = nbody_codegen::interaction(TokenStream::new(), module(name));
    prettyplease::unparse(&syn::parse2(expansion).unwrap())
}

#[test]
fn gravity_in_cuda() {
    insta::assert_snapshot!(cuda("gravity"));
}

#[test]
fn gravity_in_rust() {
    insta::assert_snapshot!(rust("gravity"));
}

#[test]
fn everything_in_cuda() {
    insta::assert_snapshot!(cuda("everything"));
}

#[test]
fn everything_in_rust() {
    insta::assert_snapshot!(rust("everything"));
}

#[test]
fn extremes_in_cuda() {
    insta::assert_snapshot!(cuda("extremes"));
}

#[test]
fn extremes_in_rust() {
    insta::assert_snapshot!(rust("extremes"));
}

#[test]
fn gravity_in_both_directions() {
    insta::assert_snapshot!(third_law("gravity"));
}

#[test]
fn fluid_in_both_directions() {
    insta::assert_snapshot!(third_law("fluid"));
}
