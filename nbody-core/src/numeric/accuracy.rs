//! Largest errors of operations, in unit roundoffs of the result: approximate division and square
//! root on a GPU, and functions of the CUDA library and the host's library.

pub const DIVISION: f64 = 4.0;
pub const ROOT: f64 = 2.0;
pub const FUNCTION: f64 = 16.0;

/// Returns the errors as C++ text, which precedes the headers of nbody-declare.
pub fn text() -> String {
    format!(
        "namespace nbody {{\nconstexpr double DIVISION = {DIVISION:?}, ROOT = {ROOT:?}, FUNCTION = \
         {FUNCTION:?};\n}} // namespace nbody\n"
    )
}
