//! Devices.

use std::path::PathBuf;
use std::sync::Arc;

use nbody::DeviceName;
use nbody::cuda::nvrtc::Nvrtc;
use nbody_mpi::{Communicator as _, Mpi, Ranks};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrays::Place;
use crate::failure::OrRaise;

/// Adds a folder in which NVRTC, the compiler for GPUs, is looked for.
#[pyfunction]
pub fn search_nvrtc_in(folder: PathBuf) {
    Nvrtc::search_in(folder);
}

/// A device: a GPU, the CPU, or the emulator of a GPU on the CPU.
#[pyclass(frozen, module = "nbody")]
pub struct Device {
    pub device: nbody::Device,
    /// The ordinal of a GPU.
    ordinal: Option<i32>,
}

impl Device {
    fn new(device: nbody::Device) -> Self {
        let name = device.name();
        let ordinal = name.rsplit_once("(cuda:").and_then(|(_, rest)| rest.strip_suffix(')'));
        let ordinal = ordinal.and_then(|ordinal| ordinal.parse().ok());
        Self { device, ordinal }
    }

    /// Returns the GPU of arrays, for memory of results beside them.
    pub fn memory_of(&self, place: Place) -> Option<(&nbody::Device, i32)> {
        match place {
            Place::Host => None,
            Place::Cuda(id) => Some((&self.device, id)),
        }
    }

    /// Refuses arrays in memory that the device does not read.
    pub fn check(&self, place: Place) -> PyResult<()> {
        match place {
            Place::Host => Ok(()),
            Place::Cuda(id) if self.ordinal == Some(id) => Ok(()),
            Place::Cuda(id) => Err(PyValueError::new_err(format!(
                "the arrays are on cuda:{id}, and the engine is on {}; give device=\"cuda:{id}\", or arrays of \
                 the CPU",
                self.device.name()
            ))),
        }
    }
}

#[pymethods]
impl Device {
    /// Opens a device by its name.
    #[new]
    #[pyo3(signature = (name = "best"))]
    fn open(py: Python<'_>, name: &str) -> PyResult<Self> {
        let name: DeviceName = name.parse().or_raise()?;
        Ok(Self::new(py.detach(|| name.open()).or_raise()?))
    }

    /// Connects the devices of the ranks of an MPI communicator, a Fortran integer.
    #[staticmethod]
    fn over_mpi(
        py: Python<'_>,
        name: &str,
        communicator: i32,
        distribute_trees: bool,
    ) -> PyResult<Self> {
        let name: DeviceName = name.parse().or_raise()?;
        let device = py.detach(|| -> Result<_, nbody::Error> {
            let ranks = Arc::new(Mpi::of_fortran(communicator).map_err(nbody::Error::from)?);
            let mine = match name {
                DeviceName::Best => Ok(nbody::Device::best_of(ranks.on_host().rank)),
                name => name.open(),
            };
            // The other ranks wait for this one, also if it has no device.
            let ranks = Ranks::of_opened(ranks.clone(), mine)?;
            let ranks = if distribute_trees { ranks.distribute_trees() } else { ranks };
            Ok(ranks.device())
        });
        Ok(Self::new(device.or_raise()?))
    }

    /// The display name.
    #[getter]
    fn name(&self) -> String {
        self.device.name()
    }

    /// Whether it is the CPU itself.
    #[getter]
    fn is_cpu(&self) -> bool {
        self.device.is_cpu()
    }

    /// The reason why "best" chose no GPU; `None` if it chose one.
    #[getter]
    fn fallback_reason(&self) -> Option<String> {
        self.device.fallback_reason().map(ToString::to_string)
    }

    /// Releases memory that is kept for reuse.
    fn trim(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.device.trim()).or_raise()
    }

    fn __repr__(&self) -> String {
        format!("nbody.Device({:?})", self.device.name())
    }
}
