//! The terms of the sums of an i-particle, with their error bounds.

use crate::check::bounded::Bounded;
use crate::numeric::lane::Lane as _;
use crate::numeric::rows::{Reader, Writer};
use crate::records::pack;
use crate::records::record::Record;

/// Sums over the pairs of one i-particle, component by component.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Particle<F> {
    /// Sums of the magnitudes of the terms.
    pub magnitude: F,
    /// Sums of the running error bounds of the terms, in units of the roundoff.
    pub error: F,
    /// Sums of the magnitudes of the terms that are so small, relative to the whole sum, that
    /// `f32` and `f64` may lose them.
    pub lost: [F; 2],
    /// Sums of the terms of pairs at the edge of the cutoff, in single and in double precision.
    pub edge: [F; 2],
}

/// Number of whole results: the reference, then in single and in double precision the result with
/// and without the pairs at the edge of the cutoff.
pub(super) const WHOLES: usize = 5;

pub(super) type With<F> = <F as Record>::With<Bounded>;

/// Returns the record with the error bounds of rounding its reals once.
pub(super) fn bounded<P: Record<Lane = f64, Host = P>>(record: &P) -> P::With<Bounded> {
    let mut numbers = Numbers(pack::flatten(&[*record]).into_iter());
    <P as Record>::With::<Bounded>::read(&mut numbers)
}

pub(super) fn read_record<F: Record<Lane = f64>>(numbers: impl Iterator<Item = f64>) -> F {
    F::read(&mut Numbers(numbers.collect::<Vec<_>>().into_iter()))
}

/// The terms of all pairs of one i-particle, component by component.
pub(super) struct Terms {
    sums: Vec<Sum>,
    /// The magnitudes of the terms, row by row.
    magnitudes: Vec<f64>,
}

/// The sums of the terms of a component.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    magnitude: f64,
    error: f64,
    /// The terms that may be lost in single and in double precision.
    lost: [f64; 2],
    /// The terms of pairs at the edge of the cutoff.
    edge: [f64; 2],
}

impl Terms {
    pub fn new<F: Record>(capacity: usize) -> Self {
        let (sums, magnitudes) =
            (vec![Sum::default(); F::DIM], Vec::with_capacity(capacity * F::DIM));
        Self { sums, magnitudes }
    }

    /// Returns a writer of one term.
    pub fn row(&mut self) -> Row<'_> {
        Row { sums: self.sums.iter_mut(), magnitudes: &mut self.magnitudes }
    }

    /// Returns a writer of the term of a pair at the edge of the cutoff.
    pub fn edge_row(&mut self, edge: usize, roundoff: f64) -> EdgeRow<'_> {
        EdgeRow { sums: self.sums.iter_mut(), edge, roundoff }
    }

    /// Collects the sums, with the errors of the whole results for fields that are not sums.
    pub fn particle<F: Record<Lane = f64>>(mut self, wholes: &[With<F>; WHOLES]) -> Particle<F> {
        self.sum_lost_terms();
        let kinds = F::FIELDS.iter().map(|field| field.kind);
        let is_sum = kinds.flat_map(|kind| std::iter::repeat_n(kind.is_sum(), kind.components()));
        let wholes = wholes.each_ref().map(|whole| {
            let mut values = Values::default();
            whole.write(&mut values);
            values.0
        });
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
        let record = |number: fn(&Sum) -> f64| read_record(self.sums.iter().map(number));
        Particle {
            magnitude: record(|sum| sum.magnitude),
            error: record(|sum| sum.error),
            lost: [record(|sum| sum.lost[0]), record(|sum| sum.lost[1])],
            edge: [record(|sum| sum.edge[0]), record(|sum| sum.edge[1])],
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

/// Writer of the components of one term.
pub(super) struct Row<'a> {
    sums: std::slice::IterMut<'a, Sum>,
    magnitudes: &'a mut Vec<f64>,
}

// Results have no coordinates.
impl Writer<Bounded> for Row<'_> {
    #[inline]
    fn real(&mut self, value: Bounded) {
        let Bounded { value, error } = value.abs();
        let sum = self.sums.next().expect("a sum for each component");
        self.magnitudes.push(value);
        sum.magnitude += value;
        sum.error += error;
    }
    #[inline]
    fn index(&mut self, _: u32) {
        self.real(Bounded::default());
    }
    #[inline]
    fn coordinate(&mut self, value: Bounded) {
        self.real(value);
    }
}

/// Writer of the components of a term that may count or not.
pub(super) struct EdgeRow<'a> {
    sums: std::slice::IterMut<'a, Sum>,
    /// 0 in single precision, 1 in double precision.
    edge: usize,
    roundoff: f64,
}

impl Writer<Bounded> for EdgeRow<'_> {
    fn real(&mut self, value: Bounded) {
        let sum = self.sums.next().expect("a sum for each component");
        sum.edge[self.edge] += value.value.abs() + self.roundoff * value.error;
    }
    fn index(&mut self, _: u32) {
        self.real(Bounded::default());
    }
    fn coordinate(&mut self, value: Bounded) {
        self.real(value);
    }
}

/// Writer of the components of a whole result.
#[derive(Default)]
struct Values(Vec<Bounded>);

impl Writer<Bounded> for Values {
    fn real(&mut self, value: Bounded) {
        self.0.push(value);
    }
    fn index(&mut self, count: u32) {
        self.0.push(Bounded { value: count.into(), error: 0.0 });
    }
    fn coordinate(&mut self, value: Bounded) {
        self.0.push(value);
    }
}

/// Reader of the numbers of a record.
struct Numbers(std::vec::IntoIter<f64>);

impl Numbers {
    fn take(&mut self) -> f64 {
        self.0.next().expect("a number for each component")
    }
}

impl Reader<Bounded> for Numbers {
    fn real(&mut self) -> Bounded {
        Bounded::given(self.take())
    }
    // Integers, which `f64` holds exactly.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn index(&mut self) -> u32 {
        self.take() as u32
    }
    fn coordinate(&mut self) -> Bounded {
        self.real()
    }
}

impl Reader<f64> for Numbers {
    fn real(&mut self) -> f64 {
        self.take()
    }
    // Bounds of counts are numbers of pairs.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn index(&mut self) -> u32 {
        self.take() as u32
    }
    fn coordinate(&mut self) -> f64 {
        self.real()
    }
}
