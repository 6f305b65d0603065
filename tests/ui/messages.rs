//! Messages of the compiler for invalid declarations.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("*/*.rs");
}
