//! Checks of results: the `f64` reference, error bounds, comparison, ranges of single precision,
//! and test cases of particles.

use std::any::Any;

use nbody_core::pack;
pub use nbody_core::{
    ErrorBounds, FieldReport, Report, check_range as range, check_range_self as range_self,
    check_range_tree as range_tree, check_range_tree_self as range_tree_self, compare, reference,
    reference_sample, reference_self, reference_self_sample, sample,
};

use crate::{Domain, Engine, Error, Interaction, Particles};

/// A test case: particles, the results of the reference, and error bounds.
///
/// ```
/// # use nbody::{AllPairs, Device, Domain, Error, Interaction};
/// # use nbody::check::Case;
/// # fn check<X: Interaction>(x: X, i: Vec<X::I>, j: Vec<X::J>) -> Result<(), Error> {
/// let case = Case::two_sets(&x, Domain::Open, i, j)?;
/// let report = case.check(&mut AllPairs::new(&Device::cpu(), x)?)?;
/// assert!(report.passes(), "{report}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Case<X: Interaction> {
    i: Vec<X::I>,
    j: Vec<X::J>,
    one_set: bool,
    expected: Vec<X::F>,
    bounds: ErrorBounds<X>,
}

impl<X: Interaction> Case<X> {
    /// Creates a case of two sets, in which every j-particle acts on every i-particle. A periodic
    /// box is refused for an interaction without points.
    pub fn two_sets(x: &X, domain: Domain, i: Vec<X::I>, j: Vec<X::J>) -> Result<Self, Error> {
        let expected = reference::<X, f64>(x, domain, &i, &j)?;
        let bounds = ErrorBounds::new(x, domain, &i, &j)?;
        Ok(Self { i, j, one_set: false, expected, bounds })
    }

    /// Creates a case of one set of particles, given as i-particles and as j-particles of the same
    /// number; where I and J are one type, the i-particles serve as both.
    pub fn one_set(x: &X, domain: Domain, i: Vec<X::I>, j: Vec<X::J>) -> Result<Self, Error> {
        Error::check_length("j-particles of one set", j.len(), i.len())?;
        let j = (&i as &dyn Any).downcast_ref::<Vec<X::J>>().cloned().unwrap_or(j);
        let expected = reference_self::<X, f64>(x, domain, &i, &j)?;
        let bounds = ErrorBounds::one_set(x, domain, &i, &j)?;
        Ok(Self { i, j, one_set: true, expected, bounds })
    }

    /// Adds the error of rounding positions again: [`ErrorBounds::with_position_error`].
    #[must_use]
    pub fn with_position_error(mut self, length: f64) -> Self {
        self.bounds = self.bounds.with_position_error(length);
        self
    }

    /// Returns a name with the numbers of particles: `129 x 1000`, `129 self`.
    pub fn name(&self) -> String {
        let (ni, nj) = (self.i.len(), self.j.len());
        if self.one_set { format!("{ni} self") } else { format!("{ni} x {nj}") }
    }

    /// Evaluates the particles on an engine.
    pub fn evaluate<E: Engine<X>>(&self, engine: &mut E) -> Result<Vec<X::F>, Error> {
        let (i, j) = (engine.upload(&self.i)?, engine.upload(&self.j)?);
        let mut out = engine.results(self.i.len())?;
        if self.one_set {
            // A single buffer if I and J are one type.
            let same = (&i as &dyn Any).downcast_ref::<Particles<X::J>>();
            engine.evaluate_self_into(&i, same.unwrap_or(&j), &mut out)?;
        } else {
            engine.evaluate_into(&i, &j, &mut out)?;
        }
        engine.untyped_mut().settle()?;
        out.download::<f64>()
    }

    /// Evaluates the particles on an engine, and compares the results with the reference and with
    /// the error bounds for the options of the engine.
    pub fn check<E: Engine<X>>(&self, engine: &mut E) -> Result<Report, Error> {
        let found = self.evaluate(engine)?;
        let bounds = self.bounds.bounds(&engine.options());
        compare::<X::F, f64>(&found, &self.expected, Some(&bounds))
    }

    /// Returns whether two engines agree to the last bit, as they should in exact mathematics with
    /// the same summation order, for interactions without special functions.
    pub fn same_bits(&self, a: &mut impl Engine<X>, b: &mut impl Engine<X>) -> Result<bool, Error> {
        let (a, b) = (self.evaluate(a)?, self.evaluate(b)?);
        Ok(pack::rows(&a.as_slice()) == pack::rows(&b.as_slice()))
    }
}
