//! The sums of particles over their tuples.

use crate::field::Field;
use crate::law::tuple_loop::Merge;
use crate::memory::buffers::Results;
use crate::numeric::precision::Precision;
use crate::numeric::simd::lanes::Line;
use crate::pairs::sources::Store;
use crate::records::binding::Binding;
use crate::records::pack;

/// The numbers of a result of tuples, and the results that they are stored in.
pub(super) struct Sums {
    /// The result without any tuple.
    nothing: Vec<u64>,
    /// For each number its column in the results, the operation that merges it, and whether it is
    /// rounded to `f32`.
    numbers: Vec<(usize, Merge, bool)>,
    store: Store,
}

impl Sums {
    /// Creates sums of these fields, for results that have them at these places.
    pub fn new(fields: &[Field], places: &Binding, out: &Results, store: Store) -> Self {
        let is_single = out.precision == Precision::Single;
        let number = |(c, column)| {
            let merge = Merge::of(fields, c);
            (column, merge, is_single && merge != Merge::Count)
        };
        let columns = places.places().iter().map(|place| place.component());
        let numbers = columns.enumerate().map(number).collect();
        Self { nothing: pack::nothing(fields), numbers, store }
    }

    /// Returns the number of numbers of a result.
    pub fn width(&self) -> usize {
        self.nothing.len()
    }

    /// Begins sums, as rows.
    pub fn begin(&self, rows: &mut [u64]) {
        if self.nothing.iter().all(|word| *word == 0) {
            return rows.fill(0);
        }
        rows.chunks_exact_mut(self.width()).for_each(|row| row.copy_from_slice(&self.nothing));
    }

    /// Stores the sums of a block of particles in the lines of a block of results.
    #[inline(always)]
    pub fn store(&self, rows: &[u64], lines: &mut [Line<u64>]) {
        for (c, &(column, merge, is_rounded)) in self.numbers.iter().enumerate() {
            let line = &mut lines[column];
            let sums = rows.chunks_exact(self.width()).map(|row| row[c]);
            match (self.store, merge) {
                (Store::Replace, _) => each(line, sums, |_, sum| sum),
                (Store::Add, Merge::Sum) => each(line, sums, |a, b| Merge::Sum.merged(a, b)),
                (Store::Add, merge) => each(line, sums, |a, b| merge.merged(a, b)),
            }
            if is_rounded {
                line.0.iter_mut().for_each(|word| {
                    *word = f64::from(f64::from_bits(*word) as f32).to_bits();
                });
            }
        }
    }
}

/// Changes the words of a line by numbers of the same particles.
#[inline(always)]
fn each(line: &mut Line<u64>, sums: impl Iterator<Item = u64>, change: impl Fn(u64, u64) -> u64) {
    for (word, sum) in line.0.iter_mut().zip(sums) {
        *word = change(*word, sum);
    }
}
