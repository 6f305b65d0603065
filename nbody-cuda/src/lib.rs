//! Devices, run-time compilation and launches of generated CUDA programs.
//!
//! [`Device`] says where to compute, [`AllPairs`] evaluates there, [`Program`] is the CUDA text,
//! [`Build`] tells how it became ready to run. With the feature `sass`, a module of that name counts
//! what the machine code issues.

mod all_pairs;
mod buffer;
mod build;
mod cache;
mod choices;
mod cuda_all_pairs;
mod cuda_engine;
mod device;
mod driver;
mod emulator;
mod error;
mod excerpt;
mod kernels;
mod launch;
mod machine;
pub mod nvrtc;
mod plan;
mod program;
#[cfg(feature = "sass")]
pub mod sass;
mod temporary;
mod toolkit;
mod tuned;

pub use all_pairs::{AllPairs, Fields, Particles};
pub use buffer::{CudaFields, CudaParticles};
pub use build::{Build, Image, Origin, Usage};
pub use cache::{Cache, CacheContents};
pub use choices::{Choices, Scheme};
pub use cuda_all_pairs::CudaAllPairs;
pub use device::{Device, Properties};
pub use error::Error;
pub use program::Program;
pub use tuned::Tuned;
