//! Evaluates bodies on a graph of values instead of numbers, with helper functions and loops.

pub mod graph;
pub mod interpret;
