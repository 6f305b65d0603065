//! What the driver says when it fails, and when a GPU has failed for good.

use std::process;
use std::sync::OnceLock;

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use crate::Error;

/// Behind these errors nothing in the context works any more; the driver repeats them.
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

/// A GPU that was opened, and what it failed by since.
#[derive(Debug)]
pub(super) struct Health {
    device: String,
    cause: OnceLock<(&'static str, String)>,
}

impl Health {
    pub fn of(device: String) -> Self {
        Self { device, cause: OnceLock::new() }
    }

    /// The error of a call, which may be the end of this GPU for this process.
    pub fn failed(&self, call: &'static str, error: DriverError) -> Error {
        if !FATAL.contains(&error.0) {
            return failed(call, error);
        }
        // What fails after is what failed first.
        self.cause.get_or_init(|| (call, words(error)));
        self.check().err().unwrap_or_else(|| failed(call, error))
    }

    /// Whether it still works, and for this process.
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

/// Refuses to call the driver in another process than the first: a fork of that has the driver's
/// memory, and not its connection to the GPU.
pub(super) fn check_process() -> Result<(), Error> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    is_same(*FIRST.get_or_init(process::id), process::id())
}

fn is_same(first: u32, process: u32) -> Result<(), Error> {
    if first == process { Ok(()) } else { Err(Error::Forked { first, process }) }
}

/// The error in the driver's words; the driver is loaded, or there would be no error.
pub(super) fn failed(call: &'static str, error: DriverError) -> Error {
    Error::Driver { call, message: words(error) }
}

fn words(error: DriverError) -> String {
    let words = error.error_string().ok().map(|words| words.to_string_lossy().into_owned());
    words.unwrap_or_else(|| format!("error {}", error.0 as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Program;
    use crate::backend::Backend as _;
    use crate::backend::gpu::Gpu;
    use crate::backend::gpu::tests::gpu;
    use crate::backend::launch::Launch;
    use crate::compile::cache::Cache;

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
    fn a_forked_process_is_told_apart() {
        is_same(7, 7).unwrap();
        let message = is_same(7, 8).unwrap_err().to_string();
        assert!(message.contains("process 7") && message.contains("process 8"), "{message}");
        check_process().unwrap();
    }

    /// What a process of its own prints that runs this test, which it does to the end.
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
    fn a_gpu_that_failed_says_so_and_is_opened_again_where_the_driver_can() {
        if let Some(text) =
            alone("a_gpu_that_failed_says_so_and_is_opened_again_where_the_driver_can")
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
        // So it says from now on, to who opens it as well, while something is left of it.
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

    #[cfg(unix)]
    #[test]
    fn a_gpu_does_not_serve_a_forked_process() {
        unsafe extern "C" {
            fn fork() -> i32;
            fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
            fn _exit(status: i32) -> !;
        }
        if alone("a_gpu_does_not_serve_a_forked_process").is_some() {
            return;
        }
        let Some((_one, gpu)) = gpu() else { return };
        let is_forked = |result: Result<(), Error>| matches!(result, Err(Error::Forked { .. }));
        // SAFETY: the child calls what takes no lock that another thread may hold, and exits without
        // running what the parent's exit would run.
        unsafe {
            let child = fork();
            if child == 0 {
                let refused = [Gpu::open(0).map(|_| ()), gpu.bind(), gpu.allocate(8).map(|_| ())];
                _exit(i32::from(!refused.into_iter().all(is_forked)));
            }
            let mut status = -1;
            assert_eq!(waitpid(child, &raw mut status, 0), child);
            assert_eq!(status, 0);
        }
        gpu.allocate(8).unwrap();
    }
}
