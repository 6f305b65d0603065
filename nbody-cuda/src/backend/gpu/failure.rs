//! Errors of the driver, and the errors after which a context is unusable.
//!
//! A failed GPU is abandoned, not reset: the primary context belongs to every library of the
//! process. It is released when all handles of this one are dropped, and the driver creates a new
//! one if no other library holds it.

use std::process;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use crate::error::Error;

/// Errors after which the context is unusable: the driver returns them from every later call.
const FATAL: [CUresult; 16] = [
    CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
    CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
    CUresult::CUDA_ERROR_CONTAINED,
    CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
    CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
    CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
    CUresult::CUDA_ERROR_ASSERT,
    CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
    CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
    CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
    CUresult::CUDA_ERROR_INVALID_PC,
    CUresult::CUDA_ERROR_LAUNCH_FAILED,
    CUresult::CUDA_ERROR_TENSOR_MEMORY_LEAK,
    CUresult::CUDA_ERROR_MPS_CLIENT_TERMINATED,
    CUresult::CUDA_ERROR_EXTERNAL_DEVICE,
];

/// The first fatal error of a GPU since it was opened, if any.
#[derive(Debug)]
pub(super) struct Health {
    device: String,
    cause: OnceLock<(&'static str, String)>,
}

impl Health {
    pub fn of(device: String) -> Self {
        Self { device, cause: OnceLock::new() }
    }

    /// Returns the error of a driver call, and keeps it if it is fatal.
    pub fn failed(&self, call: &'static str, error: DriverError) -> Error {
        if !FATAL.contains(&error.0) {
            return failed(call, error);
        }
        // Later errors are consequences of the first.
        self.cause.get_or_init(|| (call, words(error)));
        self.check().err().unwrap_or_else(|| failed(call, error))
    }

    /// Returns the error of pending launches that failed. Their caller has gone on since then, and
    /// the memory that they were to write is undefined: the GPU has failed.
    pub fn lost(&self, error: Error) -> Error {
        self.cause.get_or_init(|| ("launches that were held back", error.to_string()));
        self.check().err().unwrap_or(error)
    }

    /// Refuses a GPU that has failed, and a forked process.
    pub fn check(&self) -> Result<(), Error> {
        check_process()?;
        match self.cause.get() {
            None => Ok(()),
            Some((call, message)) => Err(Error::DeviceFailed {
                device: self.device.clone(),
                call,
                message: message.clone(),
            }),
        }
    }

    pub fn has_failed(&self) -> bool {
        self.cause.get().is_some()
    }
}

/// Refuses driver calls in a fork of the process that initialised the driver: the fork has the
/// driver's memory, but not its connection to the GPU.
pub(super) fn check_process() -> Result<(), Error> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let first = *FIRST.get_or_init(|| {
        watch_forks();
        process::id()
    });
    // To query the identity of the process at every launch would take as long as the rest of a
    // launch here.
    if MAY_BE_FORKED.load(Ordering::Relaxed) { is_same(first, process::id()) } else { Ok(()) }
}

/// Whether this process may be a fork.
static MAY_BE_FORKED: AtomicBool = AtomicBool::new(cfg!(not(unix)));

/// Makes forks record that they are forks.
#[cfg(unix)]
fn watch_forks() {
    type Handler = Option<unsafe extern "C" fn()>;
    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> std::ffi::c_int;
    }
    unsafe extern "C" fn in_child() {
        MAY_BE_FORKED.store(true, Ordering::Relaxed);
    }
    // SAFETY: the handler only stores to an atomic, which is allowed in a forked child.
    let status = unsafe { pthread_atfork(None, None, Some(in_child)) };
    if status != 0 {
        MAY_BE_FORKED.store(true, Ordering::Relaxed);
    }
}

#[cfg(not(unix))]
fn watch_forks() {}

fn is_same(first: u32, process: u32) -> Result<(), Error> {
    if first == process { Ok(()) } else { Err(Error::Forked { first, process }) }
}

/// Returns the error with the driver's message. An error of the driver implies that the driver is
/// loaded.
pub(super) fn failed(call: &'static str, error: DriverError) -> Error {
    Error::Driver { call, message: words(error) }
}

fn words(error: DriverError) -> String {
    let words = error.error_string().ok().map(|words| words.to_string_lossy().into_owned());
    words.unwrap_or_else(|| format!("error {}", error.0 as u32))
}

#[cfg(test)]
mod tests {
    use nbody_compile::Cache;

    use super::*;
    use crate::backend::Backend as _;
    use crate::backend::gpu::Gpu;
    use crate::backend::gpu::tests::gpu;
    use crate::backend::launch::Launch;
    use crate::compile::program::Program;

    #[test]
    fn a_gpu_that_failed_repeats_its_first_error() {
        let health = Health::of("GPU".to_owned());
        health.check().unwrap();
        health.cause.set(("cuStreamSynchronize", "an illegal access".to_owned())).unwrap();
        assert!(health.has_failed());
        let message = health.check().unwrap_err().to_string();
        let expected = "GPU has failed, and what was on it is lost: cuStreamSynchronize: an illegal \
                        access; ";
        assert!(message.starts_with(expected), "{message}");
    }

    #[test]
    fn a_forked_process_is_recognised() {
        is_same(7, 7).unwrap();
        let message = is_same(7, 8).unwrap_err().to_string();
        assert!(message.contains("process 7") && message.contains("process 8"), "{message}");
        check_process().unwrap();
        #[cfg(unix)]
        assert!(in_fork(|| check_process().is_err()), "the fork is not recognised");
        check_process().unwrap();
    }

    /// Returns the value of a function called in a fork of this process.
    #[cfg(unix)]
    fn in_fork(function: impl FnOnce() -> bool) -> bool {
        unsafe extern "C" {
            fn fork() -> i32;
            fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
            fn _exit(status: i32) -> !;
        }
        // SAFETY: the child takes no lock that another thread may hold, and exits without running
        // the parent's exit handlers.
        unsafe {
            let child = fork();
            if child == 0 {
                _exit(i32::from(!function()));
            }
            let mut status = -1;
            assert_eq!(waitpid(child, &raw mut status, 0), child);
            status == 0
        }
    }

    /// Runs this test in a separate process and returns its output; `None` in that process.
    fn alone(test: &str) -> Option<String> {
        const CHILD: &str = "NBODY_TEST_CHILD";
        if std::env::var_os(CHILD).is_some() {
            return None;
        }
        let mut child = process::Command::new(std::env::current_exe().unwrap());
        let test = format!("backend::gpu::failure::tests::{test}");
        let output = child.args(["--exact", &test, "--nocapture"]).env(CHILD, "yes").output();
        let output = output.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        Some(text)
    }

    #[test]
    fn a_gpu_that_failed_reports_it_and_is_opened_again_if_the_driver_can() {
        if let Some(text) =
            alone("a_gpu_that_failed_reports_it_and_is_opened_again_if_the_driver_can")
        {
            print!("{text}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let wrong = Program::by_hand(
            "extern \"C\" __global__ void by_hand() { *reinterpret_cast<volatile int *>(8) = 1; }",
        );
        let Some((_one, gpu)) = gpu() else { return println!("no GPU") };
        let module = match gpu.build(&wrong, &Cache::at(folder.path())) {
            Err(Error::NvrtcNotFound(_)) => return println!("no NVRTC"),
            built => built.unwrap().0,
        };
        let memory = gpu.allocate(8).unwrap();
        module.launch(Launch::new(c"by_hand", 1)).unwrap();
        let error = memory.read(&mut |_| {}).unwrap_err();
        assert!(matches!(error, Error::DeviceFailed { .. }), "{error}");
        // Every later call repeats the error, and so does opening the GPU while the old context is
        // held.
        let again = memory.read(&mut |_| {}).unwrap_err();
        assert_eq!(again.to_string(), error.to_string());
        assert_eq!(Gpu::open(0).unwrap_err().to_string(), error.to_string());
        drop((memory, module, gpu));
        match Gpu::open(0) {
            Ok(gpu) => {
                let mut memory = gpu.allocate(8).unwrap();
                memory.write(&mut |words| words.fill(7)).unwrap();
                memory.read(&mut |words| assert_eq!(words, [7])).unwrap();
                println!("opened again");
            }
            Err(error) => {
                assert!(matches!(error, Error::DeviceFailed { .. }), "{error}");
                println!("not opened again: {error}");
            }
        }
    }

    #[test]
    fn a_launch_that_was_held_back_and_fails_is_reported() {
        if let Some(text) = alone("a_launch_that_was_held_back_and_fails_is_reported") {
            print!("{text}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let nothing = Program::by_hand("extern \"C\" __global__ void by_hand() {}");
        let Some((_one, gpu)) = gpu() else { return println!("no GPU") };
        let module = match gpu.build(&nothing, &Cache::at(folder.path())) {
            Err(Error::NvrtcNotFound(_)) => return println!("no NVRTC"),
            built => built.unwrap().0,
        };
        let mut batch = gpu.batch().unwrap();
        batch.begin().unwrap();
        let memory = gpu.allocate(8).unwrap();
        batch.end().unwrap();
        batch.begin().unwrap();
        // A grid without blocks cannot be launched; the destructor cannot report the error.
        module.launch(Launch::new(c"by_hand", 0)).unwrap();
        drop(memory);
        let error = batch.end().unwrap_err().to_string();
        assert!(error.contains("launches that were held back"), "{error}");
        assert_eq!(gpu.allocate(8).unwrap_err().to_string(), error);
        println!("reported");
    }

    #[cfg(unix)]
    #[test]
    fn a_gpu_does_not_serve_a_forked_process() {
        if alone("a_gpu_does_not_serve_a_forked_process").is_some() {
            return;
        }
        let Some((_one, gpu)) = gpu() else { return };
        let is_forked = |result: Result<(), Error>| matches!(result, Err(Error::Forked { .. }));
        assert!(in_fork(|| {
            let refused = [Gpu::open(0).map(|_| ()), gpu.bind(), gpu.allocate(8).map(|_| ())];
            refused.into_iter().all(is_forked)
        }));
        gpu.allocate(8).unwrap();
    }
}
