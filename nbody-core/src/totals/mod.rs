//! One result over all pairs: the sum of the results of all i-particles, which are not stored.
//!
//! Each block of i-particles has a total, in `f64` and in integers of 64 bits, and the totals of
//! blocks are added in their order: bits depend neither on the number of threads nor on timing. On
//! the CPU the schedule of ordered pairs gives the results of a few i-particles at a time. On a GPU
//! a thread block adds to arrays of counts in shared memory, in any order since they are integers,
//! and keeps the other sums in registers.

pub mod cpu;
pub mod engine;
pub mod total;
