//! Records of random numbers, to test any interaction.

use nbody_core::untyped::OwnedRows;
use nbody_core::{Field, FieldKind, Record, pack};

use crate::random::Random;

/// Number of values of an integer field.
const KINDS: u32 = 4;
/// Displacement of particles that are far from the origin.
const FAR: f64 = (1 << 20) as f64;

/// Samples `n` records whose reals are uniform in (0, 1] and whose integers are among 0, 1, 2, 3.
/// The reals are multiples of 2⁻¹⁰: they, their differences and squared distances are exact in
/// `f32`, so that comparisons of them have the same outcome in both precisions.
pub fn uniform<P: Record<Lane = f64>>(n: usize, seed: u64) -> Vec<P> {
    records(n, &words(P::FIELDS, n, seed, 0.0))
}

/// Samples as [`uniform`], with all positions shifted by 2²⁰ along each axis: there `f32` loses
/// their digits, and mixed precision keeps them.
pub fn uniform_far<P: Record<Lane = f64>>(n: usize, seed: u64) -> Vec<P> {
    records(n, &words(P::FIELDS, n, seed, FAR))
}

/// Samples as [`uniform`], records of these fields as rows.
pub fn uniform_rows(fields: &'static [Field], n: usize, seed: u64) -> OwnedRows {
    rows(fields, words(fields, n, seed, 0.0))
}

/// Samples as [`uniform_far`], records of these fields as rows.
pub fn uniform_far_rows(fields: &'static [Field], n: usize, seed: u64) -> OwnedRows {
    rows(fields, words(fields, n, seed, FAR))
}

/// Samples the numbers of records, row by row; coordinates are displaced by `origin`.
fn words(fields: &[Field], n: usize, seed: u64, origin: f64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let mut words = Vec::with_capacity(n * pack::dim(fields));
    for _ in 0..n {
        for kind in fields.iter().map(|field| field.kind) {
            words.extend((0..kind.components()).map(|c| match kind {
                FieldKind::U32 | FieldKind::Count | FieldKind::Counts(_) => {
                    random.below(KINDS).into()
                }
                kind if kind.is_index(c) => random.below(KINDS).into(),
                FieldKind::Point(_) => (origin + random.uniform_coarse()).to_bits(),
                _ => random.uniform_coarse().to_bits(),
            }));
        }
    }
    words
}

fn records<P: Record<Lane = f64>>(n: usize, words: &[u64]) -> Vec<P> {
    (0..n).map(|k| pack::record(&words[k * P::DIM..][..P::DIM])).collect()
}

fn rows(fields: &'static [Field], words: Vec<u64>) -> OwnedRows {
    OwnedRows::new(fields, words).expect("whole rows")
}
