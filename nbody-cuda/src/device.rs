//! Devices: GPUs, the CPU, and the emulator.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use nbody_core::SimdLevel;

use crate::backend::emulator::Emulator;
use crate::backend::gpu::{self, Gpu};
use crate::backend::{Backend, Properties};
use crate::compile::cache::Cache;
use crate::particle::field::FieldCopy;

use crate::{Error, nvrtc};

/// A GPU, the CPU, or the emulator of a GPU on the CPU.
///
/// ```
/// let device = nbody_cuda::Device::best();
/// println!("{device}");
/// if let Some(reason) = device.fallback_reason() {
///     println!("no GPU: {reason}");
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Device {
    kind: Kind,
    cache: Cache,
    field_copy: Arc<FieldCopy>,
    fallback: Option<Arc<Error>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// The CPU with these vector instructions, or with the widest that it has.
    Cpu(Option<SimdLevel>),
    /// A backend that runs CUDA programs.
    Cuda(Arc<dyn Backend>),
}

impl Device {
    /// Returns the first GPU if there is one and NVRTC is installed to compile for it, else the
    /// CPU; [`fallback_reason`](Self::fallback_reason) then says why.
    pub fn best() -> Self {
        let gpu = Self::cuda(0).and_then(|device| nvrtc::Nvrtc::find().map(|_| device));
        gpu.unwrap_or_else(|error| Self { fallback: Some(Arc::new(error)), ..Self::cpu() })
    }

    /// Returns the CPU: all cores, with the widest vector instructions that it has.
    pub fn cpu() -> Self {
        Self::with_kind(Kind::Cpu(None))
    }

    /// Returns the CPU with these vector instructions; an error if it lacks them.
    pub fn cpu_with(level: SimdLevel) -> Result<Self, Error> {
        level.check()?;
        Ok(Self { kind: Kind::Cpu(Some(level)), ..Self::cpu() })
    }

    /// Opens a GPU by its ordinal, from 0, as the CUDA driver numbers them.
    ///
    /// It uses the primary context of the process, as does CUDA's run-time library. An illegal
    /// access by any kernel in that context, of whichever library, ends the context: see
    /// [`Error::DeviceFailed`].
    pub fn cuda(ordinal: usize) -> Result<Self, Error> {
        Ok(Self::of(Arc::new(Gpu::open(ordinal)?)))
    }

    /// Returns the number of GPUs that the CUDA driver sees.
    pub fn cuda_count() -> Result<usize, Error> {
        gpu::count()
    }

    /// Opens the emulator, which compiles CUDA programs as C++ and runs them on the CPU. It is slow
    /// and serves to check programs; it needs a C++ compiler.
    pub fn emulator() -> Result<Self, Error> {
        Ok(Self::of(Arc::new(Emulator::open()?)))
    }

    /// Returns every available device: the GPUs, the CPU, the emulator.
    pub fn all() -> Vec<Self> {
        let gpus = 0..Self::cuda_count().unwrap_or(0);
        let gpus = gpus.filter_map(|ordinal| Self::cuda(ordinal).ok());
        gpus.chain([Self::cpu()]).chain(Self::emulator().ok()).collect()
    }

    fn of(backend: Arc<dyn Backend>) -> Self {
        Self::with_kind(Kind::Cuda(backend))
    }

    fn with_kind(kind: Kind) -> Self {
        let cache = Cache::of_the_user();
        let field_copy = Arc::new(FieldCopy::new(&cache));
        Self { kind, cache, field_copy, fallback: None }
    }

    /// Sets the folder that compiled programs are cached in, instead of the [`Cache`] of the user.
    #[must_use]
    pub fn with_cache_dir(self, folder: impl Into<PathBuf>) -> Self {
        let cache = Cache::at(folder);
        Self { field_copy: Arc::new(FieldCopy::new(&cache)), cache, ..self }
    }

    /// Releases memory that is kept for reuse: freed device memory in the driver's pool, without
    /// limit, and up to 256 MiB of pinned host memory for copies. It waits until the GPU is idle.
    /// Engines, particles and results keep their memory until they are dropped. Only GPUs keep
    /// memory for reuse.
    pub fn trim(&self) -> Result<(), Error> {
        match &self.kind {
            Kind::Cpu(_) => Ok(()),
            Kind::Cuda(backend) => backend.trim(),
        }
    }

    /// Returns the display name: `NVIDIA H200 (cuda:0)`, `cpu`, `cpu:avx2`, `emulator`.
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::Cpu(None) => "cpu".to_owned(),
            Kind::Cpu(Some(level)) => format!("cpu:{level}"),
            Kind::Cuda(backend) => backend.describe(),
        }
    }

    /// Returns whether it is the CPU itself, without the emulator.
    pub fn is_cpu(&self) -> bool {
        matches!(self.kind, Kind::Cpu(_))
    }

    /// Returns the vector instructions of the CPU; `None` on other devices.
    pub fn simd_level(&self) -> Option<SimdLevel> {
        match self.kind {
            Kind::Cpu(level) => Some(level.unwrap_or_else(SimdLevel::best)),
            Kind::Cuda(_) => None,
        }
    }

    /// Returns the properties of a GPU; `None` on other devices.
    pub fn properties(&self) -> Option<Properties> {
        match &self.kind {
            Kind::Cpu(_) => None,
            Kind::Cuda(backend) => backend.properties(),
        }
    }

    /// Returns the reason why [`Device::best`] chose no GPU; `None` if it chose one.
    pub fn fallback_reason(&self) -> Option<&Error> {
        self.fallback.as_deref()
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(crate) fn field_copy(&self) -> &Arc<FieldCopy> {
        &self.field_copy
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

/// The name of a device, as on a command line, before it is opened: `cpu`, `cpu:avx2` or another level,
/// `emulator`, or `cuda:0` and so on, `cuda` for the first.
///
/// ```
/// let device = "cpu".parse::<nbody_cuda::DeviceName>()?.open()?;
/// assert!(device.is_cpu());
/// # Ok::<(), nbody_cuda::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeviceName {
    /// The CPU, with these vector instructions or with the widest that it has.
    Cpu(Option<SimdLevel>),
    /// The emulator.
    Emulator,
    /// The GPU of this ordinal.
    Cuda(usize),
}

impl DeviceName {
    /// Opens the device.
    pub fn open(self) -> Result<Device, Error> {
        match self {
            Self::Cpu(None) => Ok(Device::cpu()),
            Self::Cpu(Some(level)) => Device::cpu_with(level),
            Self::Emulator => Device::emulator(),
            Self::Cuda(ordinal) => Device::cuda(ordinal),
        }
    }
}

impl FromStr for DeviceName {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let known = match name.split_once(':') {
            None if name == "cpu" => Some(Self::Cpu(None)),
            None if name == "emulator" => Some(Self::Emulator),
            None if name == "cuda" => Some(Self::Cuda(0)),
            Some(("cpu", level)) => level.parse().ok().map(|level| Self::Cpu(Some(level))),
            Some(("cuda", ordinal)) => ordinal.parse().ok().map(Self::Cuda),
            _ => None,
        };
        known.ok_or_else(|| Error::UnknownDevice {
            found: name.to_owned(),
            levels: SimdLevel::available().map(SimdLevel::name).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_have_names() {
        let named = |name: &str| name.parse::<DeviceName>();
        assert_eq!(named("cpu").unwrap(), DeviceName::Cpu(None));
        assert_eq!(named("cpu:scalar").unwrap(), DeviceName::Cpu(Some(SimdLevel::Scalar)));
        assert_eq!(named("emulator").unwrap(), DeviceName::Emulator);
        assert_eq!(named("cuda").unwrap(), DeviceName::Cuda(0));
        assert_eq!(named("cuda:7").unwrap(), DeviceName::Cuda(7));
        for name in ["", "gpu", "cpu:", "cpu:mmx", "cuda:", "cuda:-1", "cuda:x", "emulator:0"] {
            let message = named(name).unwrap_err().to_string();
            let expected = format!("unknown device `{name}`: expected cpu, cpu:LEVEL (scalar");
            assert!(message.starts_with(&expected), "{message}");
            assert!(message.ends_with("), emulator or cuda:N"), "{message}");
        }
        for name in ["cpu", "cpu:scalar"] {
            assert_eq!(named(name).unwrap().open().unwrap().name(), name);
        }
    }
}
