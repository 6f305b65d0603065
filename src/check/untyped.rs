//! Checks of results without the types of a law, for laws that are made at run time: by rows of
//! described records.

pub use nbody_core::untyped::check::{
    ErrorBounds, compare, range, range_tree, reference, reference_sample,
};

use super::Report;
use crate::law::Law;
use crate::untyped::{Engine, OwnedRows, Rows as _};
use crate::{Device, Domain, Error, Sources, Store};

/// A test case of a law: particles, the results of the reference, and error bounds.
///
/// ```
/// # use nbody::{Device, Domain, Error, Options, law::Law, untyped::OwnedRows};
/// # use nbody::check::untyped::Case;
/// # fn check(law: &'static Law, parameters: &[u64], particles: Vec<u64>) -> Result<(), Error> {
/// let case = Case::one_set(law, parameters, Domain::Open, OwnedRows::new(law.i, particles)?, None)?;
/// let device = Device::cpu();
/// let mut direct = device.untyped().all_pairs(law, parameters, Options::default())?;
/// let report = case.check(&device, &mut *direct)?;
/// assert!(report.passes(), "{report}");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Case {
    i: OwnedRows,
    /// `None` if the i-particles serve as both.
    j: Option<OwnedRows>,
    one_set: bool,
    expected: OwnedRows,
    bounds: ErrorBounds,
    /// The length by which the error bounds allow positions to be rounded again.
    length: f64,
}

impl Case {
    /// Creates a case of two sets, in which every j-particle acts on every i-particle; `parameters`
    /// is one row. A periodic box is refused for a law without points.
    pub fn two_sets(
        law: &'static Law,
        parameters: &[u64],
        domain: Domain,
        i: OwnedRows,
        j: OwnedRows,
    ) -> Result<Self, Error> {
        Self::of(law, parameters, domain, (i, Some(j)), false)
    }

    /// Creates a case of one set of particles, given as i-particles and as j-particles of the same
    /// number, or as i-particles alone where both are one record.
    pub fn one_set(
        law: &'static Law,
        parameters: &[u64],
        domain: Domain,
        i: OwnedRows,
        j: Option<OwnedRows>,
    ) -> Result<Self, Error> {
        Self::of(law, parameters, domain, (i, j), true)
    }

    fn of(
        law: &'static Law,
        parameters: &[u64],
        domain: Domain,
        (i, j): (OwnedRows, Option<OwnedRows>),
        one_set: bool,
    ) -> Result<Self, Error> {
        let sources = j.as_ref().unwrap_or(&i);
        let sources =
            if one_set { Sources::Same(sources as _) } else { Sources::Others(sources as _) };
        let expected = reference(law, parameters, domain, &i, sources)?;
        let bounds = ErrorBounds::new(law, parameters, domain, &i, sources)?;
        Ok(Self { i, j, one_set, expected, bounds, length: 0.0 })
    }

    /// Adds the error of rounding positions again: [`ErrorBounds::with_position_error`]. Checks add it
    /// by themselves for engines that know their length; a greater length serves many engines, and
    /// its bounds are found once.
    #[must_use]
    pub fn with_position_error(mut self, length: f64) -> Self {
        (self.bounds, self.length) = (self.bounds.with_position_error(length), length);
        self
    }

    /// Returns a name with the numbers of particles: `129 x 1000`, `129 self`.
    pub fn name(&self) -> String {
        let (ni, nj) = (self.i.count(), self.j.as_ref().unwrap_or(&self.i).count());
        if self.one_set { format!("{ni} self") } else { format!("{ni} x {nj}") }
    }

    /// Evaluates the particles on an engine of this device.
    pub fn evaluate(&self, device: &Device, engine: &mut dyn Engine) -> Result<OwnedRows, Error> {
        let precision = engine.options().precision;
        let i = device.untyped().upload(&self.i, precision)?;
        let j = self.j.as_ref().map(|j| device.untyped().upload(j, precision)).transpose()?;
        let j = j.as_deref().unwrap_or(&*i);
        let j = if self.one_set { Sources::Same(j) } else { Sources::Others(j) };
        let n = self.i.count();
        let mut out = engine.results(n)?;
        engine.evaluate(&*i, j, &mut *out, Store::Replace)?;
        engine.settle()?;
        let mut words = vec![0; self.expected.words().len()];
        out.read(0..n, &mut |write| write(0..n, &mut words))?;
        OwnedRows::new(self.expected.fields(), words)
    }

    /// Evaluates the particles on an engine of this device, and compares the results with the
    /// reference and with the error bounds for the options of the engine.
    pub fn check(&self, device: &Device, engine: &mut dyn Engine) -> Result<Report, Error> {
        let found = self.evaluate(device, engine)?;
        let (length, options) = (engine.rounded_length()?, engine.options());
        let bounds = if length > self.length {
            self.bounds.clone().with_position_error(length).bounds(&options)
        } else {
            self.bounds.bounds(&options)
        };
        compare(&found, &self.expected, Some(&bounds))
    }

    /// Returns whether two engines, each of a device, agree to the last bit, as they should in
    /// exact mathematics with the same summation order, for laws without special functions.
    pub fn same_bits(
        &self,
        (on_a, a): (&Device, &mut dyn Engine),
        (on_b, b): (&Device, &mut dyn Engine),
    ) -> Result<bool, Error> {
        Ok(self.evaluate(on_a, a)?.words() == self.evaluate(on_b, b)?.words())
    }
}
