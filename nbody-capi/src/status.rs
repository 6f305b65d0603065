//! Statuses, the message of the last failure, and the border that no panic crosses.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use nbody_bindings::{Failure, Kind};

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

impl From<Kind> for Status {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Argument => Self::Argument,
            Kind::Declaration => Self::Declaration,
            Kind::Device => Self::Device,
            Kind::Memory => Self::Memory,
            Kind::Unsupported => Self::Unsupported,
            Kind::Compiler => Self::Compiler,
            Kind::Numbers => Self::Numbers,
            // No call of the interface is interrupted.
            Kind::Interrupted | Kind::Fault => Self::Fault,
        }
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
            Failure { kind: Kind::Fault, message }
        }
    };
    let message = failure.message.replace('\0', "\u{fffd}");
    // A thread that ends has no message any more.
    let _ = MESSAGE.try_with(|kept| {
        *kept.borrow_mut() = CString::new(message).unwrap_or_default();
    });
    failure.kind.into()
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
