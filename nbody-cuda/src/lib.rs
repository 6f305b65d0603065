//! Devices, run-time compilation and launches of generated CUDA programs.
//!
//! A [`CudaDevice`] is a GPU or the emulator; it creates engines. [`Program`] is the CUDA text of
//! an interaction, and [`Build`] reports how it was compiled. The module `sass`, with the feature
//! of that name, counts the instructions of compiled kernels.
//!
//! Modules depend only on earlier modules of this list: `layout`, `border`, `config`, `error`,
//! `compile`, `backend`, `schedule`, `tuning`, `particle`, `near`, `tree`, `engine`.

mod backend;
mod border;
mod compile;
mod config;
mod engine;
mod error;
mod layout;
mod near;
mod particle;
#[cfg(feature = "sass")]
pub mod sass;
mod schedule;
mod tree;
mod tuning;

pub use backend::Properties;
pub use compile::build::{Build, Image, Origin, Usage};
pub use compile::cache::{Cache, CacheContents};
pub use compile::nvrtc;
pub use compile::program::Program;
pub use config::{KernelConfig, Schedule, Walk};
pub use engine::{CudaDevice, programs};
pub use error::Error;
pub use particle::program::{Layout, ParticleBuffers};
pub use tuning::measured::Tuned;
