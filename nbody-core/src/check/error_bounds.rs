//! Error bounds of results, from running error bounds of their pairs.

use std::sync::OnceLock;

use super::bounded::Bounded;
use crate::law::space::{Either, InDomain as _};
use crate::{
    Accumulation, Domain, Interaction, Lane as _, Options, Point, Precision, Reader, Record, Space,
    Vector, Writer, pack, parallel,
};

/// Error bounds of the results of every i-particle, for all precisions and accumulations.
#[derive(Clone, Debug)]
pub struct ErrorBounds<X: Interaction> {
    sets: Sets<X>,
    /// For positions that are rounded like other numbers.
    particles: Vec<Particle<X::F>>,
    /// For double-single positions; computed when first needed, which is seldom.
    double_single: OnceLock<Vec<Particle<X::F>>>,
}

/// The interaction and the particles.
#[derive(Clone, Debug)]
struct Sets<X: Interaction> {
    interaction: X,
    domain: Domain,
    i: Vec<X::I>,
    j: Vec<X::J>,
    one_set: bool,
}

/// Sums over the pairs of one i-particle, component by component.
#[derive(Clone, Copy, Debug, Default)]
struct Particle<F> {
    /// Sums of the magnitudes of the terms.
    magnitude: F,
    /// Sums of the running error bounds of the terms, in units of the roundoff.
    error: F,
    /// Sums of the magnitudes of those terms that are so small, relative to the whole sum, that `f32`
    /// and `f64` may lose them.
    lost: [F; 2],
}

impl<X: Interaction> ErrorBounds<X> {
    /// Computes the bounds for all j-particles acting on every i-particle.
    pub fn new(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J]) -> Self {
        Self::of(interaction, domain, i, j, false)
    }

    /// Computes the bounds for one set of particles, given as i-particles and as j-particles.
    pub fn one_set(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J]) -> Self {
        Self::of(interaction, domain, i, j, true)
    }

    fn of(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J], one_set: bool) -> Self {
        let (interaction, i, j) = (*interaction, i.to_vec(), j.to_vec());
        let sets = Sets { interaction, domain, i, j, one_set };
        let particles = sets.sum(false);
        Self { sets, particles, double_single: OnceLock::new() }
    }

    /// Returns the largest permissible deviations from the reference, component by component.
    ///
    /// With u the unit roundoff of the pair's precision, the bound of a sum is u times the running
    /// error bounds of its terms, plus u (1 + 3√t) times their magnitudes, plus the terms that are less
    /// than u times the sum of the magnitudes. Here t is the number of terms that are summed in that
    /// precision one after another: all of them in [`Accumulation::Direct`], a bag and the number of
    /// bags in [`Accumulation::Blocked`], a bag in [`Accumulation::BlockedF64`], none in
    /// [`Accumulation::Compensated`]. Rounding errors of sums grow with √t but for rare exceptions
    /// (Higham & Mary 2019, SIAM J. Sci. Comput. 41, A2815), such as a sum of many equal terms. In
    /// double precision t is the number of all terms and the errors count twice, since the reference
    /// is rounded too. Counts are exact.
    pub fn bounds(&self, options: &Options) -> Vec<X::F> {
        let nj = self.sets.j.len();
        let bag = options.order.unwrap_or_default().bag.clamp(1, nj.max(1));
        let (roundoff, terms, factor) = match (options.precision, options.accumulation) {
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
                factor * (roundoff * (error + summing * magnitude) + lost)
            };
            read_record((0..dim).map(bound))
        };
        let particles = match options.precision {
            Precision::Mixed => self.double_single.get_or_init(|| self.sets.sum(true)),
            Precision::Single | Precision::Double => &self.particles,
        };
        let stack = X::LAW.stack(size_of::<Particle<f64>>());
        parallel::map(particles.len(), stack, &|k| bound(&particles[k]))
    }
}

impl<X: Interaction> Sets<X> {
    /// Evaluates every pair with running error bounds, where positions are double-single or rounded like
    /// other numbers, and sums the terms.
    fn sum(&self, double_single: bool) -> Vec<Particle<X::F>> {
        let space = Positions { space: Either::in_domain(&self.domain), double_single };
        let parameters: X::With<Bounded> = bounded(&self.interaction);
        let sources: Vec<<X::J as Record>::With<Bounded>> = self.j.iter().map(bounded).collect();
        let skip_self = self.one_set && !X::LAW.self_pairs;
        let only_sums = X::F::FIELDS.iter().all(|field| field.kind.is_sum());
        let particle = |k: usize| {
            let i = bounded(&self.i[k]);
            let (mut terms, mut total) =
                (Terms::new::<X::F>(sources.len()), With::<X::F>::default());
            for (l, j) in sources.iter().enumerate().filter(|&(l, _)| !skip_self || k != l) {
                let mut term = With::<X::F>::default();
                X::pair(&parameters, &space, &i, j, l as u32, &mut term);
                term.write(&mut terms.row());
                // The bounds of sums follow from the terms; those of extremes need the whole result.
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

/// A space in which positions may be double-single, as in [`Mixed`](crate::Mixed): their differences
/// then have errors of their own, and none from rounding the positions to `f32`.
#[derive(Clone, Copy)]
struct Positions {
    space: Either<Bounded>,
    double_single: bool,
}

impl Space<Bounded> for Positions {
    fn difference<const D: usize>(
        &self,
        a: Point<Bounded, D>,
        b: Point<Bounded, D>,
    ) -> Vector<Bounded, D> {
        let d = self.space.difference(a, b);
        if !self.double_single {
            return d;
        }
        Vector(std::array::from_fn(|k| {
            Bounded::double_single_difference(d[k].value, a[k].value.abs() + b[k].value.abs())
        }))
    }
}

type With<F> = <F as Record>::With<Bounded>;

/// Returns the record with the error bounds of rounding its reals once.
fn bounded<P: Record<Lane = f64, Host = P>>(record: &P) -> P::With<Bounded> {
    let mut numbers = Numbers(pack::flatten(&[*record]).into_iter());
    <P as Record>::With::<Bounded>::read(&mut numbers)
}

fn read_record<F: Record<Lane = f64>>(numbers: impl Iterator<Item = f64>) -> F {
    F::read(&mut Numbers(numbers.collect::<Vec<_>>().into_iter()))
}

/// The terms of all pairs of one i-particle, component by component.
struct Terms {
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
}

impl Terms {
    fn new<F: Record>(capacity: usize) -> Self {
        let (sums, magnitudes) =
            (vec![Sum::default(); F::DIM], Vec::with_capacity(capacity * F::DIM));
        Self { sums, magnitudes }
    }

    /// Returns a writer of one term.
    fn row(&mut self) -> Row<'_> {
        Row { sums: self.sums.iter_mut(), magnitudes: &mut self.magnitudes }
    }

    /// Collects the sums, with the error of the whole result for fields that are not sums.
    fn particle<F: Record<Lane = f64>>(mut self, whole: &Self) -> Particle<F> {
        self.sum_lost_terms();
        let kinds = F::FIELDS.iter().map(|field| field.kind);
        let is_sum = kinds.flat_map(|kind| std::iter::repeat_n(kind.is_sum(), kind.components()));
        for ((sum, is_sum), whole) in self.sums.iter_mut().zip(is_sum).zip(&whole.sums) {
            // An extreme has the error of one term, and no error of summation.
            if !is_sum {
                *sum = Sum { error: whole.error, ..Sum::default() };
            }
        }
        let record = |number: fn(&Sum) -> f64| read_record(self.sums.iter().map(number));
        Particle {
            magnitude: record(|sum| sum.magnitude),
            error: record(|sum| sum.error),
            lost: [record(|sum| sum.lost[0]), record(|sum| sum.lost[1])],
        }
    }

    /// Adds up the terms that are below the roundoff of the whole sum.
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
struct Row<'a> {
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
    // Integers that `f64` holds exactly.
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
    // Counts have no error.
    fn index(&mut self) -> u32 {
        self.take();
        0
    }
    fn coordinate(&mut self) -> f64 {
        self.real()
    }
}
