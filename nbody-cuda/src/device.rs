//! Where to compute.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use nbody_core::SimdLevel;

use crate::backend::emulator::Emulator;
use crate::backend::gpu::{self, Gpu};
use crate::backend::{Backend, Properties};
use crate::compile::cache::Cache;

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
    fallback: Option<Arc<Error>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// With these vector instructions, or with the best.
    Cpu(Option<SimdLevel>),
    /// What runs CUDA programs.
    Cuda(Arc<dyn Backend>),
}

impl Device {
    /// The first GPU if one answers and NVRTC is there to compile for it, else the CPU, which
    /// then knows [why](Self::fallback_reason).
    pub fn best() -> Self {
        let gpu = Self::cuda(0).and_then(|device| nvrtc::Nvrtc::find().map(|_| device));
        gpu.unwrap_or_else(|error| Self { fallback: Some(Arc::new(error)), ..Self::cpu() })
    }

    /// The CPU, all of its cores, with the best vector instructions that it has.
    pub fn cpu() -> Self {
        Self { kind: Kind::Cpu(None), cache: Cache::of_the_user(), fallback: None }
    }

    /// The CPU with other vector instructions than the best.
    pub fn cpu_with(level: SimdLevel) -> Result<Self, Error> {
        level.check()?;
        Ok(Self { kind: Kind::Cpu(Some(level)), ..Self::cpu() })
    }

    /// A GPU by its number, from 0, as the CUDA driver counts.
    ///
    /// Everything on it is in the primary context of the process, as with CUDA's run-time library and
    /// all that uses it. A kernel that does what it must not, by whichever library, is the end of that
    /// context: see [`Error::DeviceFailed`].
    pub fn cuda(ordinal: usize) -> Result<Self, Error> {
        Ok(Self::of(Arc::new(Gpu::open(ordinal)?)))
    }

    /// How many GPUs the CUDA driver sees.
    pub fn cuda_count() -> Result<usize, Error> {
        gpu::count()
    }

    /// The emulator: the CUDA program, compiled as C++ and run on the CPU. It checks programs,
    /// slowly; it needs a C++ compiler.
    pub fn emulator() -> Result<Self, Error> {
        Ok(Self::of(Arc::new(Emulator::open()?)))
    }

    /// Every device that answers: the GPUs, the CPU, the emulator.
    pub fn all() -> Vec<Self> {
        let gpus = 0..Self::cuda_count().unwrap_or(0);
        let gpus = gpus.filter_map(|ordinal| Self::cuda(ordinal).ok());
        gpus.chain([Self::cpu()]).chain(Self::emulator().ok()).collect()
    }

    fn of(backend: Arc<dyn Backend>) -> Self {
        Self { kind: Kind::Cuda(backend), cache: Cache::of_the_user(), fallback: None }
    }

    /// The same device, with compiled programs kept in this folder. Without, they are kept in the
    /// [`Cache`] of the user.
    #[must_use]
    pub fn with_cache_dir(self, folder: impl Into<PathBuf>) -> Self {
        Self { cache: Cache::at(folder), ..self }
    }

    /// Gives memory back that this process keeps on a GPU so as to be faster the next time: what was
    /// freed and stays in the driver's pool, without limit, and the pinned memory of the host that
    /// copies go through, up to 256 MiB. It waits for what the GPU does. What engines, particles and
    /// results hold is theirs until they are dropped. On other devices nothing is kept.
    pub fn trim(&self) -> Result<(), Error> {
        match &self.kind {
            Kind::Cpu(_) => Ok(()),
            Kind::Cuda(backend) => backend.trim(),
        }
    }

    /// What people know it by: `NVIDIA H200 (cuda:0)`, `cpu`, `cpu:avx2`, `emulator`.
    pub fn name(&self) -> String {
        match &self.kind {
            Kind::Cpu(None) => "cpu".to_owned(),
            Kind::Cpu(Some(level)) => format!("cpu:{level}"),
            Kind::Cuda(backend) => backend.describe(),
        }
    }

    /// Whether it is the CPU itself, without an emulator.
    pub fn is_cpu(&self) -> bool {
        matches!(self.kind, Kind::Cpu(_))
    }

    /// The vector instructions that it computes with; `None` if it is not the CPU itself.
    pub fn simd_level(&self) -> Option<SimdLevel> {
        match self.kind {
            Kind::Cpu(level) => Some(level.unwrap_or_else(SimdLevel::best)),
            Kind::Cuda(_) => None,
        }
    }

    /// What the driver says of it; `None` if it is no GPU.
    pub fn properties(&self) -> Option<Properties> {
        match &self.kind {
            Kind::Cpu(_) => None,
            Kind::Cuda(backend) => backend.properties(),
        }
    }

    /// Why [`Device::best`] is not a GPU.
    pub fn fallback_reason(&self) -> Option<&Error> {
        self.fallback.as_deref()
    }

    pub(crate) fn kind(&self) -> &Kind {
        &self.kind
    }

    pub(crate) fn cache(&self) -> &Cache {
        &self.cache
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}
