//! Devices: GPUs, the CPU, and the emulator.

#[cfg(feature = "cuda")]
use std::any::Any;
use std::fmt;
use std::sync::Arc;

use nbody_core::untyped::Listed;
use nbody_core::{Cpu, pack, untyped};

use crate::cpu::SimdLevel;
use crate::law::{Law, Record, Scalar};
use crate::{Error, Options, Particles, Precision, Total, Values};

/// A GPU, the CPU, or the emulator of a GPU on the CPU. Clones are the same device.
///
/// ```
/// let device = nbody::Device::best();
/// println!("{device}");
/// if let Some(reason) = device.fallback_reason() {
///     println!("no GPU: {reason}");
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Device {
    device: Arc<dyn untyped::Device>,
    fallback: Option<Error>,
}

impl Device {
    /// Returns the device for an implementation.
    pub fn new(device: Arc<dyn untyped::Device>) -> Self {
        Self { device, fallback: None }
    }

    /// Returns the CPU: all cores, with the widest vector instructions that it has.
    pub fn cpu() -> Self {
        Self::new(Arc::new(Cpu::new(None)))
    }

    /// Returns the CPU with these vector instructions; an error if it lacks them.
    pub fn cpu_with(level: SimdLevel) -> Result<Self, Error> {
        level.check()?;
        Ok(Self::new(Arc::new(Cpu::new(Some(level)))))
    }

    /// Returns the first GPU if there is one and NVRTC is installed to compile for it, else the
    /// CPU; [`fallback_reason`](Self::fallback_reason) then says why.
    pub fn best() -> Self {
        Self::best_of(0)
    }

    /// Returns the device of a process among several on this host, numbered from 0: a GPU, taken in
    /// turn, if there is one and NVRTC is installed; else the CPU, as [`best`](Self::best) does.
    pub fn best_of(process: usize) -> Self {
        #[cfg(feature = "cuda")]
        let device = Self::cuda_count()
            .and_then(|count| Self::cuda(process % count.max(1)))
            .and_then(|device| {
                nbody_cuda::nvrtc::Nvrtc::find().map(|_| device).map_err(Error::from)
            })
            .unwrap_or_else(|reason| Self { fallback: Some(reason), ..Self::cpu() });
        #[cfg(not(feature = "cuda"))]
        let (device, _) = (Self::cpu(), process);
        device
    }

    /// Returns the reason why [`Device::best`] chose no GPU; `None` if it chose one, or if no
    /// reason is known.
    pub fn fallback_reason(&self) -> Option<&Error> {
        self.fallback.as_ref()
    }

    /// Returns the display name: `NVIDIA H200 (cuda:0)`, `cpu`, `cpu:avx2`, `emulator`.
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// Returns whether it is the CPU itself, not the emulator.
    pub fn is_cpu(&self) -> bool {
        self.simd_level().is_some()
    }

    /// Returns the vector instructions of the CPU; `None` on other devices.
    pub fn simd_level(&self) -> Option<SimdLevel> {
        self.device.simd_level()
    }

    /// Releases memory that is kept for reuse: freed device memory in the driver's pool, without
    /// limit, and up to 256 MiB of pinned host memory for copies. Waits until the GPU is idle.
    /// Engines, particles and results keep their memory until they are dropped. Only GPUs keep
    /// memory for reuse.
    pub fn trim(&self) -> Result<(), Error> {
        self.device.trim()
    }

    /// Copies particles to the device, their reals rounded to the precision. An engine of that
    /// precision on this device accepts them, as do programs per particle.
    pub fn upload<P>(
        &self,
        particles: &[P],
        precision: Precision,
    ) -> Result<Particles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        Particles::of(self.device.upload(&particles, precision)?)
    }

    /// Copies particles to the device that the caller has field by field, as a structure of arrays or in
    /// structs of the caller's own (see [`Values`]), in any order of the fields:
    ///
    /// ```
    /// # use nbody::{Device, Precision};
    /// # #[nbody::interaction]
    /// # mod law {
    /// #     pub struct Body { pub pos: Point, pub mass: Real }
    /// #     pub struct Drift;
    /// #     impl Update for Drift {
    /// #         type P = Body;
    /// #         fn update(&self, p: &mut Body) { p.mass += 1.0; }
    /// #     }
    /// # }
    /// # use law::Body;
    /// # fn main() -> Result<(), nbody::Error> {
    /// let (x, y, z) = (vec![0.0, 1.0], vec![0.5; 2], vec![-0.5; 2]);
    /// let mass = [1.0_f32, 3.0];
    /// let fields = [("pos", [&x, &y, &z].into()), ("mass", mass[..].into())];
    /// let bodies = Device::cpu().upload_fields::<Body>(&fields, Precision::Single)?;
    /// assert_eq!(bodies.download()?[1].pos.x, 1.0);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A field without values or with values twice, and values of another name, type or number are
    /// errors.
    pub fn upload_fields<P: Record<Lane = f64>>(
        &self,
        fields: &[(&str, Values<'_>)],
        precision: Precision,
    ) -> Result<Particles<P>, Error> {
        Particles::of(self.device.upload(&pack::rows_of_fields(P::FIELDS, fields)?, precision)?)
    }

    /// Copies a total to the device, for programs per particle that read it as their `type G`. NaN
    /// is an error, as it is for a parameter. [`PerParticle::total`](crate::PerParticle::total)
    /// allocates a total for a measure to write.
    pub fn upload_total<T>(&self, total: &T) -> Result<Total<T>, Error>
    where
        T: Record<Lane = f64, Host = T, With<f64> = T>,
    {
        let mut uploaded = Total::of(self.device.total(T::FIELDS)?)?;
        uploaded.write(total)?;
        Ok(uploaded)
    }

    /// Returns the device without the types of laws.
    pub fn untyped(&self) -> &dyn untyped::Device {
        &*self.device
    }

    /// Creates an engine of a law, without its types, with neighbour lists of its own.
    pub fn listed(
        &self,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Listed, Error> {
        Listed::new(self.shared(), law, parameters, options)
    }

    /// Returns the device without the types of laws, for a device that is made of it.
    pub fn shared(&self) -> Arc<dyn untyped::Device> {
        self.device.clone()
    }

    #[cfg(feature = "cuda")]
    fn downcast_ref<D: untyped::Device>(&self) -> Option<&D> {
        (&*self.device as &dyn Any).downcast_ref()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name())
    }
}

#[cfg(feature = "cuda")]
pub use cuda::DeviceName;

#[cfg(feature = "cuda")]
mod cuda {
    use std::path::PathBuf;
    use std::str::FromStr;
    use std::sync::Arc;

    use nbody_cuda::{CudaDevice, Error as CudaError, Properties};

    use super::Device;
    use crate::Error;
    use crate::cpu::SimdLevel;

    impl Device {
        /// Opens a GPU by its ordinal, from 0, as the CUDA driver numbers them.
        ///
        /// It uses the primary context of the process, as does CUDA's run-time library. An illegal
        /// access by any kernel in that context, from any library, ends the context: see
        /// [`CudaError::DeviceFailed`].
        pub fn cuda(ordinal: usize) -> Result<Self, Error> {
            Ok(Self::new(Arc::new(CudaDevice::gpu(ordinal)?)))
        }

        /// Returns the number of GPUs that the CUDA driver sees.
        pub fn cuda_count() -> Result<usize, Error> {
            Ok(CudaDevice::count()?)
        }

        /// Opens the emulator, which compiles CUDA programs as C++ and runs them on the CPU. It is
        /// slow and serves to check programs; it needs a C++ compiler.
        pub fn emulator() -> Result<Self, Error> {
            Ok(Self::new(Arc::new(CudaDevice::emulator()?)))
        }

        /// Returns every available device: the GPUs, the CPU, the emulator.
        pub fn all() -> Vec<Self> {
            let gpus = 0..Self::cuda_count().unwrap_or(0);
            let gpus = gpus.filter_map(|ordinal| Self::cuda(ordinal).ok());
            gpus.chain([Self::cpu()]).chain(Self::emulator().ok()).collect()
        }

        /// Sets the folder of the cache of compiled programs, instead of the
        /// [`Cache`](crate::cuda::Cache) of the user.
        #[must_use]
        pub fn with_cache_dir(self, folder: impl Into<PathBuf>) -> Self {
            match self.downcast_ref::<CudaDevice>() {
                Some(device) => Self::new(Arc::new(device.with_cache_dir(folder))),
                None => self,
            }
        }

        /// Returns the properties of a GPU; `None` on other devices.
        pub fn properties(&self) -> Option<Properties> {
            self.downcast_ref::<CudaDevice>()?.properties()
        }
    }

    /// The name of a device, as on a command line, before it is opened: `cpu`, `cpu:avx2` or
    /// another level, `emulator`, `cuda:0` and so on, `cuda` for the first GPU, or `best` for
    /// [`Device::best`].
    ///
    /// ```
    /// let device = "cpu".parse::<nbody::DeviceName>()?.open()?;
    /// assert!(device.is_cpu());
    /// # Ok::<(), nbody::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum DeviceName {
        /// The CPU, with these vector instructions or with the widest that it has.
        Cpu(Option<SimdLevel>),
        /// The emulator.
        Emulator,
        /// The GPU with this ordinal.
        Cuda(usize),
        /// The first GPU if there is one, else the CPU.
        Best,
    }

    impl DeviceName {
        /// Opens the device.
        pub fn open(self) -> Result<Device, Error> {
            match self {
                Self::Cpu(None) => Ok(Device::cpu()),
                Self::Cpu(Some(level)) => Device::cpu_with(level),
                Self::Emulator => Device::emulator(),
                Self::Cuda(ordinal) => Device::cuda(ordinal),
                Self::Best => Ok(Device::best()),
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
                None if name == "best" => Some(Self::Best),
                Some(("cpu", level)) => level.parse().ok().map(|level| Self::Cpu(Some(level))),
                Some(("cuda", ordinal)) => ordinal.parse().ok().map(Self::Cuda),
                _ => None,
            };
            Ok(known.ok_or_else(|| CudaError::UnknownDevice {
                found: name.to_owned(),
                levels: SimdLevel::available().map(SimdLevel::name).collect(),
            })?)
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
            assert_eq!(named("best").unwrap(), DeviceName::Best);
            for name in ["", "gpu", "cpu:", "cpu:mmx", "cuda:", "cuda:-1", "cuda:x", "emulator:0"] {
                let message = named(name).unwrap_err().to_string();
                let expected = format!("unknown device `{name}`: expected cpu, cpu:LEVEL (scalar");
                assert!(message.starts_with(&expected), "{message}");
                assert!(message.ends_with("), emulator, cuda:N or best"), "{message}");
            }
            for name in ["cpu", "cpu:scalar"] {
                assert_eq!(named(name).unwrap().open().unwrap().name(), name);
            }
        }
    }
}
