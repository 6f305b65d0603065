//! Programs per particle, selections of particles, and their engines on the CPU.

pub mod cpu;
pub mod engine;
mod run;
pub mod selection;
