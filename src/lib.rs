//! Write a pairwise interaction once, as a few lines of Rust; run it on the GPU and the CPU,
//! checked against an `f64` reference.
//!
//! This package only re-exports: [`interaction`] is the macro, [`AllPairs`] evaluates, and
//! [`Device`] says where.
#![forbid(unsafe_code)]

pub use nbody_core::{
    __private, Accumulation, Engine, Field, FieldKind, Interaction, Lane, Math, Operations,
    Options, Output, Point, Precision, Reader, Record, Scalar, Tiling, Vector, Writer, dim,
    select_array,
};
pub use nbody_macros::interaction;
