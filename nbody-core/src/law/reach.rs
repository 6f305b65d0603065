//! The reach of an interaction: bounds of its cutoff for groups of particles.

use crate::law::interaction::Law;
use crate::numeric::interval::Interval;
use crate::numeric::interval::slope;
use crate::numeric::interval::steps::{Role, Step, evaluate};
use crate::records::record::dim;

impl Law {
    /// Returns bounds of the cutoff of every pair of two groups of particles, as any engine
    /// computes it; infinite without a cutoff. The arguments are bounds of each number of the
    /// records, integers included, in order. Bounds of positions are not used, so that a cutoff
    /// that depends on positions has no bounds. Distances are compared with the magnitude of the
    /// cutoff.
    ///
    /// # Panics
    ///
    /// If there are fewer bounds than numbers of a record.
    pub fn reach(&self, parameters: &[Interval], i: &[Interval], j: &[Interval]) -> Interval {
        if self.reach.is_empty() {
            return Interval::from(f64::INFINITY);
        }
        evaluate(self.reach, &[parameters, i, j])
    }

    /// Returns the index of the parameter that is the cutoff of every pair; `None` if the cutoff is
    /// computed. Bounds have the range of `f32` in every precision, a parameter has its own.
    pub(crate) fn parameter_as_cutoff(&self) -> Option<usize> {
        match self.reach {
            [Step::Number(Role::Parameters, number)] => Some(*number),
            _ => None,
        }
    }

    /// Returns the greatest cutoff of a pair of particles with numbers within these bounds, as
    /// [`reach`](Self::reach) takes them; infinite if there is no limit or if a cutoff may be NaN.
    pub(crate) fn greatest_cutoff(
        &self,
        parameters: &[Interval],
        i: &[Interval],
        j: &[Interval],
    ) -> f64 {
        let bounds = self.reach(parameters, i, j);
        // A distance is compared with the magnitude of the cutoff.
        if bounds.is_finite() { bounds.hi.abs().max(bounds.lo.abs()) } else { f64::INFINITY }
    }

    /// Returns the greatest growth of the magnitude of any pair's cutoff per unit growth and per
    /// unit decrease of one number of i (role 0) or j (role 1), while all numbers are within
    /// bounds; infinite where it is not bounded.
    pub(crate) fn slopes(
        &self,
        parameters: &[Interval],
        [role, number]: [usize; 2],
        bounds: Interval,
    ) -> [f64; 2] {
        // The rounding error of a greater cutoff is greater, too.
        const ROUNDING: f64 = 1.0 + 1.0 / 1024.0;
        let [i, j] = [self.i, self.j].map(|fields| vec![bounds; dim(fields)]);
        let slope = slope(self.reach, &[parameters, &i, &j], ([Role::I, Role::J][role], number));
        let is_known = !slope.lo.is_nan() && !slope.hi.is_nan();
        [slope.hi, -slope.lo]
            .map(|slope| if is_known { slope.max(0.0) * ROUNDING } else { f64::INFINITY })
    }
}
