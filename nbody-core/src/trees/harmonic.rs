//! The distance beyond which a kernel is harmonic: the sum of its second derivatives vanishes
//! there, as for 1 / r, so that the trace of second moments has no effect.

use crate::law::charges::Charges;
use crate::law::interaction::Law;
use crate::records::pack;
use crate::trees::kernel::{DIRECTIONS, Kernel};

/// The step of the numerical second derivatives, in units of the distance.
const STEP: f64 = 0.02;
/// The tolerance for the sum of second derivatives, relative to the sum of their magnitudes, each
/// the largest over the components of a field: less than the contribution of the neglected third
/// moments.
const TOLERANCE: f64 = 0.05;

/// Returns the distance beyond which a law with one charge is harmonic; infinite if it is nowhere
/// harmonic.
pub fn distance(law: &'static Law, parameters: &[u64], charges: Charges) -> f64 {
    // A kernel that is harmonic for one i-particle need not be so for others.
    if charges.products.len() != 1 || charges.sums.iter().any(|sum| sum.depends_on_i) {
        return f64::INFINITY;
    }
    // Nothing is known of a law without loops.
    let Ok(kernel) = Kernel::new(law, parameters, charges) else { return f64::INFINITY };
    let is_harmonic = |exponent: &i32| {
        let distance = f64::from(*exponent).exp2();
        DIRECTIONS.iter().all(|direction| kernel.is_harmonic(direction.map(|x| x * distance)))
    };
    let harmonic = exponents().rev().take_while(is_harmonic).last();
    harmonic.map_or(f64::INFINITY, |exponent| f64::from(exponent).exp2())
}

/// Returns the binary logarithms of the test distances, which suit any unit of length.
fn exponents() -> impl DoubleEndedIterator<Item = i32> {
    let [small, large] = [-300..-60, 64..301].map(|exponents| exponents.step_by(4));
    small.chain(-60..64).chain(large)
}

impl Kernel {
    fn is_harmonic(&self, position: [f64; 3]) -> bool {
        let dimensions = pack::position(self.law.j).map_or(0, |position| position.len());
        let step = STEP * position.iter().map(|x| x * x).sum::<f64>().sqrt();
        let centre = self.at(position, 0);
        let (mut sums, mut magnitudes) = (vec![0.0; centre.len()], vec![0.0; centre.len()]);
        for axis in 0..dimensions {
            let beside = [-2.0, -1.0, 1.0, 2.0].map(|steps| {
                let mut beside = position;
                beside[axis] += steps * step;
                self.at(beside, 0)
            });
            for k in 0..centre.len() {
                let [a, b, c, d] = [0, 1, 2, 3].map(|side: usize| beside[side][k]);
                let second = (16.0 * (b + c) - (a + d) - 30.0 * centre[k]) / 12.0;
                sums[k] += second;
                magnitudes[k] += second.abs();
            }
        }
        let mut first = 0;
        self.law.f.iter().all(|field| {
            let numbers = first..first + field.kind.components();
            first = numbers.end;
            let most =
                |of: &[f64]| of[numbers.clone()].iter().fold(0.0, |a: f64, x| a.max(x.abs()));
            // Written so that NaN fails.
            most(&sums) <= TOLERANCE * most(&magnitudes)
                && centre[numbers.clone()].iter().all(|x| x.is_finite())
        })
    }
}
