//! Compilation of programs at run time: the kernel cache, the C++ compiler of the system, and
//! [`load_or_compile`], which uses both.
//!
//! A module depends only on earlier modules of this list: `environment`, `temporary`, `error`,
//! `cache`, `compiler`, `build`.

mod build;
mod cache;
mod compiler;
mod environment;
mod error;
mod temporary;

pub use build::{Loaded, Origin, Recipe, load_or_compile, numbered};
pub use cache::{Cache, CacheContents, Entry, TUNED};
pub use compiler::Compiler;
pub use environment::variable;
pub use error::Error;
pub use temporary::Temporary;
