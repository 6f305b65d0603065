//! Moments of the charges of cells.
// Three axes at once.
#![allow(clippy::needless_range_loop)]

use crate::law::charges::Charges;
use crate::numeric::simd::level::Best;
use crate::parallel;
use crate::trees::cells::{Cell, depths};

/// Number of cells whose moments a thread computes at a time.
const CHUNK: usize = 256;

/// The charges and positions of a set of ordered particles.
pub struct ChargedSources<'a> {
    /// The charges of a law.
    pub charges: Charges,
    /// The charges: all charges of the first particle, then of the second, and so on.
    pub values: &'a [f64],
    /// The positions, wrapped into a periodic box.
    pub positions: &'a [[f64; 3]],
}

/// The sum, the first and the second moments of a weight around a centre.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// The sum.
    pub sum: f64,
    /// The first moments.
    pub first: [f64; 3],
    /// The second moments: xx, yy, zz, xy, xz and yz.
    pub second: [f64; 6],
}

impl Moments {
    /// Adds a weight at this displacement from the centre.
    #[inline(always)]
    pub fn add(&mut self, weight: f64, at: [f64; 3]) {
        let [x, y, z] = at;
        let first = at.map(|x| weight * x);
        self.sum += weight;
        for (sum, term) in self.first.iter_mut().zip(first) {
            *sum += term;
        }
        let second = [x * x, y * y, z * z, x * y, x * z, y * z];
        for (sum, term) in self.second.iter_mut().zip(second) {
            *sum += weight * term;
        }
    }

    /// Adds moments around another centre, which is displaced by `by`.
    #[inline(always)]
    fn add_moved(&mut self, part: &Self, by: [f64; 3]) {
        let [x, y, z] = by;
        let [a, b, c] = part.first;
        let moved = [
            (2.0 * a + part.sum * x) * x,
            (2.0 * b + part.sum * y) * y,
            (2.0 * c + part.sum * z) * z,
            a * y + b * x + part.sum * x * y,
            a * z + c * x + part.sum * x * z,
            b * z + c * y + part.sum * y * z,
        ];
        self.sum += part.sum;
        for axis in 0..3 {
            self.first[axis] += part.first[axis] + part.sum * by[axis];
        }
        for (k, moved) in moved.into_iter().enumerate() {
            self.second[k] += part.second[k] + moved;
        }
    }
}

/// A cell as seen from a distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// The centre of mass of the magnitudes of the charges.
    pub centre: [f64; 3],
    /// The least and the greatest coordinates.
    pub bounds: [[f64; 3]; 2],
    /// The moments of the magnitudes of the charges around the centre.
    pub weight: Moments,
    /// Whether a single charge gives the weight and has the same sign in all particles.
    pub is_of_one_sign: bool,
}

impl Summary {
    /// Returns the distance of the farthest corner of the bounds from the centre.
    pub fn radius(&self) -> f64 {
        let farthest = |axis: usize| {
            let [least, greatest] = self.bounds.map(|corner| corner[axis]);
            (self.centre[axis] - least).max(greatest - self.centre[axis])
        };
        length([0, 1, 2].map(farthest).into_iter())
    }
}

/// The moments of all cells.
pub struct AllMoments {
    /// The summary of each cell.
    pub summaries: Vec<Summary>,
    /// The moments of each charge around the centre of its cell: all charges of the first cell,
    /// then of the second, and so on.
    pub charges: Vec<Moments>,
}

/// The moments of cells of greater depths.
struct Deeper<'a> {
    /// The index of the first of these cells.
    begin: usize,
    summaries: &'a [Summary],
    charges: &'a [Moments],
}

/// Returns the length of a vector, even if squares of its components overflow or underflow.
#[inline]
pub fn length(components: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = components.clone().fold(0.0, |most: f64, x| most.max(x.abs()));
    if (1e-120..1e120).contains(&most) {
        return components.map(|x| x * x).sum::<f64>().sqrt();
    }
    if most == 0.0 || most.is_infinite() {
        // The maximum ignores NaN.
        return if components.clone().any(f64::is_nan) { f64::NAN } else { most };
    }
    most * components.map(|x| (x / most).powi(2)).sum::<f64>().sqrt()
}

impl ChargedSources<'_> {
    /// Returns the number of charges of a particle.
    #[inline(always)]
    fn count(&self) -> usize {
        self.charges.products.len()
    }

    #[inline(always)]
    fn of_particle(&self, k: usize) -> &[f64] {
        let count = self.count();
        &self.values[k * count..][..count]
    }

    /// Returns the moments of all cells.
    pub fn moments(&self, cells: &[Cell]) -> AllMoments {
        let (count, best) = (self.count(), Best::new());
        let mut summaries = vec![Summary::default(); cells.len()];
        let mut charges = vec![Moments::default(); cells.len() * count];
        for depth in depths(cells).into_iter().rev() {
            let (summaries, of_children) = summaries.split_at_mut(depth.end);
            let (mut charges, charges_of_children) = charges.split_at_mut(depth.end * count);
            charges = &mut charges[depth.start * count..];
            let mut parts = Vec::new();
            for summaries in summaries[depth.start..].chunks_mut(CHUNK) {
                let (of_part, others) = charges.split_at_mut(summaries.len() * count);
                parts.push((summaries, of_part));
                charges = others;
            }
            let children =
                Deeper { begin: depth.end, summaries: of_children, charges: charges_of_children };
            parallel::each_chunk(&mut parts, 1, &|part, of_part| {
                for (summaries, charges) in of_part {
                    let cells = &cells[depth.start + part * CHUNK..][..summaries.len()];
                    best.run(
                        #[inline(always)]
                        || self.of_cells(cells, &children, summaries, charges),
                    );
                }
            });
        }
        AllMoments { summaries, charges }
    }

    /// Computes the moments of cells of one depth.
    #[inline(always)]
    fn of_cells(
        &self,
        cells: &[Cell],
        deeper: &Deeper,
        summaries: &mut [Summary],
        charges: &mut [Moments],
    ) {
        let count = self.count();
        let primary: Vec<_> = self.charges.primary().collect();
        for (k, (cell, summary)) in cells.iter().zip(summaries).enumerate() {
            let charges = &mut charges[k * count..][..count];
            *summary = if cell.children == 0 {
                self.of_leaf(*cell, &primary, charges)
            } else {
                let range = cell.cells().start - deeper.begin..cell.cells().end - deeper.begin;
                let of_children = &deeper.charges[range.start * count..];
                of_parent(&deeper.summaries[range], of_children, &primary, charges)
            };
        }
    }

    #[inline(always)]
    fn of_leaf(&self, cell: Cell, primary: &[usize], charges: &mut [Moments]) -> Summary {
        let weight = |k: usize| match primary {
            [q] => self.of_particle(k)[*q].abs(),
            _ => length(primary.iter().map(|&q| self.of_particle(k)[q])),
        };
        let mut body =
            Summary { bounds: [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]], ..Summary::default() };
        // A single charge that is nowhere negative is itself the weight.
        let (mut sum, mut is_weight) = (0.0, primary == [0] && self.count() == 1);
        for k in cell.particles() {
            let (weight, position) = (weight(k), &self.positions[k]);
            is_weight &= self.of_particle(k).iter().all(|&charge| charge >= 0.0);
            sum += weight;
            for axis in 0..3 {
                body.centre[axis] += weight * position[axis];
                body.bounds[0][axis] = body.bounds[0][axis].min(position[axis]);
                body.bounds[1][axis] = body.bounds[1][axis].max(position[axis]);
            }
        }
        body.centre = centre(body.centre, sum, &body.bounds);
        let mut signs = [false; 2];
        for k in cell.particles() {
            let position = &self.positions[k];
            let at = std::array::from_fn(|axis| position[axis] - body.centre[axis]);
            body.weight.add(weight(k), at);
            if is_weight {
                continue;
            }
            for (moments, &charge) in charges.iter_mut().zip(self.of_particle(k)) {
                moments.add(charge, at);
            }
            if let [q] = primary {
                let charge = self.of_particle(k)[*q];
                signs = [signs[0] || charge < 0.0, signs[1] || charge > 0.0];
            }
        }
        if is_weight {
            charges.fill(body.weight);
        }
        body.is_of_one_sign = primary.len() == 1 && signs != [true; 2];
        body
    }
}

/// Returns the centre of mass of weights, from their sum and the sum of weighted positions,
/// clamped to the bounds against rounding; the middle of the bounds where the weights have no
/// centre.
#[inline(always)]
fn centre(weighted: [f64; 3], sum: f64, bounds: &[[f64; 3]; 2]) -> [f64; 3] {
    std::array::from_fn(|axis| {
        let [least, greatest] = [bounds[0][axis], bounds[1][axis]];
        let mean = weighted[axis] / sum;
        if mean.is_finite() { mean.clamp(least, greatest) } else { least / 2.0 + greatest / 2.0 }
    })
}

#[inline(always)]
fn of_parent(
    children: &[Summary],
    of_children: &[Moments],
    primary: &[usize],
    charges: &mut [Moments],
) -> Summary {
    let mut body =
        Summary { bounds: children[0].bounds, is_of_one_sign: true, ..Summary::default() };
    let (mut sum, mut weighted) = (0.0, [0.0; 3]);
    for child in children {
        let weight = child.weight.sum;
        sum += weight;
        for axis in 0..3 {
            weighted[axis] += weight * child.centre[axis];
            body.bounds[0][axis] = body.bounds[0][axis].min(child.bounds[0][axis]);
            body.bounds[1][axis] = body.bounds[1][axis].max(child.bounds[1][axis]);
        }
    }
    body.centre = centre(weighted, sum, &body.bounds);
    let mut signs = [false; 2];
    for (child, of_child) in children.iter().zip(of_children.chunks(charges.len().max(1))) {
        let by = std::array::from_fn(|axis| child.centre[axis] - body.centre[axis]);
        body.weight.add_moved(&child.weight, by);
        for (moments, of_child) in charges.iter_mut().zip(of_child) {
            moments.add_moved(of_child, by);
        }
        body.is_of_one_sign &= child.is_of_one_sign;
        // If the charges of a child have one sign, it is the sign of their sum.
        let total = primary.first().map_or(0.0, |&q| of_child[q].sum);
        signs = [signs[0] || total < 0.0, signs[1] || total > 0.0];
    }
    body.is_of_one_sign &= signs != [true; 2];
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Domain;
    use crate::law::charges::Carried;
    use crate::order::frame::{Frame, Grid};
    use crate::order::ordered;
    use crate::trees::cells::divide;

    #[test]
    fn cells_have_the_moments_of_their_particles() {
        const N: usize = 700;
        const MASS: Charges =
            Charges { products: &[&[0]], carried: &[Carried::Charge(0)], sums: &[] };
        let at =
            |k: usize| [k * 7919 % 997, k * 104_729 % 991, k * 31 % 983].map(|x| x as f64 / 500.0);
        let positions: Vec<_> = (0..N).map(at).collect();
        let frame = Frame::with_grid(Grid::TREES, N, &|k| positions[k], &Domain::Open, 3);
        let keys = ordered::sorted(&positions, &frame);
        let positions: Vec<_> = keys.iter().map(|&(_, k)| positions[k as usize]).collect();
        // Negative in a part of space, so that some cells have one sign and some both.
        let charge = |position: &[f64; 3]| (position[0] - 0.7) * (1.0 + position[1]);
        let values: Vec<_> = positions.iter().map(charge).collect();
        let cells = divide(&keys, &frame);
        let all = ChargedSources { charges: MASS, values: &values, positions: &positions }
            .moments(&cells);
        let (mut of_one_sign, mut of_both) = (0, 0);
        for ((cell, summary), found) in cells.iter().zip(&all.summaries).zip(&all.charges) {
            let (mut weight, mut expected) = (Moments::default(), Moments::default());
            for k in cell.particles() {
                let at = std::array::from_fn(|axis| positions[k][axis] - summary.centre[axis]);
                assert!(at.iter().map(|x| x * x).sum::<f64>().sqrt() <= summary.radius());
                weight.add(values[k].abs(), at);
                expected.add(values[k], at);
            }
            for (found, expected) in [(&summary.weight, &weight), (found, &expected)] {
                let scale = 1e-12 * weight.sum.max(1.0);
                assert!((found.sum - expected.sum).abs() <= scale);
                for (a, b) in found.first.iter().zip(&expected.first) {
                    assert!((a - b).abs() <= scale, "{found:?} {expected:?}");
                }
                for (a, b) in found.second.iter().zip(&expected.second) {
                    assert!((a - b).abs() <= scale, "{found:?} {expected:?}");
                }
            }
            assert!(weight.first.iter().all(|x| x.abs() <= 1e-12 * weight.sum.max(1.0)));
            let is_of_one_sign = (weight.sum - expected.sum.abs()).abs() <= 1e-12 * weight.sum;
            assert_eq!(summary.is_of_one_sign, is_of_one_sign);
            of_one_sign += usize::from(is_of_one_sign);
            of_both += usize::from(!is_of_one_sign);
        }
        assert!(of_one_sign > 50 && of_both > 10, "{of_one_sign} {of_both}");
    }
}
