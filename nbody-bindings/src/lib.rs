//! The common parts of the interfaces for other languages. Each adds the forms of its language: handles and
//! pointers, or objects and arrays.
//!
//! Modules import only earlier modules of this list: `failure`, `columns`, `parameters`, `engine`,
//! `checkpoint`, `run`.
#![allow(unsafe_code)]

mod checkpoint;
mod columns;
mod engine;
mod failure;
mod parameters;
mod run;

pub use columns::{
    Column, ColumnRows, Columns, Direction, Download, FieldRows, Memory, Place, check_whole,
    of_device, parts, places, replace, width,
};
pub use engine::{LawEngine, Shared, lock};
pub use failure::{Failure, Kind};
pub use parameters::{parameter_words, reals};
pub use run::{MOTION, Method, Run, Steps, moving_fields, rows_of};
