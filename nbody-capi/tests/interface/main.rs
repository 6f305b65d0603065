//! The interface as C, C++ and Fortran programs see it: its headers, its symbols, and programs that are
//! compiled and run with it.

mod bits;
mod examples;
mod guide;
mod molecule;
mod names;
mod programs;
mod ranks;
mod tools;
