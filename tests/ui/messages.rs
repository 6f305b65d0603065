//! What a user sees who writes something that has no meaning.

#[test]
fn messages() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("*/*.rs");
}
