//! Errors of devices, NVRTC and evaluations.

use std::fmt;
use std::path::{Path, PathBuf};

/// The failure of an evaluation or of its preparation. Nothing was computed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The particles or the options do not fit together.
    #[error(transparent)]
    Core(#[from] nbody_core::Error),

    /// A program does not compile, or the kernel cache cannot be used.
    #[error(transparent)]
    Compile(#[from] nbody_compile::Error),

    /// There is no CUDA driver.
    #[error(
        "no CUDA driver: looked for libcuda.so.1 in the system's library path and found none; \
         install NVIDIA's driver, or choose the device `cpu`, or `best`: a GPU if there is one"
    )]
    NoDriver,

    /// There is a CUDA driver that does not load.
    #[error(
        "the CUDA driver does not load: {message}; install NVIDIA's driver again, or choose the \
         device `cpu`, or `best`: a GPU if there is one"
    )]
    DriverBroken {
        /// The message of the dynamic loader.
        message: String,
    },

    /// The driver lacks functions that this package calls.
    #[error(
        "the CUDA driver supports CUDA {found}, expected at least {expected}; update the driver"
    )]
    DriverTooOld {
        /// The newest CUDA version that the driver supports.
        found: String,
        /// The oldest sufficient version.
        expected: String,
    },

    /// The name is not the name of a device.
    #[error("unknown device `{found}`: expected cpu, cpu:LEVEL ({}), emulator, cuda:N or best", levels.join(", "))]
    UnknownDevice {
        /// The given name.
        found: String,
        /// The vector instructions of this CPU.
        levels: Vec<&'static str>,
    },

    /// There is no device with this ordinal.
    #[error("no CUDA device {ordinal}: the driver sees {count}, numbered from 0")]
    NoDevice {
        /// The requested device.
        ordinal: usize,
        /// The number of devices.
        count: usize,
    },

    /// A call of the driver failed.
    #[error("{call} failed: {message}")]
    Driver {
        /// The function.
        call: &'static str,
        /// The message of the driver.
        message: String,
    },

    /// NCCL, which connects the GPUs of ranks, refused a call.
    #[error("NCCL: {call}: {message}; set NBODY_NCCL=none to pass results without it")]
    Nccl {
        /// The function.
        call: &'static str,
        /// The message of NCCL, or of the dynamic loader.
        message: String,
    },

    /// The GPU has failed, through an illegal access of a kernel or a hardware fault. Its context,
    /// which all libraries of a process share, is unusable from then on. Once everything on the
    /// GPU has been dropped, [`CudaDevice::gpu`](crate::CudaDevice::gpu) asks the driver for a new
    /// context, which succeeds if no other library holds the old one.
    #[error(
        "{device} has failed, and what was on it is lost: {call}: {message}; drop its engines, \
         particles, results and Devices and open it again; where that fails too, another library of \
         this process has it open, or the driver asks for a new process"
    )]
    DeviceFailed {
        /// The display name of the GPU.
        device: String,
        /// The function that failed first.
        call: &'static str,
        /// The message of the driver.
        message: String,
    },

    /// The process is a fork of a process that had initialised the driver.
    #[error(
        "the CUDA driver was initialised in process {first} and does not work in process {process}, \
         forked from it; open devices after the fork only, or start programs instead \
         (std::process::Command)"
    )]
    Forked {
        /// The process that initialised the driver.
        first: u32,
        /// This process.
        process: u32,
    },

    /// The device has too little memory left.
    #[error(
        "out of memory on {device}: {bytes} bytes were requested; evaluate fewer particles at a time"
    )]
    OutOfMemory {
        /// The requested bytes.
        bytes: usize,
        /// The display name of the device.
        device: String,
    },

    /// The kernel needs more of a resource than a thread block can have.
    #[error(
        "the kernel does not fit: a block needs {needed} {what} and can have {available}; {hint}"
    )]
    KernelDoesNotFit {
        /// The resource.
        what: &'static str,
        /// The amount that a block needs.
        needed: usize,
        /// The amount that a block can have.
        available: usize,
        /// The remedy.
        hint: &'static str,
    },

    /// No kernel can be compiled for the configuration.
    #[error(
        "no kernel has the configuration {0:?}: expected a block of whole warps up to 1024 threads, up to \
         64 i-particles per thread, a bag that fits in shared memory and is that of the summation \
         order if there is one, the symmetric schedule only for an interaction with a third law, and \
         that and few only without a summation order; start from KernelConfig::of"
    )]
    ImpossibleKernelConfig(crate::config::KernelConfig),

    /// NVRTC was not found.
    #[error(
        "no NVRTC (libnvrtc.so): looked in {}; install the CUDA toolkit, or \
         `pip install nvidia-cuda-nvrtc`, and set NBODY_NVRTC to the library or its folder",
        looked_in(.0)
    )]
    NvrtcNotFound(Vec<PathBuf>),

    /// The library does not work as NVRTC.
    #[error("{} does not work as NVRTC: {message}", path.display())]
    NvrtcBroken {
        /// The library.
        path: PathBuf,
        /// The message of the dynamic loader or of the library.
        message: String,
    },

    /// The disassembler was not found.
    #[error(
        "no nvdisasm: looked in {}; install the CUDA toolkit, or \
         `pip install nvidia-cuda-nvdisasm`, and set NBODY_NVDISASM to the program or its folder",
        looked_in(.0)
    )]
    NvdisasmNotFound(Vec<PathBuf>),

    /// The disassembler failed.
    #[error("{} cannot disassemble: {message}", path.display())]
    Disassembly {
        /// The program.
        path: PathBuf,
        /// The message of the program.
        message: String,
    },

    /// This NVRTC cannot compile for the architecture of the device.
    #[error(
        "NVRTC {version} cannot compile for sm_{found}; it supports {}; use another version of NVRTC",
        architectures(known)
    )]
    UnknownArchitecture {
        /// The device's architecture: 90 for compute capability 9.0.
        found: u32,
        /// The architectures that this NVRTC supports.
        known: Vec<u32>,
        /// The version of NVRTC.
        version: String,
    },

    /// The emulated program did something that a GPU does not allow.
    #[error("the emulated program {0}; this is a defect in its schedule, please report it")]
    Emulation(&'static str),

    /// Walks by particle are requested on a device without them.
    #[error("no walks by particle on {device}; walk by groups, or make the tree on a GPU")]
    NoWalk {
        /// The device.
        device: String,
    },

    /// A launch cannot number all particles.
    #[error("{found} {what}: one evaluation takes at most {limit}; evaluate in parts")]
    TooManyParticles {
        /// The kind of particles.
        what: &'static str,
        /// The number of particles.
        found: usize,
        /// The largest possible number.
        limit: usize,
    },
}

/// Prints the message, so that `fn main() -> Result<(), nbody::Error>` ends with it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        nbody_core::explain(self, f)
    }
}

/// The failure of a device, reported by an engine: `nbody_core::Error::device` returns this error
/// again.
impl From<Error> for nbody_core::Error {
    fn from(error: Error) -> Self {
        match error {
            Error::Core(error) => error,
            error => Self::of_device(error),
        }
    }
}

impl Error {
    /// Adds the file of a program that does not compile.
    pub(crate) fn with_file(self, path: Option<&Path>) -> Self {
        match self {
            Self::Compile(error) => error.with_file(path).into(),
            error => error,
        }
    }
}

/// Returns the message of a loader error and of its source, which the error itself does not print.
pub(crate) fn reason(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error);
    let reason = source.map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{reason}")
}

fn looked_in(folders: &[PathBuf]) -> String {
    let list: Vec<_> = folders.iter().map(|folder| folder.display().to_string()).collect();
    list.join(", ")
}

fn architectures(known: &[u32]) -> String {
    let list: Vec<_> = known.iter().map(|arch| format!("sm_{arch}")).collect();
    list.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_is_the_message() {
        let source = std::io::Error::other("the disk is full");
        let errors = [
            (Error::NoDriver, "no CUDA driver: looked for libcuda.so.1"),
            (Error::NoDevice { ordinal: 7, count: 1 }, "no CUDA device 7: the driver sees 1"),
            (
                nbody_core::Error::EmptySummationOrder { bag: 0, splits: 1 }.into(),
                "summation order of bags of 0 in 1 splits",
            ),
            (
                nbody_compile::Error::io("read it")(source).into(),
                "cannot read it: the disk is full",
            ),
            (
                Error::NvrtcNotFound(vec!["/a".into(), "/b".into()]),
                "no NVRTC (libnvrtc.so): looked in /a, /b;",
            ),
        ];
        for (error, expected) in errors {
            let told = format!("{error:?}");
            assert!(told.starts_with(expected), "{told}");
            // The message includes the cause once.
            assert_eq!(told, error.to_string());
        }
    }
}
