//! Devices, run-time compilation and launches of generated CUDA programs.
//!
//! A [`CudaDevice`] is a GPU or the emulator; it creates engines.
//! [`Program`] is the CUDA text of an interaction, [`Build`] reports how it was compiled. The
//! module `sass`, with the feature of that name, counts the instructions of compiled kernels.
//!
//! A module depends only on earlier modules of this list: `border`, `layout`, `config`, `error`,
//! `compile`, `backend`, `engine`, `order`, `schedule`, `tuning`, `pairs`, `lists`, `trees`,
//! `particles`, `tuples`, `device`, `programs`; `pairs`, `lists`, `trees` and `particles` do not depend on
//! each other.

mod backend;
mod border;
mod compile;
mod config;
mod device;
mod engine;
mod error;
mod layout;
mod lists;
mod order;
mod pairs;
mod particles;
pub mod programs;
#[cfg(feature = "sass")]
pub mod sass;
mod schedule;
mod totals;
mod trees;
mod tuning;
mod tuples;

pub use backend::Properties;
pub use compile::build::{Build, Image, Usage};
pub use compile::nvrtc;
pub use compile::program::Program;
pub use config::{KernelConfig, Schedule, Walk};
pub use device::CudaDevice;
pub use error::Error;
pub use nbody_compile::{Cache, CacheContents, Error as CompileError, Origin};
pub use particles::program::{Layout, ParticleBuffers};
pub use tuning::measured::Tuned;
