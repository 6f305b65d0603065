//! Far particles: a few j-particles with the moments of a cell.

use std::ops::Range;

use crate::law::charges::Expansion;
use crate::law::charges::{Carried, Charges};
use crate::parallel;
use crate::trees::axes::Axes;
use crate::trees::cells::Cell;
use crate::trees::moments::{AllMoments, Moments, Summary, length};

/// The far particles of all cells.
#[derive(Clone, Debug, Default)]
pub struct FarParticles {
    /// The positions.
    pub positions: Vec<[f64; 3]>,
    /// The charges: all charges of the first particle, then of the second, and so on.
    pub charges: Vec<f64>,
    /// The first far particle of each cell, and the end of the last range. A cell has none if it
    /// has no more particles than far particles.
    pub first: Vec<u32>,
    /// The greatest distance of the far particles of each cell from its centre.
    pub reach: Vec<f64>,
}

/// The least charge that others are divided by, relative to the largest charge of the far
/// particles of a cell: its rounding error. If charges of both signs sum up to 0, the charges
/// carried with them would be lost.
pub const LEAST: f64 = f64::EPSILON;
/// The least distance at which far particles act, in units of the distance of the farthest one
/// from their centre: nearer, they may coincide with i-particles.
pub const CLEAR: f64 = 1.25;
/// Number of cells whose far particles a thread chooses at a time.
const CHUNK: usize = 256;

impl FarParticles {
    /// Chooses the far particles of all cells. `is_harmonic` tells whether the kernel is harmonic
    /// at all distances at which a cell acts.
    pub fn of(
        cells: &[Cell],
        moments: &AllMoments,
        charges: Charges,
        expansion: Expansion,
        is_harmonic: &(dyn Fn(usize) -> bool + Sync),
    ) -> Self {
        let choice = Choice { cells, moments, charges, expansion, is_harmonic };
        let of_chunk =
            |chunk: usize| choice.of_cells(chunk * CHUNK..cells.len().min((chunk + 1) * CHUNK));
        let parts = parallel::map(cells.len().div_ceil(CHUNK), 0, &of_chunk);
        let mut far = Self::default();
        far.reserve(cells.len(), parts.iter().map(|part| part.positions.len()).sum(), charges);
        for part in parts {
            let begin = far.positions.len() as u32;
            far.first.extend(part.first.iter().map(|first| begin + first));
            far.positions.extend(part.positions);
            far.charges.extend(part.charges);
            far.reach.extend(part.reach);
        }
        far.first.push(far.positions.len() as u32);
        far
    }

    /// Reserves memory for these numbers of cells and far particles.
    fn reserve(&mut self, cells: usize, count: usize, charges: Charges) {
        self.first.reserve_exact(cells + 1);
        self.reach.reserve_exact(cells);
        self.positions.reserve_exact(count);
        self.charges.reserve_exact(count * charges.products.len());
    }

    /// Returns the far particles of a cell.
    pub fn of_cell(&self, k: usize) -> std::ops::Range<usize> {
        self.first[k] as usize..self.first[k + 1] as usize
    }

    fn push(
        &mut self,
        summary: &Summary,
        at: [f64; 3],
        charge: impl Fn(usize) -> f64,
        count: usize,
    ) {
        self.positions.push(std::array::from_fn(|axis| summary.centre[axis] + at[axis]));
        self.charges.extend((0..count).map(charge));
    }

    /// Adds three equal charges with the traceless second moments of the cell (Kawai & Makino
    /// 2001, Astrophys. J. 550, L143): in the plane of the axes 1 and 2, at (0, 2β) and (±√3 α,
    /// −β), with α² = (λ₁ − λ₃) / 2 and β² = (λ₂ − λ₃) / 2 of the second moments λ per charge.
    fn push_three(&mut self, summary: &Summary, axes: &Axes, total: f64) {
        let Axes { lengths2, axes } = *axes;
        let alpha = (0.5 * (lengths2[0] - lengths2[2])).max(0.0).sqrt();
        let beta = (0.5 * (lengths2[1] - lengths2[2])).max(0.0).sqrt();
        let root3 = 3.0_f64.sqrt();
        for [x, y] in [[0.0, 2.0 * beta], [root3 * alpha, -beta], [-root3 * alpha, -beta]] {
            let at = std::array::from_fn(|k| x * axes[0][k] + y * axes[1][k]);
            self.push(summary, at, |_| total / 3.0, 1);
        }
    }

    /// Adds six particles of equal weight at ±√(3 λ) on the axes of the second moments λ per
    /// weight. The other charges are the weight times a linear function of the position, chosen to
    /// have the sum and the first moments of the cell.
    fn push_six(&mut self, summary: &Summary, axes: &Axes, charges: &[Moments]) {
        let Axes { lengths2, axes } = *axes;
        for (axis, length2) in axes.iter().zip(lengths2) {
            let length = (3.0 * length2).max(0.0).sqrt();
            for side in [length, -length] {
                let at = axis.map(|x| side * x);
                let charge = |q: usize| {
                    let along = dot(&charges[q].first, axis);
                    // Only the two particles of this axis contribute to the first moment along it.
                    let linear = if side == 0.0 { 0.0 } else { along / (2.0 * side) };
                    charges[q].sum / 6.0 + linear
                };
                self.push(summary, at, charge, charges.len());
            }
        }
    }

    /// Adds ten particles with all moments up to second order of any charges: at the centre, on
    /// both sides of the three axes of the weight, and at three corners between these. Each charge
    /// is the sum over the particles of the cell of the quadratic function that is 1 at its place
    /// and 0 at the other nine.
    fn push_ten(&mut self, summary: &Summary, axes: &Axes, charges: &[Moments]) {
        let Axes { lengths2, axes } = *axes;
        let lengths = lengths2.map(|length2| (3.0 * length2).max(0.0).sqrt());
        // Moments in units of these lengths along the axes; 0 along an axis without extent.
        let unit = |k: usize| if lengths[k] > 0.0 { lengths[k].recip() } else { 0.0 };
        let first = |q: usize, a: usize| dot(&charges[q].first, &axes[a]) * unit(a);
        let second = |q: usize, a: usize, b: usize| {
            quadratic(&charges[q].second, &axes[a], &axes[b]) * unit(a) * unit(b)
        };
        let count = charges.len();
        let centre = |q: usize| {
            let squares: f64 = (0..3).map(|a| second(q, a, a)).sum();
            charges[q].sum - squares + second(q, 0, 1) + second(q, 0, 2) + second(q, 1, 2)
        };
        self.push(summary, [0.0; 3], centre, count);
        for a in 0..3 {
            let [b, c] = [(a + 1) % 3, (a + 2) % 3];
            let plus = |q: usize| {
                let corners = second(q, a, b) + second(q, a, c);
                0.5 * (second(q, a, a) + first(q, a)) - corners
            };
            let minus = |q: usize| 0.5 * (second(q, a, a) - first(q, a));
            self.push(summary, axes[a].map(|x| lengths[a] * x), plus, count);
            self.push(summary, axes[a].map(|x| -lengths[a] * x), minus, count);
        }
        for [a, b] in [[0, 1], [0, 2], [1, 2]] {
            let at = |k: usize| lengths[a] * axes[a][k] + lengths[b] * axes[b][k];
            self.push(summary, std::array::from_fn(at), |q| second(q, a, b), count);
        }
    }

    /// Keeps charges that others are divided by away from 0, among the far particles of a cell of
    /// this weight.
    fn keep_ratios(&mut self, begin: usize, charges: Charges, weight: f64) {
        let count = charges.products.len();
        for carried in charges.carried {
            let Carried::Ratio(_, by) = *carried else { continue };
            let of_cell = self.charges[begin * count..].iter().skip(by).step_by(count);
            let largest = of_cell.fold(0.0, |most: f64, charge| most.max(charge.abs()));
            let least = LEAST * if largest > 0.0 { largest } else { weight };
            for charge in self.charges[begin * count..].iter_mut().skip(by).step_by(count) {
                if charge.abs() < least {
                    *charge = least.copysign(*charge);
                }
            }
        }
    }
}

/// Everything that the far particles of cells depend on.
struct Choice<'a> {
    cells: &'a [Cell],
    moments: &'a AllMoments,
    charges: Charges,
    expansion: Expansion,
    is_harmonic: &'a (dyn Fn(usize) -> bool + Sync),
}

impl Choice<'_> {
    /// Returns the number of far particles of a cell.
    fn number(&self, k: usize) -> usize {
        let number = match self.expansion {
            Expansion::Monopole => 1,
            Expansion::Second if !self.moments.summaries[k].is_of_one_sign => 10,
            Expansion::Second if self.charges.products.len() == 1 && (self.is_harmonic)(k) => 3,
            Expansion::Second => 6,
        };
        if number < self.cells[k].count() { number } else { 0 }
    }

    /// Chooses the far particles of a range of cells.
    fn of_cells(&self, range: Range<usize>) -> FarParticles {
        let AllMoments { summaries, charges } = self.moments;
        let (mut far, count) = (FarParticles::default(), self.charges.products.len());
        let numbers: Vec<_> = range.clone().map(|k| self.number(k)).collect();
        far.reserve(range.len(), numbers.iter().sum(), self.charges);
        let has_axes = numbers.iter().map(|&number| number > 1);
        let weights = range.clone().zip(has_axes).filter(|(_, has_axes)| *has_axes);
        let weights: Vec<_> = weights.map(|(k, _)| &summaries[k].weight).collect();
        let mut axes = Axes::of_each(&weights).into_iter();
        for (k, number) in range.zip(numbers) {
            let (begin, summary) = (far.positions.len(), &summaries[k]);
            let of_cell = &charges[k * count..][..count];
            far.first.push(begin as u32);
            match (number, if number > 1 { axes.next() } else { None }) {
                (1, _) => far.push(summary, [0.0; 3], |q| of_cell[q].sum, count),
                (3, Some(axes)) => far.push_three(summary, &axes, of_cell[0].sum),
                (6, Some(axes)) => far.push_six(summary, &axes, of_cell),
                (_, Some(axes)) => far.push_ten(summary, &axes, of_cell),
                _ => {}
            }
            far.keep_ratios(begin, self.charges, summary.weight.sum);
            let distance =
                |position: &[f64; 3]| length(difference(position, &summary.centre).into_iter());
            far.reach.push(far.positions[begin..].iter().map(distance).fold(0.0, f64::max));
        }
        far
    }
}

fn difference(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|axis| a[axis] - b[axis])
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns the second moment along two directions.
fn quadratic(second: &[f64; 6], a: &[f64; 3], b: &[f64; 3]) -> f64 {
    let [xx, yy, zz, xy, xz, yz] = *second;
    let rows = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    dot(a, &rows.map(|row| dot(&row, b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trees::moments::Sources;

    const MASS: Charges = Charges { products: &[&[3]], carried: &[Carried::Charge(0)], sums: &[] };
    /// A mass, and two components of momentum.
    const MOMENTUM: Charges = Charges {
        products: &[&[0], &[0, 1], &[0, 2]],
        carried: &[Carried::Charge(0), Carried::Ratio(1, 0), Carried::Ratio(2, 0)],
        sums: &[],
    };
    const DIPOLE: Charges = Charges {
        products: &[&[0], &[1], &[2]],
        carried: &[Carried::Charge(0), Carried::Charge(1), Carried::Charge(2)],
        sums: &[],
    };

    /// Particles in a box with these edges, and their charges. The first charge is positive unless
    /// `signs` is set.
    fn particles(count: usize, signs: bool, edges: [f64; 3]) -> (Vec<[f64; 3]>, Vec<f64>) {
        let mut state = 12345_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as f64 / f64::from(1_u32 << 31)
        };
        let positions = (0..37).map(|_| edges.map(|edge| 5.0 + edge * random())).collect();
        let charge = |k: usize| {
            let x = random();
            if k.is_multiple_of(count) && !signs { x } else { x - 0.6 }
        };
        (positions, (0..37 * count).map(charge).collect())
    }

    struct Found {
        far: FarParticles,
        /// For each charge, the moments of the cell and of its far particles around the same
        /// centre.
        moments: Vec<[Moments; 2]>,
    }

    fn far_of(charges: Charges, signs: bool, harmonic: bool, edges: [f64; 3]) -> Found {
        let count = charges.products.len();
        let (positions, values) = particles(count, signs, edges);
        let cells = [Cell { first: 0, end: 37, ..Cell::default() }];
        let moments = Sources { charges, values: &values, positions: &positions }.moments(&cells);
        let far = FarParticles::of(&cells, &moments, charges, Expansion::Second, &|_| harmonic);
        let centre = moments.summaries[0].centre;
        let mut of_far = vec![Moments::default(); count];
        for (position, of_particle) in far.positions.iter().zip(far.charges.chunks(count)) {
            for (moments, charge) in of_far.iter_mut().zip(of_particle) {
                moments.add(*charge, difference(position, &centre));
            }
        }
        let moments = moments.charges.into_iter().zip(of_far).map(<[Moments; 2]>::from).collect();
        Found { far, moments }
    }

    #[track_caller]
    fn check_close(a: &[f64], b: &[f64], scale: f64) {
        for (a, b) in a.iter().zip(b) {
            let is_close = (a - b).abs() <= 1e-13 * scale;
            assert!(is_close, "{a:e} and {b:e}, of {scale:e}");
        }
    }

    const BOXES: [[f64; 3]; 4] =
        [[1.0, 0.3, 0.6], [1.0, 1.0, 1.0], [2.0, 0.5, 0.0], [0.0, 3.0, 0.0]];

    #[test]
    fn six_have_all_second_moments() {
        for edges in BOXES {
            let Found { far, moments } = far_of(MASS, false, false, edges);
            assert_eq!(far.positions.len(), 6);
            let [cell, six] = moments[0];
            check_close(&[cell.sum], &[six.sum], cell.sum);
            check_close(&cell.first, &six.first, cell.sum);
            check_close(&cell.second, &six.second, cell.sum);
            assert!(far.charges.iter().all(|&charge| charge > 0.0));
        }
    }

    #[test]
    fn three_have_second_moments_without_trace() {
        for edges in BOXES {
            let Found { far, moments } = far_of(MASS, false, true, edges);
            assert_eq!(far.positions.len(), 3);
            let [cell, three] = moments[0];
            check_close(&[cell.sum], &[three.sum], cell.sum);
            check_close(&cell.first, &three.first, cell.sum);
            let traceless = |moments: &Moments| {
                let [xx, yy, zz, rest @ ..] = moments.second;
                let mean = (xx + yy + zz) / 3.0;
                [[xx - mean, yy - mean, zz - mean], rest].concat()
            };
            check_close(&traceless(&cell), &traceless(&three), cell.sum);
        }
    }

    #[test]
    fn ten_have_all_moments_of_charges_of_any_sign() {
        for (charges, edges) in [(MASS, BOXES[0]), (DIPOLE, BOXES[1]), (MOMENTUM, BOXES[2])] {
            let Found { far, moments } = far_of(charges, true, true, edges);
            assert_eq!(far.positions.len(), 10);
            for [cell, ten] in moments {
                check_close(&[cell.sum], &[ten.sum], 37.0);
                check_close(&cell.first, &ten.first, 37.0);
                check_close(&cell.second, &ten.second, 37.0);
            }
        }
    }

    #[test]
    fn momenta_of_positive_masses_have_their_first_moments() {
        for edges in BOXES {
            let Found { far, moments } = far_of(MOMENTUM, false, true, edges);
            assert_eq!(far.positions.len(), 6);
            for [cell, six] in moments {
                check_close(&[cell.sum], &[six.sum], 37.0);
                check_close(&cell.first, &six.first, 37.0);
            }
        }
    }

    #[test]
    fn charges_that_cancel_carry_the_others() {
        let positions = [[0.0; 3]; 12].map(|_| [1.0; 3]);
        let values: Vec<_> =
            (0..12).flat_map(|k| [[1.0, 2.0, 3.0], [-1.0, 2.0, 3.0]][k % 2]).collect();
        let cells = [Cell { first: 0, end: 12, ..Cell::default() }];
        let sources = Sources { charges: MOMENTUM, values: &values, positions: &positions };
        let moments = sources.moments(&cells);
        let far = FarParticles::of(&cells, &moments, MOMENTUM, Expansion::Monopole, &|_| false);
        let mut numbers = [0.0; 3];
        MOMENTUM.carry(&far.charges, &mut numbers);
        assert!(numbers[0].abs() < 1e-14, "{numbers:?}");
        let carried = [numbers[0] * numbers[1], numbers[0] * numbers[2]];
        check_close(&carried, &[24.0, 36.0], 36.0);
    }

    #[test]
    fn cells_of_few_particles_have_no_far_particles() {
        let (positions, values) = particles(1, false, BOXES[0]);
        for (end, expansion, expected) in [
            (1, Expansion::Monopole, 0),
            (2, Expansion::Monopole, 1),
            (3, Expansion::Second, 0),
            (4, Expansion::Second, 3),
        ] {
            let cells = [Cell { first: 0, end, ..Cell::default() }];
            let sources = Sources { charges: MASS, values: &values, positions: &positions };
            let moments = sources.moments(&cells);
            let far = FarParticles::of(&cells, &moments, MASS, expansion, &|_| true);
            assert_eq!(far.positions.len(), expected, "{end}");
            assert_eq!((far.of_cell(0), far.charges.len()), (0..expected, expected));
        }
    }
}
