//! Checks of results: the `f64` reference, error bounds, comparison, ranges of single precision,
//! and test cases of particles.

pub mod untyped;

use std::any::TypeId;
use std::marker::PhantomData;

use nbody_core::pack;
pub use nbody_core::{
    ErrorBounds, FieldReport, Report, check_range as range, check_range_self as range_self,
    check_range_tree as range_tree, check_range_tree_self as range_tree_self, compare, reference,
    reference_sample, reference_self, reference_self_sample, sample,
};

use crate::law::Record;
use crate::untyped::{OwnedRows, Rows as _};
use crate::{Domain, Engine, Error, Interaction};

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
    untyped: untyped::Case,
    interaction: PhantomData<X>,
}

impl<X: Interaction> Case<X> {
    /// Creates a case of two sets, in which every j-particle acts on every i-particle. A periodic
    /// box is refused for an interaction without points.
    pub fn two_sets(x: &X, domain: Domain, i: Vec<X::I>, j: Vec<X::J>) -> Result<Self, Error> {
        let (parameters, i, j) = (words(std::slice::from_ref(x)), rows(&i)?, rows(&j)?);
        let untyped = untyped::Case::two_sets(X::LAW, &parameters, domain, i, j)?;
        Ok(Self { untyped, interaction: PhantomData })
    }

    /// Creates a case of one set of particles, given as i-particles and as j-particles of the same
    /// number; where I and J are one type, the i-particles serve as both.
    pub fn one_set(x: &X, domain: Domain, i: Vec<X::I>, j: Vec<X::J>) -> Result<Self, Error> {
        Error::check_length("j-particles of one set", j.len(), i.len())?;
        let is_one_type = TypeId::of::<X::I>() == TypeId::of::<X::J>();
        let (parameters, i) = (words(std::slice::from_ref(x)), rows(&i)?);
        let j = if is_one_type { None } else { Some(rows(&j)?) };
        let untyped = untyped::Case::one_set(X::LAW, &parameters, domain, i, j)?;
        Ok(Self { untyped, interaction: PhantomData })
    }

    /// Adds the error of rounding positions again: [`ErrorBounds::with_position_error`]. Checks add it
    /// by themselves for engines that know their length; a greater length serves many engines, and
    /// its bounds are found once.
    #[must_use]
    pub fn with_position_error(self, length: f64) -> Self {
        Self { untyped: self.untyped.with_position_error(length), ..self }
    }

    /// Returns a name with the numbers of particles: `129 x 1000`, `129 self`.
    pub fn name(&self) -> String {
        self.untyped.name()
    }

    /// Evaluates the particles on an engine.
    pub fn evaluate<E: Engine<X>>(&self, engine: &mut E) -> Result<Vec<X::F>, Error> {
        let device = engine.device().clone();
        let results = self.untyped.evaluate(&device, engine.untyped_mut())?;
        Ok(pack::unpack(results.count(), &|records, rows| results.write(records, rows)))
    }

    /// Evaluates the particles on an engine, and compares the results with the reference and with
    /// the error bounds for the options of the engine.
    pub fn check<E: Engine<X>>(&self, engine: &mut E) -> Result<Report, Error> {
        let device = engine.device().clone();
        self.untyped.check(&device, engine.untyped_mut())
    }

    /// Returns whether two engines agree to the last bit, as they should in exact mathematics with
    /// the same summation order, for interactions without special functions.
    pub fn same_bits(&self, a: &mut impl Engine<X>, b: &mut impl Engine<X>) -> Result<bool, Error> {
        let (on_a, on_b) = (a.device().clone(), b.device().clone());
        self.untyped.same_bits((&on_a, a.untyped_mut()), (&on_b, b.untyped_mut()))
    }
}

fn words<P: Record<Lane = f64>>(records: &[P]) -> Vec<u64> {
    pack::rows(&records)
}

fn rows<P: Record<Lane = f64>>(records: &[P]) -> Result<OwnedRows, Error> {
    OwnedRows::new(P::FIELDS, words(records))
}
