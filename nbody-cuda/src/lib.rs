//! Devices, run-time compilation and launches of generated CUDA programs.
//!
//! A [`Device`] is a GPU, the CPU or the emulator; [`AllPairs`] evaluates interactions on it.
//! [`Program`] is the CUDA text of an interaction, [`Build`] reports how it was compiled. The
//! module `sass`, with the feature of that name, counts the instructions of compiled kernels.
//!
//! Modules depend only on those before them: `layout`, `border`, `config`, `error`, `compile`, `backend`,
//! `schedule`, `tuning`, `particle`, `near`, `tree`, `device`, `engine`.

mod backend;
mod border;
mod compile;
mod config;
mod device;
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
pub use device::{Device, DeviceName};
pub use engine::buffer::{CudaParticles, CudaResults};
pub use engine::cuda::CudaAllPairs;
pub use engine::neighbours::Neighbours;
pub use engine::per_particle::{Inputs, PerParticle};
pub use engine::selection::Selection;
pub use engine::sequence::Sequence;
pub use engine::short_range::ShortRange;
pub use engine::tree::Tree;
pub use engine::{AllPairs, Particles, Results};
pub use error::Error;
pub use particle::program::{Layout, ParticleBuffers};
pub use tuning::measured::Tuned;
