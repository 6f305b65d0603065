//! Layout of numbers and records in device memory.

use nbody_core::{Domain, Field, Mixed, Precision, Scalar, pack};

/// The largest number of particles: kernels number particles in 32 bits, and step past the last
/// one.
pub const PARTICLE_LIMIT: usize = i32::MAX as usize;

/// Returns the number of bytes of a real.
pub fn bytes_of(precision: Precision) -> usize {
    match precision {
        Precision::Single | Precision::Mixed => 4,
        Precision::Double => 8,
    }
}

/// Returns the type of a real in CUDA C++.
pub fn kind_of_word(precision: Precision) -> &'static str {
    match precision {
        Precision::Single | Precision::Mixed => "float",
        Precision::Double => "double",
    }
}

/// Returns the number of reals of a record with these fields.
pub const fn numbers_of(fields: &[Field], precision: Precision) -> usize {
    match precision {
        Precision::Single => pack::words::<f32>(fields),
        Precision::Double => pack::words::<f64>(fields),
        Precision::Mixed => pack::words::<Mixed>(fields),
    }
}

/// Packs bytes into words of 8 bytes; zeros pad the last word.
pub fn words(bytes: &[u8]) -> Vec<u64> {
    let word = |chunk: &[u8]| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    };
    bytes.chunks(8).map(word).collect()
}

/// Returns the constants that tell the kind of the space.
pub fn kind_of_space(domain: Domain) -> String {
    let (periodic, triclinic) = (domain.is_periodic(), domain.is_triclinic());
    format!(
        "\
constexpr bool PERIODIC = {periodic}; // the nearest image in a periodic box
constexpr bool TRICLINIC = {triclinic}; // a box whose vectors are not along the axes
"
    )
}

/// Returns the space as an argument of kernels: the lengths of the box, their inverses, and the
/// other components of the vectors of a triclinic box.
pub fn space(domain: Domain, precision: Precision) -> Vec<u64> {
    words(&match precision {
        Precision::Single => bytemuck::cast_slice(&factors::<f32>(domain)).to_vec(),
        Precision::Double => bytemuck::cast_slice(&factors::<f64>(domain)).to_vec(),
        Precision::Mixed => bytemuck::cast_slice(&factors::<Mixed>(domain)).to_vec(),
    })
}

fn factors<S: Scalar>(domain: Domain) -> Vec<S::Word> {
    let [lengths, inverses] = domain.factors();
    let mut words = Vec::new();
    for length in lengths {
        S::coordinate_to_words(S::coordinate(length), |word| words.push(word));
    }
    words.extend(inverses.map(|inverse| S::from_f64(inverse).to_word()));
    for tilt in domain.tilts() {
        S::coordinate_to_words(S::coordinate(tilt), |word| words.push(word));
    }
    words
}
