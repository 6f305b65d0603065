//! Programs per particle, selections and sequences, on every device.

mod columns;
mod download;
mod fields;
mod others;
mod population;
mod programs;
mod refusals;
mod selection;
mod sequence;
mod thermostats;
mod totals;
mod ways;
mod wrapping;
mod writing;
