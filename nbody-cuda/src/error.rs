//! What can go wrong on the way to a result.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::compile::excerpt::Excerpt;

/// An evaluation, or its preparation, that failed. Nothing was computed.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The particles or the options do not fit together.
    #[error(transparent)]
    Core(#[from] nbody_core::Error),

    /// There is no CUDA driver.
    #[error(
        "no CUDA driver: looked for libcuda.so.1 in the system's library path and found none; \
         install NVIDIA's driver, or use Device::best(), which falls back to the CPU"
    )]
    NoDriver,

    /// There is a CUDA driver that does not load.
    #[error(
        "the CUDA driver does not load: {message}; install NVIDIA's driver again, or use \
         Device::best(), which falls back to the CPU"
    )]
    DriverBroken {
        /// What the dynamic loader said.
        message: String,
    },

    /// The driver does not know all that is called.
    #[error("the CUDA driver knows CUDA {found}, expected at least {expected}; update the driver")]
    DriverTooOld {
        /// The newest CUDA version that the driver knows.
        found: String,
        /// The version that is needed.
        expected: String,
    },

    /// There is no device of this number.
    #[error("no CUDA device {ordinal}: the driver sees {count}, numbered from 0")]
    NoDevice {
        /// The device that was asked for.
        ordinal: usize,
        /// The devices there are.
        count: usize,
    },

    /// A call of the driver failed.
    #[error("{call} failed: {message}")]
    Driver {
        /// What was called.
        call: &'static str,
        /// What the driver said.
        message: String,
    },

    /// The GPU has failed, by a kernel that did what it must not or by a defect. Its context, which
    /// all libraries of a process share, does nothing more. When everything of it is dropped it is
    /// left, and [`Device::cuda`](crate::Device::cuda) asks the driver for a new one, which there is
    /// if no other library has the old one open.
    #[error(
        "{device} has failed, and what was on it is lost: {call}: {message}; drop its engines, \
         particles, results and Devices and open it again; where that fails too, another library of \
         this process has it open, or the driver asks for a new process"
    )]
    DeviceFailed {
        /// Which GPU.
        device: String,
        /// The call that first failed.
        call: &'static str,
        /// What the driver said.
        message: String,
    },

    /// The process was forked from one that had started the driver.
    #[error(
        "the CUDA driver was started by process {first}, and this is process {process}, forked from \
         it, which the driver does not serve; open devices behind the fork only, or start programs \
         instead (std::process::Command)"
    )]
    Forked {
        /// The process that started the driver.
        first: u32,
        /// This process.
        process: u32,
    },

    /// The device has too little memory left.
    #[error(
        "out of memory on {device}: {bytes} bytes were asked for; evaluate fewer particles at a time"
    )]
    OutOfMemory {
        /// How much was asked for.
        bytes: usize,
        /// Of which device.
        device: String,
    },

    /// The kernel needs more of a resource than a block can have.
    #[error(
        "the kernel does not fit: a block needs {needed} {what} and can have {available}; {hint}"
    )]
    KernelDoesNotFit {
        /// The resource.
        what: &'static str,
        /// How much is needed.
        needed: usize,
        /// How much there is.
        available: usize,
        /// What to change.
        hint: &'static str,
    },

    /// A configuration that no kernel can be compiled for.
    #[error(
        "no kernel has the configuration {0:?}: expected a block of whole warps up to 1024 threads, up to \
         64 i-particles for a thread, a bag that fits in shared memory and is that of the summation \
         order if there is one, the symmetric schedule only for an interaction with a third law, and \
         that and few only without a summation order; start from KernelConfig::of"
    )]
    ImpossibleKernelConfig(crate::KernelConfig),

    /// NVRTC was not found.
    #[error(
        "no NVRTC (libnvrtc.so): looked in {}; install the CUDA toolkit, or \
         `pip install nvidia-cuda-nvrtc`, and set NBODY_NVRTC to the library or its folder",
        looked_in(.0)
    )]
    NvrtcNotFound(Vec<PathBuf>),

    /// A library was found that does not work as NVRTC.
    #[error("{} does not work as NVRTC: {message}", path.display())]
    NvrtcBroken {
        /// The library.
        path: PathBuf,
        /// What went wrong.
        message: String,
    },

    /// The disassembler was not found.
    #[error(
        "no nvdisasm: looked in {}; install the CUDA toolkit, or \
         `pip install nvidia-cuda-nvdisasm`, and set NBODY_NVDISASM to the program or its folder",
        looked_in(.0)
    )]
    NvdisasmNotFound(Vec<PathBuf>),

    /// The disassembler did not do its work.
    #[error("{} cannot disassemble: {message}", path.display())]
    Disassembly {
        /// The program.
        path: PathBuf,
        /// What it said.
        message: String,
    },

    /// This NVRTC compiles for none of the device's architectures.
    #[error(
        "NVRTC {version} cannot compile for sm_{found}; it knows {}; use another version of NVRTC",
        architectures(known)
    )]
    UnknownArchitecture {
        /// The device's architecture: 90 for compute capability 9.0.
        found: u32,
        /// The architectures that this NVRTC knows.
        known: Vec<u32>,
        /// Its version.
        version: String,
    },

    /// The program does not compile. The message has the first errors, with the lines around them.
    #[error("{compiler} refused the program:\n{}", Excerpt { log, source_text, file: file.as_deref() })]
    Compilation {
        /// Which compiler.
        compiler: String,
        /// All that it said.
        log: String,
        /// The whole program, with line numbers.
        source_text: String,
        /// A file with the program; `None` if the cache cannot be written.
        file: Option<PathBuf>,
    },

    /// There is no C++ compiler to build the emulated program with.
    #[error("no C++ compiler that works: tried {tried}; install g++, or set CXX")]
    NoCompiler {
        /// The commands that were tried.
        tried: String,
    },

    /// The C++ compiler took too long, and was stopped.
    #[error(
        "{compiler} did not compile the program within {} s and was stopped; set NBODY_CXX_TIMEOUT \
         to more seconds, or make the results and the parameters smaller",
        limit.as_secs_f64()
    )]
    CompilerTimeout {
        /// Which compiler.
        compiler: String,
        /// How long it was given.
        limit: Duration,
    },

    /// The emulator saw the program do what a GPU does not allow.
    #[error("the emulated program {0}; this is a defect in its schedule, please report it")]
    Emulation(&'static str),

    /// Particles or results that belong to another device or other options.
    #[error("{what} of {found} given to {expected}; upload them with the engine that uses them")]
    ForeignBuffer {
        /// What was given.
        what: &'static str,
        /// Where it belongs.
        found: String,
        /// Where it was given to.
        expected: String,
    },

    /// More particles than a launch can number.
    #[error("{found} {what}: one evaluation takes at most {limit}; evaluate in parts")]
    TooManyParticles {
        /// Which particles.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        limit: usize,
    },

    /// A folder that the kernel cache cannot be in, since others may write to it.
    #[error(
        "the kernel cache {} is not used, since it has code that is run: {reason}; `chmod go-w` it if \
         it is yours and nobody else wrote to it, or set NBODY_CACHE_DIR to a folder of your own",
        folder.display()
    )]
    UntrustedCache {
        /// The folder.
        folder: PathBuf,
        /// What others may do.
        reason: String,
    },

    /// Nothing says where the kernel cache is.
    #[error("no folder for the kernel cache: set NBODY_CACHE_DIR")]
    NoCacheFolder,

    /// An environment variable that says what it cannot say.
    #[error("{name} is `{found}`, expected {expected}")]
    Variable {
        /// Its name.
        name: &'static str,
        /// What it says.
        found: String,
        /// What it may say.
        expected: &'static str,
    },

    /// A file could not be read or written.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried.
        action: String,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// The message: what `fn main() -> Result<(), nbody::Error>` prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        nbody_core::explain(self, f)
    }
}

impl Error {
    /// Says in which file a program that does not compile can be read.
    pub(crate) fn with_file(mut self, path: Option<&Path>) -> Self {
        if let Self::Compilation { file, .. } = &mut self {
            *file = path.map(Path::to_owned);
        }
        self
    }
}

/// An error of the dynamic loader with its reason, which it keeps to itself.
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
    fn what_people_see_of_an_error_is_its_message() {
        let source = std::io::Error::other("the disk is full");
        let errors = [
            (Error::NoDriver, "no CUDA driver: looked for libcuda.so.1"),
            (Error::NoDevice { ordinal: 7, count: 1 }, "no CUDA device 7: the driver sees 1"),
            (
                nbody_core::Error::EmptySummationOrder { bag: 0, splits: 1 }.into(),
                "summation order of bags of 0 in 1 splits",
            ),
            (
                Error::Io { action: "read it".to_owned(), source },
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
            // Nothing behind the message: a cause that it tells is not told twice.
            assert_eq!(told, error.to_string());
        }
    }
}
