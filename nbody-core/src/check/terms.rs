//! The terms of the sums of an i-particle, with their error bounds.

use crate::field::Field;
use crate::numeric::bounded::Bounded;
use crate::numeric::lane::Lane as _;
use crate::records::numbers::{Number, numbers};

/// Number of whole results: the reference, then in single and in double precision the result with
/// and without the pairs at the edge of the cutoff.
pub(super) const WHOLES: usize = 5;

/// The terms of all pairs of one i-particle, component by component.
pub(super) struct Terms {
    fields: &'static [Field],
    sums: Vec<Sum>,
    /// The magnitudes of the terms, row by row.
    magnitudes: Vec<f64>,
}

/// The sums of the terms of a component.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    /// The magnitudes of the terms.
    pub magnitude: f64,
    /// The running error bounds of the terms, in units of the roundoff.
    pub error: f64,
    /// The share of pairs of terms that are equal, and not zero.
    pub equal: f64,
    /// The magnitudes of the terms that are so small, relative to the whole sum, that `f32` and
    /// `f64` may lose them.
    pub lost: [f64; 2],
    /// The terms of pairs at the edge of the cutoff, in single and in double precision.
    pub edge: [f64; 2],
}

impl Terms {
    pub fn new(fields: &'static [Field], capacity: usize) -> Self {
        let sums = vec![Sum::default(); numbers(fields).count()];
        let magnitudes = Vec::with_capacity(capacity * sums.len());
        Self { fields, sums, magnitudes }
    }

    /// Adds a term.
    pub fn add(&mut self, term: &[Bounded]) {
        for (sum, value) in self.sums.iter_mut().zip(reals(self.fields, term)) {
            let Bounded { value, error } = value.abs();
            self.magnitudes.push(value);
            sum.magnitude += value;
            sum.error += error;
        }
    }

    /// Adds the term of a pair at the edge of the cutoff in single (0) or in double (1) precision,
    /// which may count or not.
    pub fn add_edge(&mut self, term: &[Bounded], edge: usize, roundoff: f64) {
        for (sum, value) in self.sums.iter_mut().zip(reals(self.fields, term)) {
            sum.edge[edge] += value.value.abs() + roundoff * value.error;
        }
    }

    /// Returns the sums, with the errors of the whole results for fields that are not sums.
    pub fn sums(mut self, wholes: &[Vec<Bounded>; WHOLES]) -> Vec<Sum> {
        self.sum_lost_terms();
        self.find_equal_terms();
        let kinds = self.fields.iter().map(|field| field.kind);
        let is_sum = kinds.flat_map(|kind| std::iter::repeat_n(kind.is_sum(), kind.components()));
        for (c, (sum, is_sum)) in self.sums.iter_mut().zip(is_sum).enumerate() {
            // An extreme has the error of one term, and a count has none. If only some of the
            // pairs at the edge count, both lie between the results with all and with none of
            // these pairs.
            if !is_sum {
                let between = |[a, b]: [usize; 2]| {
                    let d = wholes[a][c].value - wholes[b][c].value;
                    // Without any pair it is infinite.
                    if d.is_finite() { d.abs() } else { 0.0 }
                };
                let edge = [between([1, 2]), between([3, 4])];
                *sum = Sum { error: wholes[0][c].error, edge, ..Sum::default() };
            }
        }
        self.sums
    }

    /// Estimates the share of pairs of terms that are equal, from pairs at a few distances.
    fn find_equal_terms(&mut self) {
        const DISTANCES: [usize; 8] = [1, 2, 3, 5, 8, 13, 21, 34];
        let width = self.sums.len().max(1);
        let rows = || self.magnitudes.chunks_exact(width);
        for (c, sum) in self.sums.iter_mut().enumerate() {
            let (mut equal, mut all) = (0_usize, 0_usize);
            for distance in DISTANCES {
                let pairs = rows().zip(rows().skip(distance));
                for (a, b) in pairs {
                    all += 1;
                    equal += usize::from(a[c] == b[c] && a[c] != 0.0);
                }
            }
            sum.equal = equal as f64 / all.max(1) as f64;
        }
    }

    /// Sums the terms that are below the roundoff of the whole sum.
    fn sum_lost_terms(&mut self) {
        for row in self.magnitudes.chunks_exact(self.sums.len().max(1)) {
            for (Sum { magnitude, lost, .. }, term) in self.sums.iter_mut().zip(row) {
                for (lost, roundoff) in lost.iter_mut().zip([f32::ROUNDOFF, f64::ROUNDOFF]) {
                    if *term < roundoff * *magnitude {
                        *lost += term;
                    }
                }
            }
        }
    }
}

/// Returns the numbers of a term, with zeros for its integers.
fn reals<'a>(fields: &'a [Field], term: &'a [Bounded]) -> impl Iterator<Item = Bounded> + 'a {
    let real = |(value, kind): (&Bounded, Number)| match kind {
        Number::Index => Bounded::default(),
        Number::Real | Number::Coordinate => *value,
    };
    term.iter().zip(numbers(fields)).map(real)
}
