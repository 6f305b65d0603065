//! Devices, run-time compilation and launches of generated CUDA programs.
//!
//! [`Device`] says where to compute, [`AllPairs`] evaluates there, [`Program`] is the CUDA text,
//! [`Build`] tells how it became ready to run, and [`sass`] counts what the machine code issues.

mod all_pairs;
mod build;
mod cache;
mod cuda_all_pairs;
mod device;
mod driver;
mod emulator;
mod error;
mod launch;
mod machine;
pub mod nvrtc;
mod program;
pub mod sass;
mod toolkit;

pub use all_pairs::{AllPairs, Fields, Particles};
pub use build::{Build, Origin, Usage};
pub use cuda_all_pairs::{CudaAllPairs, CudaFields, CudaParticles};
pub use device::Device;
pub use error::Error;
pub use program::{Choices, Program};
