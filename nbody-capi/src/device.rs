//! Devices.

use std::ffi::c_char;
use std::sync::Arc;

use nbody::{Device, DeviceName, Error};
use nbody_mpi::{Communicator as _, Mpi, Ranks};

use crate::handles::{self, DeviceHandle, Kind};
use crate::options;
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

/// Connects the devices of the ranks of an MPI communicator, an integer of Fortran, into one device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nbody_device_over_mpi(
    name: *const c_char,
    communicator: i32,
    trees: i32,
    device: *mut DeviceHandle,
) -> Status {
    border(|| {
        let ranks = Arc::new(Mpi::of_fortran(communicator).map_err(Error::from)?);
        let asked = || {
            // SAFETY: the header asks for a good place and a good string.
            let (out, name) = unsafe {
                let name = pointers::text(name, "the name of the device");
                (Out::new(device, "device", 0.into())?, name?)
            };
            let is_distributed = match trees {
                0 | 1 => false,
                2 => true,
                found => return Err(options::unknown("distribution of trees", found, 2)),
            };
            let device = match name.parse()? {
                DeviceName::Best => Device::best_of(ranks.on_host().rank),
                name => name.open()?,
            };
            Ok((out, is_distributed, device))
        };
        // The other ranks wait for this one, also if it has no device.
        let asked = asked();
        let mine = asked.as_ref().map(|(.., device)| device.clone());
        let mine = mine.map_err(|failure| Error::of_device(Unopened(failure.message.clone())));
        let ranks = Ranks::of_opened(ranks.clone(), mine);
        // The reason of this rank comes first.
        let ((out, is_distributed, _), ranks) = (asked?, ranks?);
        let ranks = if is_distributed { ranks.distribute_trees() } else { ranks };
        out.set(handles::put(ranks.device())?.into());
        Ok(())
    })
}

/// The reason why a rank has no device, for the other ranks.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Unopened(String);

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
