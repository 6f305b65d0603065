//! The NVRTC library and its functions.
//!
//! They are loaded by path and called here, not through cudarc, whose binding panics without the
//! library and looks for it by bare name only. cudarc is used for the driver, after a check that
//! the driver loads.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::locate;
use crate::error::Error;
use crate::error::reason;

static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of NVRTC calls of this process: zero with a warm cache.
pub fn calls() -> usize {
    CALLS.load(Ordering::Relaxed)
}

/// An `nvrtcProgram`.
type Handle = *mut c_void;
/// An `nvrtcResult`.
type Status = c_int;

const SUCCESS: Status = 0;
const COMPILATION_FAILED: Status = 6;

type Text = *const c_char;
type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
type Copy = unsafe extern "C" fn(Handle, *mut c_char) -> Status;
type Create =
    unsafe extern "C" fn(*mut Handle, Text, Text, c_int, *const Text, *const Text) -> Status;

/// Declares the functions: a field for each, loaded from the library by its C name.
macro_rules! functions {
    ($($field:ident $name:literal: $type:ty;)*) => {
        #[derive(Debug)]
        struct Functions { $($field: $type),* }

        impl Functions {
            /// # Safety
            /// The library is NVRTC, and outlives the functions.
            unsafe fn load(library: &libloading::Library) -> Result<Self, libloading::Error> {
                // SAFETY: the types are the types of nvrtc.h, unchanged since CUDA 11.2.
                unsafe { Ok(Self { $($field: *library.get($name)?),* }) }
            }
        }
    };
}

functions! {
    version b"nvrtcVersion": unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
    count_architectures b"nvrtcGetNumSupportedArchs": unsafe extern "C" fn(*mut c_int) -> Status;
    architectures b"nvrtcGetSupportedArchs": unsafe extern "C" fn(*mut c_int) -> Status;
    error_string b"nvrtcGetErrorString": unsafe extern "C" fn(Status) -> Text;
    create b"nvrtcCreateProgram": Create;
    compile b"nvrtcCompileProgram": unsafe extern "C" fn(Handle, c_int, *const Text) -> Status;
    destroy b"nvrtcDestroyProgram": unsafe extern "C" fn(*mut Handle) -> Status;
    log_size b"nvrtcGetProgramLogSize": Size;
    log b"nvrtcGetProgramLog": Copy;
    cubin_size b"nvrtcGetCUBINSize": Size;
    cubin b"nvrtcGetCUBIN": Copy;
    ptx_size b"nvrtcGetPTXSize": Size;
    ptx b"nvrtcGetPTX": Copy;
}

/// NVRTC, loaded for as long as the process runs.
#[derive(Debug)]
pub(super) struct Library {
    path: PathBuf,
    functions: Functions,
}

/// An `nvrtcProgram`.
struct Unit<'a> {
    library: &'a Library,
    handle: Handle,
}

impl Library {
    pub fn open(path: &Path) -> Result<Self, Error> {
        let broken = |error: libloading::Error| Error::NvrtcBroken {
            path: path.to_owned(),
            message: reason(&error),
        };
        for builtins in locate::builtins(path) {
            keep(&builtins).map_err(broken)?;
        }
        let library = keep(path).map_err(broken)?;
        // SAFETY: the library has the name of NVRTC and is never unloaded; a library that lacks a
        // function is refused.
        let functions = unsafe { Functions::load(library) }.map_err(broken)?;
        Ok(Self { path: path.to_owned(), functions })
    }

    fn check(&self, status: Status) -> Result<(), Error> {
        CALLS.fetch_add(1, Ordering::Relaxed);
        if status == SUCCESS {
            return Ok(());
        }
        // SAFETY: the function returns a static string for any status.
        let message = unsafe { CStr::from_ptr((self.functions.error_string)(status)) };
        Err(Error::NvrtcBroken {
            path: self.path.clone(),
            message: message.to_string_lossy().into_owned(),
        })
    }

    pub fn version(&self) -> Result<(i32, i32), Error> {
        let (mut major, mut minor) = (0, 0);
        // SAFETY: both addresses point to integers.
        self.check(unsafe { (self.functions.version)(&raw mut major, &raw mut minor) })?;
        Ok((major, minor))
    }

    pub fn architectures(&self) -> Result<Vec<u32>, Error> {
        let mut count = 0;
        // SAFETY: the address points to an integer.
        self.check(unsafe { (self.functions.count_architectures)(&raw mut count) })?;
        let mut known = vec![0; usize::try_from(count).unwrap_or(0)];
        // SAFETY: the length of `known` is the number that the library reported.
        self.check(unsafe { (self.functions.architectures)(known.as_mut_ptr()) })?;
        Ok(known.into_iter().filter_map(|arch| u32::try_from(arch).ok()).collect())
    }

    /// Compiles to a CUBIN or to PTX. The inner error is the log of the compiler.
    pub fn compile(
        &self,
        source: &str,
        options: &[String],
        cubin: bool,
    ) -> Result<Result<Vec<u8>, String>, Error> {
        let unit = self.create(source)?;
        let options: Vec<CString> = options.iter().map(|option| text(option)).collect();
        let options: Vec<Text> = options.iter().map(|option| option.as_ptr()).collect();
        let count = c_int::try_from(options.len()).unwrap_or(c_int::MAX);
        // SAFETY: the handle belongs to a program, and the options are strings that outlive the
        // call.
        let status = unsafe { (self.functions.compile)(unit.handle, count, options.as_ptr()) };
        if status == COMPILATION_FAILED {
            CALLS.fetch_add(1, Ordering::Relaxed);
            let log = unit.bytes(self.functions.log_size, self.functions.log)?;
            let log = String::from_utf8_lossy(&log).trim_end_matches(['\0', '\n']).to_owned();
            return Ok(Err(log));
        }
        self.check(status)?;
        let code = if cubin {
            unit.bytes(self.functions.cubin_size, self.functions.cubin)?
        } else {
            unit.bytes(self.functions.ptx_size, self.functions.ptx)?
        };
        Ok(Ok(code))
    }

    fn create(&self, source: &str) -> Result<Unit<'_>, Error> {
        let source = text(source);
        let mut handle = ptr::null_mut();
        // SAFETY: the strings end in NUL; NVRTC copies them; there are no headers.
        self.check(unsafe {
            (self.functions.create)(
                &raw mut handle,
                source.as_ptr(),
                c"nbody.cu".as_ptr(),
                0,
                ptr::null(),
                ptr::null(),
            )
        })?;
        Ok(Unit { library: self, handle })
    }
}

impl Unit<'_> {
    fn bytes(&self, size: Size, copy: Copy) -> Result<Vec<u8>, Error> {
        let mut length = 0;
        // SAFETY: the handle belongs to a program, and the address points to an integer.
        self.library.check(unsafe { size(self.handle, &raw mut length) })?;
        let mut bytes = vec![0_u8; length];
        // SAFETY: `bytes` has the length that the library reported.
        self.library.check(unsafe { copy(self.handle, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        // SAFETY: the handle belongs to a program, which nothing uses after this.
        unsafe { (self.library.functions.destroy)(&raw mut self.handle) };
    }
}

/// Loads a library and never unloads it: threads that it started may outlive every handle.
fn keep(path: &Path) -> Result<&'static libloading::Library, libloading::Error> {
    // SAFETY: loading runs the library's initialisers. The initialisers of NVRTC and its builtins
    // only set up their own state.
    let library = unsafe { libloading::Library::new(path) }?;
    Ok(Box::leak(Box::new(library)))
}

/// Converts a text to a C string. A text from Rust sources may contain NUL, and then ends there.
fn text(text: &str) -> CString {
    let text = text.split('\0').next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}
