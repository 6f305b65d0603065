//! The structs of DLPack 1.3 (<https://dmlc.github.io/dlpack/latest/c_api.html>).

use std::ffi::{CStr, c_char, c_int, c_void};

/// Memory of the host, of a GPU, and of the host where a GPU can read it.
pub const CPU: i32 = 1;
pub const CUDA: i32 = 2;
pub const CUDA_HOST: i32 = 3;
pub const CUDA_MANAGED: i32 = 13;

/// Codes of types.
pub const INT: u8 = 0;
pub const UINT: u8 = 1;
pub const FLOAT: u8 = 2;

/// The flag of memory that must not be written.
pub const READ_ONLY: u64 = 1;

/// The major version of these structs.
pub const MAJOR: u32 = 1;
/// The minor version of these structs.
pub const MINOR: u32 = 3;

/// Names of capsules.
pub const NEW: &CStr = c"dltensor";
pub const USED: &CStr = c"used_dltensor";
pub const NEW_VERSIONED: &CStr = c"dltensor_versioned";
pub const USED_VERSIONED: &CStr = c"used_dltensor_versioned";
pub const EXCHANGE: &CStr = c"dlpack_exchange_api";

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    pub kind: i32,
    pub id: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataType {
    pub code: u8,
    pub bits: u8,
    pub lanes: u16,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Tensor {
    pub data: *mut c_void,
    pub device: Device,
    pub ndim: i32,
    pub dtype: DataType,
    pub shape: *const i64,
    /// In elements; NULL for rows without gaps.
    pub strides: *const i64,
    pub byte_offset: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

#[repr(C)]
pub struct Managed {
    pub tensor: Tensor,
    pub context: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
pub struct Versioned {
    pub version: Version,
    pub context: *mut c_void,
    pub deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    pub flags: u64,
    pub tensor: Tensor,
}

/// Takes the kind and the message of a failure.
pub type SetError = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char);

/// The functions of a library of arrays, which a type has as `__dlpack_c_exchange_api__`.
#[repr(C)]
pub struct Exchange {
    pub version: Version,
    pub previous: *const Exchange,
    pub allocate: Option<
        unsafe extern "C" fn(*const Tensor, *mut *mut Versioned, *mut c_void, SetError) -> c_int,
    >,
    pub from_object: Option<unsafe extern "C" fn(*mut c_void, *mut *mut Versioned) -> c_int>,
    pub to_object: Option<unsafe extern "C" fn(*mut Versioned, *mut *mut c_void) -> c_int>,
    pub borrow: *const c_void,
    pub current_stream: Option<unsafe extern "C" fn(i32, i32, *mut *mut c_void) -> c_int>,
}
