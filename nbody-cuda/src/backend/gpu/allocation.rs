//! Memory of the device that other libraries of the process allocated.

use std::ffi::{c_uint, c_void};
use std::ops::Range;

use cudarc::driver::sys::{self, CUpointer_attribute as Attribute};

use super::Gpu;
use crate::error::Error;

impl Gpu {
    /// Waits for all work of the process on the GPU.
    pub(super) fn wait_for_context(&self) -> Result<(), Error> {
        self.bind()?;
        // SAFETY: the context is current.
        let status = unsafe { sys::cuCtxSynchronize() };
        status.result().map_err(|e| self.failed("cuCtxSynchronize", e))
    }

    /// Returns the allocation of this GPU that contains an address.
    pub(super) fn allocation_around(&self, address: u64) -> Result<Option<Range<u64>>, Error> {
        self.bind()?;
        let (mut ordinal, mut memory, mut begin, mut size) = (-1_i32, 0_u32, 0_u64, 0_usize);
        let mut attributes = [
            Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
            Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
        ];
        let mut values: [*mut c_void; 4] = [
            (&raw mut ordinal).cast(),
            (&raw mut memory).cast(),
            (&raw mut begin).cast(),
            (&raw mut size).cast(),
        ];
        // SAFETY: each place has the type of its attribute. The driver only looks the address up, and
        // writes zeros for an address that it does not know.
        let status = unsafe {
            sys::cuPointerGetAttributes(
                attributes.len() as c_uint,
                attributes.as_mut_ptr(),
                values.as_mut_ptr(),
                address,
            )
        };
        status.result().map_err(|e| self.failed("cuPointerGetAttributes", e))?;
        let is_of_device = memory == sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32
            && usize::try_from(ordinal) == Ok(self.stream.context().ordinal());
        let range = begin..begin.saturating_add(size as u64);
        Ok((is_of_device && range.contains(&address)).then_some(range))
    }
}
