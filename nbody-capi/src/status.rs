//! Statuses, the message of the last failure, and the border that no panic crosses.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use nbody::{Error, cuda, law};
use nbody_mpi::Error as RankError;

/// The outcome of a call: `nbody_status` of the header.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// An argument is wrong.
    Argument = 1,
    /// A declaration is wrong.
    Declaration = 2,
    /// A device or its driver failed.
    Device = 3,
    /// There is too little memory, on the host or on the device.
    Memory = 4,
    /// The law, the device or this version cannot do it.
    Unsupported = 5,
    /// A compiler is missing or failed, or the cache of compiled programs cannot be used.
    Compiler = 6,
    /// Numbers are NaN or infinite, or no step is short enough.
    Numbers = 7,
    /// A fault of nbody.
    Fault = 99,
}

/// The engine of an integrator that a panic left in an unknown state.
#[derive(Debug, thiserror::Error)]
#[error("the engine of the integrator is in an unknown state after a fault of nbody; free both")]
pub(crate) struct UnknownState;

/// The reason why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: Status,
    pub message: String,
}

impl Failure {
    pub fn argument(message: impl Into<String>) -> Self {
        Self { status: Status::Argument, message: message.into() }
    }

    pub fn unsupported(message: impl Into<String>) -> Self {
        Self { status: Status::Unsupported, message: message.into() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        // `Debug` prints the causes too.
        Self { status: status(&error), message: format!("{error:?}") }
    }
}

fn status(error: &Error) -> Status {
    if let Some(error) = error.device::<cuda::Error>() {
        return match error {
            cuda::Error::Compile(_)
            | cuda::Error::NvrtcNotFound(_)
            | cuda::Error::NvrtcBroken { .. }
            | cuda::Error::UnknownArchitecture { .. } => Status::Compiler,
            cuda::Error::OutOfMemory { .. } => Status::Memory,
            cuda::Error::UnknownDevice { .. } | cuda::Error::TooManyParticles { .. } => {
                Status::Argument
            }
            cuda::Error::KernelDoesNotFit { .. } | cuda::Error::NoWalk { .. } => {
                Status::Unsupported
            }
            cuda::Error::Emulation(_) => Status::Fault,
            _ => Status::Device,
        };
    }
    if let Some(error) = error.device::<RankError>() {
        return match error {
            RankError::NotNow { .. }
            | RankError::Diverged { .. }
            | RankError::OtherSize { .. }
            | RankError::OtherDevice { .. } => Status::Argument,
            _ => Status::Device,
        };
    }
    if error.device::<nbody_compile::Error>().is_some() {
        return Status::Compiler;
    }
    if error.device::<UnknownState>().is_some() {
        return Status::Fault;
    }
    match error {
        Error::Device(_) => Status::Device,
        Error::OutOfMemory { .. } | Error::OutOfStack { .. } => Status::Memory,
        Error::LawTable { .. } => Status::Fault,
        Error::NanParameter { .. } => Status::Numbers,
        Error::NoTree { .. }
        | Error::NoEstimate { .. }
        | Error::NoLoops { .. }
        | Error::NoCutoff { .. }
        | Error::NoPoint { .. }
        | Error::NoDeviceMemory { .. }
        | Error::NoTriclinic { .. }
        | Error::OneDimension { .. }
        | Error::PointOfLists { .. }
        | Error::PointOfImages { .. }
        | Error::SimdUnavailable { .. } => Status::Unsupported,
        _ => Status::Argument,
    }
}

impl From<law::DeclareError> for Failure {
    fn from(error: law::DeclareError) -> Self {
        use law::DeclareError as E;
        let status = match error {
            E::Text(_) => Status::Declaration,
            E::Table(_) => Status::Fault,
            _ => Status::Argument,
        };
        Self { status, message: error.to_string() }
    }
}

impl From<nbody_integrate::Error> for Failure {
    fn from(error: nbody_integrate::Error) -> Self {
        use nbody_integrate::Error as E;
        let status = match error {
            E::Engine(error) => return error.into(),
            E::MissingFields { .. } | E::NoBlockSteps => Status::Unsupported,
            E::NotFinite { .. } | E::Close { .. } | E::Resolution { .. } => Status::Numbers,
            _ => Status::Argument,
        };
        Self { status, message: error.to_string() }
    }
}

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// Runs a call: returns its status, and keeps the message of a failure. A panic is a fault of nbody.
pub(crate) fn border(work: impl FnOnce() -> Result<(), Failure>) -> Status {
    // Objects that a panic left half-changed are behind locks, which it poisons.
    let failure = match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => return Status::Ok,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let message = format!("a fault of nbody, please report it: {}", text_of(&*panic));
            // A payload may itself panic when it is dropped.
            std::mem::forget(panic);
            Failure { status: Status::Fault, message }
        }
    };
    let message = failure.message.replace('\0', "\u{fffd}");
    // A thread that ends has no message any more.
    let _ = MESSAGE.try_with(|kept| {
        *kept.borrow_mut() = CString::new(message).unwrap_or_default();
    });
    failure.status
}

fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref().copied()).unwrap_or("a panic without a message").to_owned()
}

/// Returns the message of the last call of this thread that failed; empty before. The pointer is good
/// until the next call of this thread fails, or the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_last_message() -> *const c_char {
    MESSAGE.try_with(|kept| kept.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Returns the version of nbody.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

/// The version of the interface: `NBODY_ABI_VERSION` of the header.
pub const ABI_VERSION: u32 = 1;

/// Returns the version of the interface, which must be the version of the header.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_abi_version() -> u32 {
    ABI_VERSION
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    fn message() -> String {
        // SAFETY: the message ends with a zero, and no call fails while it is read.
        unsafe { CStr::from_ptr(nbody_last_message()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn panics_are_faults() {
        assert_eq!(border(|| panic!("{} of two", 1)), Status::Fault);
        assert_eq!(message(), "a fault of nbody, please report it: 1 of two");
        assert_eq!(border(|| Ok(())), Status::Ok);
        assert!(message().ends_with("1 of two"), "a success keeps the message");
    }

    #[test]
    fn a_zero_in_a_message_does_not_end_it() {
        assert_eq!(border(|| Err(Failure::argument("a\0b"))), Status::Argument);
        assert_eq!(message(), "a\u{fffd}b");
    }

    #[test]
    fn each_thread_has_its_message() {
        border(|| Err(Failure::argument("here")));
        std::thread::spawn(|| assert_eq!(message(), "")).join().unwrap();
        assert_eq!(message(), "here");
    }
}
