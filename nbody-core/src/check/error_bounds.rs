//! How far rounding may move results.

use std::sync::OnceLock;

use super::bounded::Bounded;
use crate::law::space::{Either, InDomain as _};
use crate::{
    Accumulation, Domain, Interaction, Lane as _, Options, Point, Precision, Reader, Record, Space,
    Vector, Writer, pack, parallel,
};

/// How far rounding may move the results of the j-particles on each i-particle, whatever the
/// precision and the accumulation.
#[derive(Clone, Debug)]
pub struct ErrorBounds<X: Interaction> {
    sets: Sets<X>,
    /// Bounded with positions that are rounded like other numbers.
    particles: Vec<Particle<X::F>>,
    /// Bounded with positions that are split in two, by the first who asks: few do.
    split: OnceLock<Vec<Particle<X::F>>>,
}

/// The particles that meet.
#[derive(Clone, Debug)]
struct Sets<X: Interaction> {
    interaction: X,
    domain: Domain,
    i: Vec<X::I>,
    j: Vec<X::J>,
    one_set: bool,
}

/// How far rounding may move the results of one i-particle, component by component.
#[derive(Clone, Copy, Debug, Default)]
struct Particle<F> {
    /// The sums of the magnitudes of what pairs give.
    magnitude: F,
    /// The sums of the errors that rounding within pairs adds to these, in units of the roundoff.
    error: F,
    /// The sums of the magnitudes that are so small, to the whole sum, that `f32` and `f64` may
    /// lose them.
    lost: [F; 2],
}

impl<X: Interaction> ErrorBounds<X> {
    /// Of all j-particles on each i-particle.
    pub fn new(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J]) -> Self {
        Self::of(interaction, domain, i, j, false)
    }

    /// Of one set of particles on itself, given as what feels and as what acts.
    pub fn one_set(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J]) -> Self {
        Self::of(interaction, domain, i, j, true)
    }

    fn of(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J], one_set: bool) -> Self {
        let (interaction, i, j) = (*interaction, i.to_vec(), j.to_vec());
        let sets = Sets { interaction, domain, i, j, one_set };
        let particles = sets.trace(false);
        Self { sets, particles, split: OnceLock::new() }
    }

    /// How far a right result may be from the reference, component by component.
    ///
    /// With u the unit roundoff of the pair's precision, a sum may be off by u times the errors
    /// within its pairs, u (1 + 3√t) times the magnitudes of its terms, and the terms that are
    /// less than u times those. Here t is how many terms are summed in that precision one after
    /// another: all of them in [`Accumulation::Direct`], a bag and the number of bags in
    /// [`Accumulation::Blocked`], a bag in [`Accumulation::BlockedF64`], none in
    /// [`Accumulation::Compensated`]. Rounding errors of sums grow with √t but for rare exceptions
    /// (Higham & Mary 2019, SIAM J. Sci. Comput. 41, A2815), among them a sum that adds one and the
    /// same term again and again. In double precision t is the whole sum and the errors count
    /// twice, since the reference is rounded too. Counts are exact.
    pub fn bounds(&self, options: &Options) -> Vec<X::F> {
        let nj = self.sets.j.len();
        let bag = options.order.unwrap_or_default().bag.clamp(1, nj.max(1));
        let (roundoff, terms, inexact) = match (options.precision, options.accumulation) {
            (Precision::Double, _) => (f64::ROUNDOFF, nj, 2.0),
            (_, Accumulation::Direct) => (f32::ROUNDOFF, nj, 1.0),
            (_, Accumulation::Blocked) => (f32::ROUNDOFF, bag + nj / bag, 1.0),
            (_, Accumulation::BlockedF64) => (f32::ROUNDOFF, bag, 1.0),
            (_, Accumulation::Compensated) => (f32::ROUNDOFF, 0, 1.0),
        };
        let summing = 1.0 + 3.0 * (terms as f64).sqrt();
        let dim = <X::F as Record>::DIM;
        let bound = |particle: &Particle<X::F>| {
            let lost = particle.lost[usize::from(options.precision == Precision::Double)];
            let numbers = pack::flatten(&[particle.magnitude, particle.error, lost]);
            let bound = |c: usize| {
                let [magnitude, error, lost] = [0, 1, 2].map(|row| numbers[row * dim + c]);
                inexact * (roundoff * (error + summing * magnitude) + lost)
            };
            record((0..dim).map(bound))
        };
        let particles = match options.precision {
            Precision::Mixed => self.split.get_or_init(|| self.sets.trace(true)),
            Precision::Single | Precision::Double => &self.particles,
        };
        let stack = X::LAW.stack(size_of::<Particle<f64>>());
        parallel::map(particles.len(), stack, &|k| bound(&particles[k]))
    }
}

impl<X: Interaction> Sets<X> {
    /// Traces every pair, with positions that are split in two or rounded like other numbers.
    fn trace(&self, split: bool) -> Vec<Particle<X::F>> {
        let space = Positions { space: Either::in_domain(&self.domain), split };
        let parameters: X::With<Bounded> = traced(&self.interaction);
        let sources: Vec<<X::J as Record>::With<Bounded>> = self.j.iter().map(traced).collect();
        let skip_self = self.one_set && !X::LAW.self_pairs;
        let only_sums = X::F::FIELDS.iter().all(|field| field.kind.is_sum());
        let particle = |k: usize| {
            let i = traced(&self.i[k]);
            let (mut terms, mut total) =
                (Terms::new::<X::F>(sources.len()), With::<X::F>::default());
            for (l, j) in sources.iter().enumerate().filter(|&(l, _)| !skip_self || k != l) {
                let mut term = With::<X::F>::default();
                X::pair(&parameters, &space, &i, j, l as u32, &mut term);
                term.write(&mut terms.row());
                // Sums are told from their terms.
                if !only_sums {
                    X::pair(&parameters, &space, &i, j, l as u32, &mut total);
                }
            }
            let mut whole = Terms::new::<X::F>(1);
            total.write(&mut whole.row());
            terms.particle::<X::F>(&whole)
        };
        parallel::map(self.i.len(), X::LAW.stack(size_of::<Bounded>()), &particle)
    }
}

/// A space where positions may be split in two, as in [`Mixed`](crate::Mixed): their differences
/// then have errors of their own, and none of the positions.
#[derive(Clone, Copy)]
struct Positions {
    space: Either<Bounded>,
    split: bool,
}

impl Space<Bounded> for Positions {
    fn difference<const D: usize>(
        &self,
        a: Point<Bounded, D>,
        b: Point<Bounded, D>,
    ) -> Vector<Bounded, D> {
        let d = self.space.difference(a, b);
        if !self.split {
            return d;
        }
        Vector(std::array::from_fn(|k| {
            Bounded::difference_of_split(d[k].value, a[k].value.abs() + b[k].value.abs())
        }))
    }
}

type With<F> = <F as Record>::With<Bounded>;

/// The record as it is given, its reals rounded once.
fn traced<P: Record<Lane = f64, Host = P>>(record: &P) -> P::With<Bounded> {
    let mut numbers = Numbers(pack::flatten(&[*record]).into_iter());
    <P as Record>::With::<Bounded>::read(&mut numbers)
}

fn record<F: Record<Lane = f64>>(numbers: impl Iterator<Item = f64>) -> F {
    F::read(&mut Numbers(numbers.collect::<Vec<_>>().into_iter()))
}

/// What pairs give, component by component.
struct Terms {
    sums: Vec<Sum>,
    /// The magnitudes, row by row.
    magnitudes: Vec<f64>,
}

/// The sums of the terms of a component.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    magnitude: f64,
    error: f64,
    /// What may be lost in single and in double precision.
    lost: [f64; 2],
}

impl Terms {
    fn new<F: Record>(capacity: usize) -> Self {
        let (sums, magnitudes) =
            (vec![Sum::default(); F::DIM], Vec::with_capacity(capacity * F::DIM));
        Self { sums, magnitudes }
    }

    /// Takes the components of one term.
    fn row(&mut self) -> Row<'_> {
        Row { sums: self.sums.iter_mut(), magnitudes: &mut self.magnitudes }
    }

    /// What the terms say of sums, and the whole of everything else.
    fn particle<F: Record<Lane = f64>>(mut self, whole: &Self) -> Particle<F> {
        self.lose();
        let kinds = F::FIELDS.iter().map(|field| field.kind);
        let is_sum = kinds.flat_map(|kind| std::iter::repeat_n(kind.is_sum(), kind.components()));
        for ((sum, is_sum), whole) in self.sums.iter_mut().zip(is_sum).zip(&whole.sums) {
            // An extreme has the error of one term, and none of summing.
            if !is_sum {
                *sum = Sum { error: whole.error, ..Sum::default() };
            }
        }
        let record = |number: fn(&Sum) -> f64| record(self.sums.iter().map(number));
        Particle {
            magnitude: record(|sum| sum.magnitude),
            error: record(|sum| sum.error),
            lost: [record(|sum| sum.lost[0]), record(|sum| sum.lost[1])],
        }
    }

    /// Finds the terms that are lost, to the whole sum.
    fn lose(&mut self) {
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

/// Where the components of one term go.
struct Row<'a> {
    sums: std::slice::IterMut<'a, Sum>,
    magnitudes: &'a mut Vec<f64>,
}

// Results have no coordinates.
impl Writer<Bounded> for Row<'_> {
    #[inline]
    fn real(&mut self, value: Bounded) {
        let Bounded { value, error } = value.abs();
        self.magnitudes.push(value);
        if let Some(sum) = self.sums.next() {
            sum.magnitude += value;
            sum.error += error;
        }
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

struct Numbers(std::vec::IntoIter<f64>);

impl Reader<Bounded> for Numbers {
    fn real(&mut self) -> Bounded {
        Bounded::given(self.0.next().unwrap_or_default())
    }
    // Integers that `f64` holds exactly.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn index(&mut self) -> u32 {
        self.0.next().unwrap_or_default() as u32
    }
    fn coordinate(&mut self) -> Bounded {
        self.real()
    }
}

impl Reader<f64> for Numbers {
    fn real(&mut self) -> f64 {
        self.0.next().unwrap_or_default()
    }
    // Counts have no error.
    fn index(&mut self) -> u32 {
        self.0.next();
        0
    }
    fn coordinate(&mut self) -> f64 {
        self.real()
    }
}
