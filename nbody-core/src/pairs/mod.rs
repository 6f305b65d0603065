//! All pairs: the engine, its evaluation on the CPU, and the schedules that lists and trees share.

pub mod cpu;
pub mod engine;
pub mod evaluation;
pub mod images;
mod ordered;
pub mod schedule;
pub mod sources;
mod symmetric;
