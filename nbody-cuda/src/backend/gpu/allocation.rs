//! Memory of the device that other libraries of the process allocated.

use std::ops::Range;

use cudarc::driver::sys::{self, CUpointer_attribute as Attribute, CUresult};

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
        let device =
            self.attribute::<u32>(address, Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)?;
        let memory = self.attribute::<u32>(address, Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE)?;
        let is_of_device = memory == Some(sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32);
        if !is_of_device || device != Some(self.stream.context().ordinal() as u32) {
            return Ok(None);
        }
        let begin =
            self.attribute::<u64>(address, Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)?;
        let size = self.attribute::<usize>(address, Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE)?;
        let range = begin.zip(size).map(|(begin, size)| begin..begin.saturating_add(size as u64));
        Ok(range.filter(|range| range.contains(&address)))
    }

    /// Returns an attribute of an address, of the type that the driver writes; `None` if the driver
    /// does not know the address.
    fn attribute<T: bytemuck::Pod>(
        &self,
        address: u64,
        attribute: Attribute,
    ) -> Result<Option<T>, Error> {
        let mut value = T::zeroed();
        // SAFETY: `T` is the type of the attribute, and any bits are a value of it. The driver only
        // looks the address up.
        let status =
            unsafe { sys::cuPointerGetAttribute((&raw mut value).cast(), attribute, address) };
        match status {
            CUresult::CUDA_ERROR_INVALID_VALUE => Ok(None),
            status => match status.result() {
                Ok(()) => Ok(Some(value)),
                Err(error) => Err(self.failed("cuPointerGetAttribute", error)),
            },
        }
    }
}
