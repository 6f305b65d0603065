//! Tuples of given particles, on every device.

mod molecules;
mod refusals;
mod ways;
