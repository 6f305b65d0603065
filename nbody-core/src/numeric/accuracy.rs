//! Largest errors of operations, in unit roundoffs of the result: of the GPU's approximate division and
//! square root, and of the functions of CUDA's and the host's libraries.

pub const DIVISION: f64 = 4.0;
pub const ROOT: f64 = 2.0;
pub const FUNCTION: f64 = 16.0;
