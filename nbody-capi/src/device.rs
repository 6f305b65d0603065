//! Devices.

use std::ffi::c_char;

use nbody::{Device, DeviceName};

use crate::handles::{self, DeviceHandle, Kind};
use crate::pointers::{self, Out};
use crate::status::{Status, border};

impl Kind for Device {
    const TAG: u8 = 1;
}

/// Opens a device: `best`, `cpu`, `cpu:LEVEL`, `cuda`, `cuda:N` or `emulator`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_device_open(
    name: *const c_char,
    device: *mut DeviceHandle,
) -> Status {
    border(|| {
        // SAFETY: the header asks for a good place and a good string.
        let (out, name) = unsafe {
            (Out::new(device, "device", 0.into())?, pointers::text(name, "the name of the device")?)
        };
        let device = name.parse::<DeviceName>()?.open()?;
        out.set(handles::put(device)?.into());
        Ok(())
    })
}

/// Copies the display name of a device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_device_name(
    device: DeviceHandle,
    text: *mut c_char,
    capacity: usize,
) -> Status {
    border(|| {
        let device = handles::get::<Device>(device.id, "device")?;
        // SAFETY: the header asks for memory of this capacity.
        unsafe { pointers::copy_text(&device.name(), text, capacity) }?;
        Ok(())
    })
}

/// Frees the handle of a device. Engines and buffers of the device stay good.
#[unsafe(no_mangle)]
pub extern "C" fn nbody_device_free(device: DeviceHandle) -> Status {
    border(|| handles::remove::<Device>(device.id, "device"))
}
