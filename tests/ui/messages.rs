//! Messages of the compiler for invalid declarations.

#[test]
fn declarations_are_refused_with_these_messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("*/*.rs");
}
