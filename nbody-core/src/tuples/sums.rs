//! The sums of particles over their tuples, in the columns of the results.

use crate::field::Field;
use crate::law::tuple_loop::Merge;
use crate::memory::buffers::Results;
use crate::numeric::precision::Precision;
use crate::numeric::simd::lanes::{LINE, Line};
use crate::pairs::sources::Store;
use crate::records::binding::{Binding, Place};
use crate::records::pack;

/// The numbers of a result of tuples, and their columns in the results.
pub(super) struct Sums {
    numbers: Vec<Number>,
    store: Store,
    /// Whether the results have these numbers alone, in their order. Then they are the sums; if not, sums
    /// have lines of their own.
    pub is_whole: bool,
}

/// A number of a result of tuples.
struct Number {
    /// The number without any tuple.
    nothing: u64,
    /// Its column in the results.
    column: usize,
    /// Whether it is rounded to `f32`.
    is_rounded: bool,
}

impl Sums {
    /// Creates sums of these fields, for results that have them at these places.
    pub fn new(fields: &[Field], places: &Binding, out: &Results, store: Store) -> Self {
        let is_single = out.precision == Precision::Single;
        let numbers = places.places().iter().zip(pack::nothing(fields)).enumerate();
        let number = |(c, (place, nothing)): (usize, (&Place, u64))| Number {
            nothing,
            column: place.component(),
            is_rounded: is_single && Merge::of(fields, c) != Merge::Count,
        };
        Self { numbers: numbers.map(number).collect(), store, is_whole: places.is_whole() }
    }

    /// Returns the number of numbers of a result.
    pub fn width(&self) -> usize {
        self.numbers.len()
    }

    /// Prepares sums for the first tuple: the results that they are added to, if sums have lines of their
    /// own, or nothing. Results have blocks of `width` lines.
    pub fn begin(&self, results: &[Line<u64>], width: usize, sums: &mut [Line<u64>]) {
        let blocks = sums.chunks_exact_mut(self.width()).zip(results.chunks_exact(width));
        for (sums, results) in blocks {
            for (sum, number) in sums.iter_mut().zip(&self.numbers) {
                *sum = match self.store {
                    Store::Replace => Line([number.nothing; LINE]),
                    Store::Add => results[number.column],
                };
            }
        }
    }

    /// Prepares whole results for the first tuple.
    pub fn begin_whole(&self, results: &mut [Line<u64>]) {
        if self.store == Store::Replace {
            for block in results.chunks_exact_mut(self.width()) {
                for (sum, number) in block.iter_mut().zip(&self.numbers) {
                    *sum = Line([number.nothing; LINE]);
                }
            }
        }
    }

    /// Rounds sums after the last tuple.
    #[inline(always)]
    pub fn round(&self, sums: &mut [Line<u64>]) {
        for block in sums.chunks_exact_mut(self.width()) {
            for (sum, number) in block.iter_mut().zip(&self.numbers) {
                if number.is_rounded {
                    for word in &mut sum.0 {
                        *word = f64::from(f64::from_bits(*word) as f32).to_bits();
                    }
                }
            }
        }
    }

    /// Copies sums to results with blocks of `width` lines.
    pub fn copy(&self, sums: &[Line<u64>], results: &mut [Line<u64>], width: usize) {
        let blocks = sums.chunks_exact(self.width()).zip(results.chunks_exact_mut(width));
        for (sums, results) in blocks {
            for (sum, number) in sums.iter().zip(&self.numbers) {
                results[number.column] = *sum;
            }
        }
    }
}
