//! The principal axes of second moments, for several cells together.
// Compilers vectorize loops over indices.
#![allow(clippy::needless_range_loop)]

use crate::numeric::simd::level::Best;
use crate::trees::moments::Moments;

/// Second moments below this fraction of the largest are rounding errors, and count as 0.
pub const FLAT: f64 = 1e-12;
/// Number of sweeps; each rotates every pair of axes once.
pub const SWEEPS: usize = 6;
/// Number of cells whose axes are found together.
const CELLS: usize = 16;
/// A number for each of these cells.
type Each = [f64; CELLS];

/// The principal axes of a weight's second moments.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    /// The second moments per weight along the axes, in descending order.
    pub lengths2: [f64; 3],
    /// The directions of the axes.
    pub axes: [[f64; 3]; 3],
}

impl Axes {
    /// Finds the axes of each weight by Jacobi rotations.
    pub fn of_each(weights: &[&Moments]) -> Vec<Self> {
        let (best, mut all) = (Best::new(), Vec::with_capacity(weights.len()));
        for weights in weights.chunks(CELLS) {
            let mut rotations = Rotations::new(weights);
            best.run(
                #[inline(always)]
                || rotations.run(),
            );
            all.extend((0..weights.len()).map(|k| rotations.axes(k)));
        }
        all
    }
}

/// Symmetric matrices, and the axes that diagonalize them.
struct Rotations {
    diagonal: [Each; 3],
    /// The off-diagonal elements, each at the index of the third axis.
    others: [Each; 3],
    /// The components of the axes: first the first component of all axes, then the second, then
    /// the third.
    components: [[Each; 3]; 3],
}

impl Rotations {
    /// Starts with the moments per weight, in the axes of space.
    fn new(weights: &[&Moments]) -> Self {
        let (zero, one) = ([0.0; CELLS], [1.0; CELLS]);
        let (mut diagonal, mut others) = ([zero; 3], [zero; 3]);
        for (k, weight) in weights.iter().enumerate() {
            let [xx, yy, zz, xy, xz, yz] = weight.second.map(|moment| {
                let mean = moment / weight.sum;
                if mean.is_finite() { mean } else { 0.0 }
            });
            for (axis, elements) in [[xx, yz], [yy, xz], [zz, xy]].into_iter().enumerate() {
                [diagonal[axis][k], others[axis][k]] = elements;
            }
        }
        let components = [[one, zero, zero], [zero, one, zero], [zero, zero, one]];
        Self { diagonal, others, components }
    }

    #[inline(always)]
    fn run(&mut self) {
        for _ in 0..SWEEPS {
            self.rotate(0, 1);
            self.rotate(0, 2);
            self.rotate(1, 2);
        }
    }

    /// Rotates two axes so that their off-diagonal element becomes 0.
    #[inline(always)]
    fn rotate(&mut self, p: usize, q: usize) {
        let (mut cosine, mut sine) = ([1.0; CELLS], [0.0; CELLS]);
        let elements = &mut self.others[3 - p - q];
        for k in 0..CELLS {
            let element = elements[k];
            let ratio = (self.diagonal[q][k] - self.diagonal[p][k]) / (2.0 * element);
            let tangent = 1.0_f64.copysign(ratio) / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
            // If the element is 0, the ratio is infinite, or 0/0.
            let tangent = if element == 0.0 { 0.0 } else { tangent };
            self.diagonal[p][k] -= tangent * element;
            self.diagonal[q][k] += tangent * element;
            elements[k] = 0.0;
            cosine[k] = 1.0 / (tangent * tangent + 1.0).sqrt();
            sine[k] = tangent * cosine[k];
        }
        turn(&mut self.others, [q, p], &cosine, &sine);
        for along in &mut self.components {
            turn(along, [p, q], &cosine, &sine);
        }
    }

    /// Returns the axes of one cell.
    fn axes(&self, k: usize) -> Axes {
        let moments = self.diagonal.map(|each| each[k]);
        let mut order = [0, 1, 2];
        order.sort_by(|&a: &usize, &b| moments[b].total_cmp(&moments[a]));
        let least = FLAT * moments[order[0]];
        let length2 = |axis: usize| if moments[axis] > least { moments[axis] } else { 0.0 };
        let axis = |axis: usize| self.components.map(|along| along[axis][k]);
        Axes { lengths2: order.map(length2), axes: order.map(axis) }
    }
}

/// Rotates two of three numbers into each other.
#[inline(always)]
fn turn(numbers: &mut [Each; 3], [a, b]: [usize; 2], cosine: &Each, sine: &Each) {
    for k in 0..CELLS {
        let [x, y] = [numbers[a][k], numbers[b][k]];
        numbers[a][k] = cosine[k] * x - sine[k] * y;
        numbers[b][k] = sine[k] * x + cosine[k] * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_weight_has_its_own_axes() {
        let weights: Vec<_> = (1..=2 * CELLS + 3)
            .map(|n| {
                let mut weight = Moments::default();
                for k in 0..n {
                    let at = [k * 7919 % 97, k * 31 % 89, k * k % 83].map(|x| x as f64 - 40.0);
                    weight.add(1.0 + k as f64, at);
                }
                weight
            })
            .collect();
        let each: Vec<_> = weights.iter().collect();
        let all = Axes::of_each(&each);
        assert_eq!(all.len(), weights.len());
        for (weight, Axes { lengths2, axes }) in weights.iter().zip(all) {
            assert!(lengths2[0] >= lengths2[1] && lengths2[1] >= lengths2[2]);
            let element = |a: usize, b: usize| {
                (0..3).map(|k| lengths2[k] * axes[k][a] * axes[k][b]).sum::<f64>()
            };
            let pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];
            for (second, (a, b)) in weight.second.iter().zip(pairs) {
                let apart = second / weight.sum - element(a, b);
                assert!(apart.abs() <= 1e-11 * lengths2[0], "{apart:e} of {lengths2:?}");
            }
        }
    }
}
