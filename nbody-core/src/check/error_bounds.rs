//! Error bounds of results, from running error bounds of their pairs.

use std::sync::OnceLock;

use crate::check::inputs::Inputs;
use crate::check::terms::{Sum, Terms, WHOLES};
use crate::domain::Domain;
use crate::error::Error;
use crate::field::Field;
use crate::law::checked_pair::{CheckNumbers, CheckSetting, CheckedPair};
use crate::law::interaction::Law;
use crate::numeric::bounded::Bounded;
use crate::numeric::lane::Lane as _;
use crate::numeric::positions::{Positions, Stretch, relative};
use crate::numeric::precision::Precision;
use crate::options::{Accumulation, Options};
use crate::pairs::sources::Sources;
use crate::parallel;
use crate::records::numbers::{Number, axes, numbers};
use crate::records::pack;
use crate::records::rows::{OwnedRows, Rows};

/// Error bounds of the results of every i-particle of a law without its types, for all precisions
/// and accumulations: see [`ErrorBounds`](crate::ErrorBounds).
#[derive(Clone, Debug)]
pub struct ErrorBounds {
    sets: Sets,
    /// Sums for positions that are rounded like other numbers, and for double-single positions;
    /// computed when first needed.
    particles: [OnceLock<Vec<Vec<Sum>>>; 2],
}

/// The law and the particles, row by row.
#[derive(Clone, Debug)]
struct Sets {
    law: &'static Law,
    pair: CheckedPair,
    parameters: Vec<Bounded>,
    domain: Domain,
    i: Vec<Bounded>,
    /// The j-particles, in each copy of the box.
    j: Vec<Vec<Bounded>>,
    /// The number of i-particles and of j-particles.
    counts: [usize; 2],
    skips_self: bool,
    /// The greatest sum of two positions' distances from the point that positions are taken
    /// relative to, if an engine rounds them again; 0 otherwise.
    length: f64,
}

impl ErrorBounds {
    /// Computes the bounds for the j-particles acting on every i-particle; `parameters` is one row.
    /// With [`Sources::First`] the i-particles are the first j-particles. A law from text is
    /// compiled for it.
    pub fn new(
        law: &'static Law,
        parameters: &[u64],
        domain: Domain,
        i: &dyn Rows,
        j: Sources<'_, dyn Rows + '_>,
    ) -> Result<Self, Error> {
        Self::of(&Inputs::new(law, parameters, domain, i, j)?)
    }

    pub(super) fn of(inputs: &Inputs<'_>) -> Result<Self, Error> {
        let &Inputs { law, parameters, domain, ref i, ref j, .. } = inputs;
        let sets = Sets {
            law,
            pair: law.checked_pair(CheckNumbers::Bounded)?,
            parameters: bounded(law.parameters, parameters),
            domain,
            i: bounded(law.i, i.words()),
            j: j.iter().map(|copy| bounded(law.j, copy.words())).collect(),
            counts: [i.count(), j[0].count()],
            skips_self: inputs.skips_self(),
            length: 0.0,
        };
        Ok(Self { sets, particles: Default::default() })
    }

    /// Adds the error of rounding positions again: see
    /// [`ErrorBounds::with_position_error`](crate::ErrorBounds::with_position_error).
    #[must_use]
    pub fn with_position_error(mut self, length: f64) -> Self {
        self.sets.length = length;
        self.particles = Default::default();
        self
    }

    /// Returns the largest permissible deviations from the reference, component by component: see
    /// [`ErrorBounds::bounds`](crate::ErrorBounds::bounds).
    pub fn bounds(&self, options: &Options) -> OwnedRows {
        let copies = self.sets.j.len();
        let nj = self.sets.counts[1].saturating_mul(copies);
        let bag = options.order.unwrap_or_default().bag.clamp(1, nj.max(1));
        let (roundoff, factor) = match options.precision {
            Precision::Double => (f64::ROUNDOFF, 2.0),
            Precision::Single | Precision::Mixed => (f32::ROUNDOFF, 1.0),
        };
        // Additions of different terms have independent errors, whose sum grows with the square root
        // of their number. Additions of equal terms to sums of one size have equal errors.
        let additions = |terms: usize, equal: f64| {
            let terms = terms as f64;
            (3.0 * terms.sqrt()).max(terms.min(3.0 * terms * equal.sqrt()))
        };
        let summing = |equal: f64| {
            1.0 + match (options.precision, options.accumulation) {
                (Precision::Double, _) | (_, Accumulation::Direct) => additions(nj, equal),
                (_, Accumulation::Blocked) => additions(bag + nj / bag + copies - 1, equal),
                (_, Accumulation::BlockedF64) => additions(bag, equal),
                (_, Accumulation::Compensated) => {
                    let terms = bag.saturating_mul(options.bags_per_fold(bag)).min(nj);
                    0.5 * roundoff * (terms as f64).powi(2)
                }
            }
        };
        let kinds: Vec<_> = numbers(self.sets.law.f).collect();
        let double = usize::from(options.precision == Precision::Double);
        let bound = |(sum, kind): (&Sum, &Number)| {
            let &Sum { magnitude, error, equal, lost, edge } = sum;
            let summing = summing(equal) * magnitude;
            let bound = factor * (roundoff * (error + summing) + lost[double]);
            word(*kind, bound + edge[double])
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
        let row = |k: usize| particles[k].iter().zip(&kinds).map(bound).collect::<Vec<_>>();
        self.sets.results(parallel::map(particles.len(), 0, &row).concat())
    }
}

/// Returns the word of a bound of a number of this kind.
// Bounds of counts are numbers of pairs.
#[allow(clippy::cast_sign_loss)]
fn word(kind: Number, bound: f64) -> u64 {
    if kind == Number::Index { (bound as u32).into() } else { bound.to_bits() }
}

/// Returns the numbers of rows with the error bounds of rounding reals once.
fn bounded(fields: &[Field], rows: &[u64]) -> Vec<Bounded> {
    let number = |(&word, kind): (&u64, Number)| match kind {
        Number::Index => Bounded { value: word as f64, error: 0.0 },
        Number::Real | Number::Coordinate => Bounded::given(f64::from_bits(word)),
    };
    rows.iter().zip(numbers(fields).cycle()).map(number).collect()
}

impl Sets {
    /// Returns results of these rows.
    fn results(&self, rows: Vec<u64>) -> OwnedRows {
        OwnedRows::new(self.law.f, rows).expect("whole rows")
    }

    /// Evaluates every pair with running error bounds and sums the terms of each i-particle;
    /// positions are double-single or rounded like other numbers.
    fn sum(&self, double_single: bool) -> Vec<Vec<Sum>> {
        let length = self.length + self.moved();
        let positions = Positions::new(self.domain, double_single, length);
        let setting = CheckSetting { parameters: &self.parameters, positions };
        let nothing = bounded(self.law.f, &pack::nothing(self.law.f));
        let stack = self.law.stack(size_of::<Bounded>());
        parallel::map(self.counts[0], stack, &|k| self.particle(&setting, &nothing, k))
    }

    /// Returns the greatest magnitude of a coordinate in a copy of the box, where engines round
    /// positions again.
    fn moved(&self) -> f64 {
        let mut greatest = 0.0_f64;
        for copy in &self.j[1..] {
            for (number, axis) in copy.iter().zip(axes(self.law.j).cycle()) {
                let is_moved = axis.is_some() && number.value.is_finite();
                greatest = greatest.max(if is_moved { number.value.abs() } else { 0.0 });
            }
        }
        greatest
    }

    /// Sums the terms of the i-particle with this index.
    fn particle(&self, setting: &CheckSetting<'_>, nothing: &[Bounded], k: usize) -> Vec<Sum> {
        let [of_i, of_j] = [self.law.i, self.law.j].map(pack::dim);
        let i = &self.i[k * of_i..][..of_i];
        let only_sums = self.law.f.iter().all(|field| field.kind.is_sum());
        let mut terms = Terms::new(self.law.f, self.counts[1] * self.j.len());
        let mut wholes = [(); WHOLES].map(|()| nothing.to_vec());
        let mut term = nothing.to_vec();
        let of_copies =
            (0..self.j.len()).flat_map(|copy| (0..self.counts[1]).map(move |l| (copy, l)));
        for (copy, l) in of_copies.filter(|&it| !self.skips_self || it != (0, k)) {
            let j = &self.j[copy][l * of_j..][..of_j];
            let edges = Edges::of(self, setting, [i, j]);
            let Some(edges) = edges else { continue };
            let add = |setting: &CheckSetting<'_>, f: &mut [Bounded]| {
                self.pair.pair(setting, i, j, l as u32, f);
            };
            term.copy_from_slice(nothing);
            add(setting, &mut term);
            terms.add(&term);
            for (edge, stretch) in edges.0.iter().enumerate() {
                if let Some(stretch) = *stretch {
                    term.copy_from_slice(nothing);
                    add(&stretched(setting, stretch), &mut term);
                    terms.add_edge(&term, edge, stretch.roundoff);
                }
            }
            // Bounds of sums follow from the terms; bounds of extremes need the whole result.
            if !only_sums {
                add(setting, &mut wholes[0]);
                for (edge, stretch) in edges.0.iter().enumerate() {
                    if let Some(stretch) = *stretch {
                        add(&stretched(setting, stretch), &mut wholes[1 + 2 * edge]);
                    } else {
                        for it in [1, 2] {
                            add(setting, &mut wholes[it + 2 * edge]);
                        }
                    }
                }
            }
        }
        terms.sums(&wholes)
    }
}

/// Returns the setting with other distances.
fn stretched<'a>(setting: &CheckSetting<'a>, stretch: Stretch) -> CheckSetting<'a> {
    CheckSetting { positions: setting.positions.stretched(stretch), ..*setting }
}

/// For single and double precision: the stretch with which a pair at the edge of the cutoff counts;
/// `None` for other pairs.
struct Edges([Option<Stretch>; 2]);

impl Edges {
    /// Returns the edges of a pair; `None` if it is beyond the cutoff in every precision.
    fn of(sets: &Sets, setting: &CheckSetting<'_>, [i, j]: [&[Bounded]; 2]) -> Option<Self> {
        if !sets.law.cutoff {
            return Some(Self([None; 2]));
        }
        let reach = sets.pair.cutoff(setting, i, j);
        let reach_error = relative(reach * reach);
        let within = |stretch: Stretch| sets.pair.within(&stretched(setting, stretch), i, j);
        let edge = |roundoff: f64| {
            let shorter = Stretch { sign: -1.0, roundoff, error: reach_error };
            let error = reach_error + Bounded::MARGIN + 2.0;
            [shorter, Stretch { sign: 1.0, error, ..shorter }].map(|it| (it, within(it)))
        };
        let single = edge(f32::ROUNDOFF);
        if single.iter().all(|(_, counts)| !counts) && !within(Stretch::default()) {
            return None;
        }
        // Twice for `f64`: the reference is rounded, too.
        Some(Self([single, edge(2.0 * f64::ROUNDOFF)].map(|edge| match edge {
            [(shorter, true), (_, false)] => Some(shorter),
            // A cutoff may grow faster than the distance.
            [(_, false), (longer, true)] => Some(longer),
            _ => None,
        })))
    }
}
