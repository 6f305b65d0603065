//! Particles with what should come of them, to check engines on.

use std::any::Any;

use crate::{
    Domain, Engine, Error, ErrorBounds, Interaction, Options, Report, compare, pack, reference,
    reference_self,
};

/// Particles, and what the reference makes of them.
///
/// ```
/// # use nbody_core::{Case, CpuAllPairs, Domain, Error, Interaction, Options};
/// # fn check<X: Interaction>(x: X, i: Vec<X::I>, j: Vec<X::J>) -> Result<(), Error> {
/// let case = Case::two_sets(&x, Domain::Open, i, j);
/// let report = case.check(&mut CpuAllPairs::new(x), &Options::default())?;
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
    roundings: ErrorBounds<X>,
}

impl<X: Interaction> Case<X> {
    /// Every j-particle acts on every i-particle.
    pub fn two_sets(x: &X, domain: Domain, i: Vec<X::I>, j: Vec<X::J>) -> Self {
        let expected = reference::<X, f64>(x, domain, &i, &j);
        let roundings = ErrorBounds::new(x, domain, &i, &j);
        Self { i, j, one_set: false, expected, roundings }
    }

    /// The particles are one set, given as what feels and as what acts, both of the same length;
    /// where I and J are one type, what feels is what acts.
    pub fn one_set(x: &X, domain: Domain, i: Vec<X::I>, j: Vec<X::J>) -> Result<Self, Error> {
        Error::check_length("j-particles of one set", j.len(), i.len())?;
        let j = (&i as &dyn Any).downcast_ref::<Vec<X::J>>().cloned().unwrap_or(j);
        let expected = reference_self::<X, f64>(x, domain, &i, &j);
        let roundings = ErrorBounds::one_set(x, domain, &i, &j);
        Ok(Self { i, j, one_set: true, expected, roundings })
    }

    /// What it evaluates: `129 x 1000`, `129 self`.
    pub fn name(&self) -> String {
        let (ni, nj) = (self.i.len(), self.j.len());
        if self.one_set { format!("{ni} self") } else { format!("{ni} x {nj}") }
    }

    /// What an engine makes of the particles.
    pub fn evaluate<E: Engine<X>>(&self, engine: &mut E) -> Result<Vec<X::F>, E::Error> {
        let (i, j) = (engine.upload(&self.i)?, engine.upload(&self.j)?);
        let mut out = engine.results(self.i.len())?;
        if self.one_set {
            // One buffer where I and J are one type.
            let both = (&i as &dyn Any).downcast_ref::<E::Particles<X::J>>();
            engine.evaluate_self_into(&i, both.unwrap_or(&j), &mut out)?;
        } else {
            engine.evaluate_into(&i, &j, &mut out)?;
        }
        engine.download::<f64>(&out)
    }

    /// How far that is from the reference, and from how far it may be with these options.
    pub fn check<E: Engine<X>>(
        &self,
        engine: &mut E,
        options: &Options,
    ) -> Result<Report, E::Error> {
        let found = self.evaluate(engine)?;
        let bounds = self.roundings.bounds(options);
        Ok(compare::<X::F, f64>(&found, &self.expected, Some(&bounds))?)
    }

    /// Whether two engines agree to the last bit, as they should in exact mathematics with the
    /// same summation order, for interactions without special functions.
    pub fn same_bits<A, B>(&self, a: &mut A, b: &mut B) -> Result<bool, A::Error>
    where
        A: Engine<X>,
        B: Engine<X, Error: Into<A::Error>>,
    {
        let (a, b) = (self.evaluate(a)?, self.evaluate(b).map_err(Into::into)?);
        Ok(pack::rows(&a.as_slice()) == pack::rows(&b.as_slice()))
    }
}
