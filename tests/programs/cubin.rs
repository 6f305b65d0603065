//! Reads attributes of the kernels of a CUBIN from its section `.nv.info`.
#![allow(dead_code)]

use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _, SymbolIndex};

/// EIATTR_FRAME_SIZE: local memory per thread of a kernel or function, in bytes.
pub const FRAME_SIZE: u8 = 0x11;
/// EIATTR_REGCOUNT: registers per thread of a kernel or function.
pub const REGISTERS: u8 = 0x2f;

/// Reads an attribute of each kernel and function, by name. Returns `None` if the CUBIN is
/// malformed.
pub fn attribute(cubin: &[u8], wanted: u8) -> Option<Vec<(String, u32)>> {
    /// Format of attributes whose value follows its size: a symbol and a number.
    const SIZED: u8 = 4;
    let file = object::File::parse(cubin).ok()?;
    let mut rest = file.section_by_name(".nv.info")?.data().ok()?;
    let mut found = Vec::new();
    while let [form, attribute, low, high, behind @ ..] = rest {
        let size = if *form == SIZED { usize::from(u16::from_le_bytes([*low, *high])) } else { 0 };
        let (value, next) = behind.split_at_checked(size)?;
        if *attribute == wanted {
            let word = |at| Some(u32::from_le_bytes(value.get(at..at + 4)?.try_into().ok()?));
            let symbol = file.symbol_by_index(SymbolIndex(word(0)? as usize)).ok()?;
            found.push((symbol.name().ok()?.to_owned(), word(4)?));
        }
        rest = next;
    }
    Some(found)
}
