//! What a CUBIN says of its kernels.

use object::read::{Object as _, ObjectSection as _};

/// The bytes of local memory that a thread of any kernel or function takes: the attribute
/// EIATTR_FRAME_SIZE of the section `.nv.info`, a symbol and a size. `None` if it is not there.
pub fn local_memory(cubin: &[u8]) -> Option<u32> {
    /// The form of attributes whose value is behind its size.
    const SIZED: u8 = 4;
    const FRAME_SIZE: u8 = 0x11;
    let file = object::File::parse(cubin).ok()?;
    let mut rest = file.section_by_name(".nv.info")?.data().ok()?;
    let mut largest = None;
    while let [form, attribute, low, high, behind @ ..] = rest {
        let size = if *form == SIZED { usize::from(u16::from_le_bytes([*low, *high])) } else { 0 };
        let (value, next) = behind.split_at_checked(size)?;
        if *attribute == FRAME_SIZE {
            let frame = u32::from_le_bytes(value.get(4..8)?.try_into().ok()?);
            largest = largest.max(Some(frame));
        }
        rest = next;
    }
    largest
}
