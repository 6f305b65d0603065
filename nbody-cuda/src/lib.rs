//! Devices, run-time compilation and launches of generated CUDA programs.
//!
//! [`Device`] says where to compute, [`AllPairs`] evaluates there, [`Program`] is the CUDA text,
//! [`Build`] tells how it became ready to run. With the feature `sass`, a module of that name counts
//! what the machine code issues.

mod backend;
mod compile;
mod device;
mod engine;
mod error;
mod layout;
#[cfg(feature = "sass")]
pub mod sass;
mod schedule;
mod tuning;

pub use backend::Properties;
pub use compile::build::{Build, Image, Origin, Usage};
pub use compile::cache::{Cache, CacheContents};
pub use compile::config::{KernelConfig, Schedule};
pub use compile::nvrtc;
pub use compile::program::Program;
pub use device::Device;
pub use engine::buffer::{CudaParticles, CudaResults};
pub use engine::cuda::CudaAllPairs;
pub use engine::{AllPairs, Particles, Results};
pub use error::Error;
pub use tuning::measured::Tuned;
