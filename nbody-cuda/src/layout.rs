//! Layout of numbers and records in device memory.

use nbody_core::{Field, Mixed, Precision, pack};

/// Returns the bytes per real.
pub fn bytes_of(precision: Precision) -> usize {
    match precision {
        Precision::Single | Precision::Mixed => 4,
        Precision::Double => 8,
    }
}

/// Returns how many reals a record of these fields has.
pub const fn numbers_of(fields: &[Field], precision: Precision) -> usize {
    match precision {
        Precision::Single => pack::words::<f32>(fields),
        Precision::Double => pack::words::<f64>(fields),
        Precision::Mixed => pack::words::<Mixed>(fields),
    }
}

/// Packs bytes into words of 8, the last padded with zeros.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

/// Converts a record of these fields from words of `f64` to bytes in this precision.
pub fn bytes(fields: &[Field], row: &[u64], precision: Precision) -> Vec<u8> {
    match precision {
        Precision::Single => bytemuck::cast_slice(&pack::convert::<f32>(fields, row)).to_vec(),
        Precision::Double => bytemuck::cast_slice(&pack::convert::<f64>(fields, row)).to_vec(),
        Precision::Mixed => bytemuck::cast_slice(&pack::convert::<Mixed>(fields, row)).to_vec(),
    }
}
