//! Error bounds of results, from running error bounds of their pairs.

use std::sync::OnceLock;

use crate::check::bounded::Bounded;
use crate::check::terms::{Particle, Terms, WHOLES, With, bounded, read_record};
use crate::domain::Domain;
use crate::domain::InDomain as _;
use crate::error::Error;
use crate::law::interaction::Interaction;
use crate::numeric::lane::Lane as _;
use crate::numeric::precision::Precision;
use crate::numeric::space::Either;
use crate::numeric::space::Space;
use crate::numeric::vector::{Point, Vector};
use crate::options::{Accumulation, Options};
use crate::parallel;
use crate::records::pack;
use crate::records::record::Record;

/// Error bounds of the results of every i-particle, for all precisions and accumulations.
#[derive(Clone, Debug)]
pub struct ErrorBounds<X: Interaction> {
    sets: Sets<X>,
    /// Sums for positions that are rounded like other numbers, and for double-single positions;
    /// computed when first needed.
    particles: [OnceLock<Vec<Particle<X::F>>>; 2],
}

/// The interaction and the particles.
#[derive(Clone, Debug)]
struct Sets<X: Interaction> {
    interaction: X,
    domain: Domain,
    i: Vec<X::I>,
    j: Vec<X::J>,
    one_set: bool,
    /// The greatest sum of two positions' distances from the point that positions are taken
    /// relative to, if an engine rounds them again; 0 otherwise.
    length: f64,
}

impl<X: Interaction> ErrorBounds<X> {
    /// Computes the bounds for all j-particles acting on every i-particle. A periodic box is refused
    /// for an interaction without points.
    pub fn new(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J]) -> Result<Self, Error> {
        Self::of(interaction, domain, i, j, false)
    }

    /// Computes the bounds for one set of particles, given as i-particles and as j-particles.
    pub fn one_set(interaction: &X, domain: Domain, i: &[X::I], j: &[X::J]) -> Result<Self, Error> {
        Self::of(interaction, domain, i, j, true)
    }

    fn of(
        interaction: &X,
        domain: Domain,
        i: &[X::I],
        j: &[X::J],
        one_set: bool,
    ) -> Result<Self, Error> {
        X::LAW.check_domain(&domain)?;
        let (interaction, i, j) = (*interaction, i.to_vec(), j.to_vec());
        let sets = Sets { interaction, domain, i, j, one_set, length: 0.0 };
        Ok(Self { sets, particles: Default::default() })
    }

    /// Adds the error of an engine that takes positions relative to some point and rounds them
    /// again. `length` bounds the sum of the distances of any two positions from that point.
    /// Neighbour lists round positions relative to the centre of a group: the length is the length
    /// of a periodic box, or 8 reaches along open axes, plus the reach of the lists.
    #[must_use]
    pub fn with_position_error(mut self, length: f64) -> Self {
        self.sets.length = length;
        self.particles = Default::default();
        self
    }

    /// Returns the largest permissible deviations from the reference, component by component.
    ///
    /// With u the unit roundoff of the pair's precision, the bound of a sum is u times the running
    /// error bounds of its terms, plus u (1 + 3√t) times their magnitudes, plus the terms that are
    /// less than u times the sum of the magnitudes. Here t is the number of terms that are summed
    /// in that precision one after another: all terms in [`Accumulation::Direct`], a bag and the
    /// number of bags in [`Accumulation::Blocked`], a bag in [`Accumulation::BlockedF64`].
    /// Rounding errors of sums grow with √t but for rare exceptions (Higham & Mary 2019, SIAM J.
    /// Sci. Comput. 41, A2815), such as a sum of many equal terms. In double precision t is the
    /// number of all terms and the errors count twice.
    ///
    /// For [`Accumulation::Compensated`] the factor is u (1 + u b²/2), with b terms between two
    /// folds (one bag, or smaller bags of up to 1024 terms together: [`Options::bags_per_fold`]),
    /// and there is no exception: the rounding errors of b terms are at most u b times their sum,
    /// and so are the errors of adding these errors (Ogita, Rump & Oishi 2005, SIAM J. Sci.
    /// Comput. 26, 1955).
    ///
    /// A pair whose distance is within its error of the cutoff may count or not: its whole term,
    /// evaluated just within the cutoff, is added to the bound. Other counts are exact.
    pub fn bounds(&self, options: &Options) -> Vec<X::F> {
        let nj = self.sets.j.len();
        let bag = options.order.unwrap_or_default().bag.clamp(1, nj.max(1));
        let (roundoff, factor) = match options.precision {
            Precision::Double => (f64::ROUNDOFF, 2.0),
            Precision::Single | Precision::Mixed => (f32::ROUNDOFF, 1.0),
        };
        let random = |terms: usize| 3.0 * (terms as f64).sqrt();
        let summing = 1.0
            + match (options.precision, options.accumulation) {
                (Precision::Double, _) | (_, Accumulation::Direct) => random(nj),
                (_, Accumulation::Blocked) => random(bag + nj / bag),
                (_, Accumulation::BlockedF64) => random(bag),
                (_, Accumulation::Compensated) => {
                    let terms = bag.saturating_mul(options.bags_per_fold(bag)).min(nj);
                    0.5 * roundoff * (terms as f64).powi(2)
                }
            };
        let dim = <X::F as Record>::DIM;
        let bound = |particle: &Particle<X::F>| {
            let double = usize::from(options.precision == Precision::Double);
            let Particle { magnitude, error, lost, edge } = *particle;
            let numbers = pack::flatten(&[magnitude, error, lost[double], edge[double]]);
            let bound = |c: usize| {
                let [magnitude, error, lost, edge] = [0, 1, 2, 3].map(|row| numbers[row * dim + c]);
                factor * (roundoff * (error + summing * magnitude) + lost) + edge
            };
            read_record((0..dim).map(bound))
        };
        let double_single = options.precision == Precision::Mixed;
        let particles = &self.particles[usize::from(double_single)];
        // Computed outside the cell: this thread may ask for other bounds while it waits for the
        // pairs.
        let particles = if let Some(particles) = particles.get() {
            particles
        } else {
            let sum = self.sets.sum(double_single);
            particles.get_or_init(|| sum)
        };
        let stack = X::LAW.stack(size_of::<Particle<f64>>());
        parallel::map(particles.len(), stack, &|k| bound(&particles[k]))
    }
}

impl<X: Interaction> Sets<X> {
    /// Evaluates every pair with running error bounds and sums the terms; positions are
    /// double-single or rounded like other numbers.
    fn sum(&self, double_single: bool) -> Vec<Particle<X::F>> {
        let space = Either::in_domain(&self.domain);
        let space =
            Positions { space, double_single, length: self.length, stretch: Stretch::default() };
        let parameters: X::With<Bounded> = bounded(&self.interaction);
        let sources: Vec<<X::J as Record>::With<Bounded>> = self.j.iter().map(bounded).collect();
        let skip_self = self.one_set && !X::LAW.self_pairs;
        let only_sums = X::F::FIELDS.iter().all(|field| field.kind.is_sum());
        let particle = |k: usize| {
            let i = bounded(&self.i[k]);
            let mut terms = Terms::new::<X::F>(sources.len());
            let mut wholes = [With::<X::F>::default(); WHOLES];
            for (l, j) in sources.iter().enumerate().filter(|&(l, _)| !skip_self || k != l) {
                let term = |space: &Positions| {
                    let mut term = With::<X::F>::default();
                    X::pair(&parameters, space, &i, j, l as u32, &mut term);
                    term
                };
                let mut add = |whole: usize, space: &Positions| {
                    X::pair(&parameters, space, &i, j, l as u32, &mut wholes[whole]);
                };
                let edges = Edges::of::<X>(&parameters, &space, &i, j);
                let Some(edges) = edges else { continue };
                term(&space).write(&mut terms.row());
                for (edge, stretch) in edges.0.iter().enumerate() {
                    if let Some(stretch) = *stretch {
                        let roundoff = stretch.roundoff;
                        let row = &mut terms.edge_row(edge, roundoff);
                        term(&Positions { stretch, ..space }).write(row);
                    }
                }
                // Bounds of sums follow from the terms; bounds of extremes need the whole result.
                if !only_sums {
                    add(0, &space);
                    for (edge, stretch) in edges.0.iter().enumerate() {
                        match *stretch {
                            Some(stretch) => add(1 + 2 * edge, &Positions { stretch, ..space }),
                            None => [1, 2].into_iter().for_each(|it| add(it + 2 * edge, &space)),
                        }
                    }
                }
            }
            terms.particle::<X::F>(&wholes)
        };
        parallel::map(self.i.len(), X::LAW.stack(size_of::<Bounded>()), &particle)
    }
}

/// For single and double precision: the stretch that makes the distance of a pair at the edge of
/// the cutoff so short that the pair counts; `None` for other pairs.
struct Edges([Option<Stretch>; 2]);

impl Edges {
    /// Returns the edges of a pair; `None` if it is beyond the cutoff in every precision.
    fn of<X: Interaction>(
        parameters: &X::With<Bounded>,
        space: &Positions,
        i: &<X::I as Record>::With<Bounded>,
        j: &<X::J as Record>::With<Bounded>,
    ) -> Option<Self> {
        if !X::LAW.cutoff {
            return Some(Self([None; 2]));
        }
        let reach = X::cutoff(parameters, space, i, j);
        let reach_error = relative(reach * reach);
        let within =
            |stretch: Stretch| X::within(parameters, &Positions { stretch, ..*space }, i, j);
        // Twice for `f64`: the reference is rounded, too.
        let shorter = [f32::ROUNDOFF, 2.0 * f64::ROUNDOFF].map(|roundoff| Stretch {
            sign: -1.0,
            roundoff,
            error: reach_error,
        });
        if !within(shorter[0]) {
            return None;
        }
        Some(Self(shorter.map(|shorter| {
            let error = reach_error + Bounded::MARGIN + 2.0;
            let longer = Stretch { sign: 1.0, error, ..shorter };
            (within(shorter) && !within(longer)).then_some(shorter)
        })))
    }
}

/// Returns the relative error of a number, in roundoffs.
fn relative(number: Bounded) -> f64 {
    let relative = number.error / number.value.abs();
    if relative.is_nan() { 0.0 } else { relative }
}

/// Distances that are longer or shorter by their error.
#[derive(Clone, Copy, Default)]
struct Stretch {
    /// 1 for longer, -1 for shorter, 0 for neither.
    sign: f64,
    /// The unit roundoff, the unit of the errors.
    roundoff: f64,
    /// The relative error that is added to the error of the squared distance.
    error: f64,
}

impl Stretch {
    /// Returns the factor by which a displacement is stretched.
    fn factor<const D: usize>(self, d: Vector<Bounded, D>) -> f64 {
        let error = self.roundoff * (relative(d.norm2()) + self.error);
        (1.0 + self.sign * error).max(0.0).sqrt()
    }
}

/// A space in which positions may be double-single, as in [`Mixed`](crate::numeric::mixed::Mixed):
/// their differences then have errors of their own, and none from rounding the positions to `f32`.
#[derive(Clone, Copy)]
struct Positions {
    space: Either<Bounded>,
    double_single: bool,
    /// The greatest sum of two positions' distances from the point that positions are taken
    /// relative to, if an engine rounds them again; 0 otherwise.
    length: f64,
    stretch: Stretch,
}

impl Space<Bounded> for Positions {
    fn difference<const D: usize>(
        &self,
        a: Point<Bounded, D>,
        b: Point<Bounded, D>,
    ) -> Vector<Bounded, D> {
        let d = self.space.difference(a, b);
        let mut d = Vector(std::array::from_fn(|k| {
            if self.double_single {
                let magnitude = a[k].value.abs() + b[k].value.abs() + self.length;
                Bounded::double_single_difference(d[k].value, magnitude)
            } else {
                Bounded { error: d[k].error + self.length, ..d[k] }
            }
        }));
        if self.stretch.sign.abs() > 0.0 {
            let factor = self.stretch.factor(d);
            for x in &mut d.0 {
                x.value *= factor;
            }
        }
        d
    }
}
