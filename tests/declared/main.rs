//! Laws and programs that are declared as text at run time.

mod adjoint_texts;
mod adjoints;
mod cases;
mod checks;
mod crosses;
mod laws;
mod programs;
mod texts;
mod tuples;
