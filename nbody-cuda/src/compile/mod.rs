//! Compilation: from the text of a program to the image that a backend loads.

pub mod build;
pub mod nvrtc;
pub mod program;
pub mod toolkit;
