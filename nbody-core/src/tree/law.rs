//! An interaction by a tree: its charges, and the criterion by which cells are opened.

use super::estimate::{Estimate, Table};
use super::harmonic;
use crate::{Charges, Error, Interaction, Opening, parallel};

/// An interaction by a tree, on any engine.
#[derive(Clone, Debug)]
pub struct TreeLaw<X> {
    interaction: X,
    opening: Opening,
    charges: Charges,
    /// The distance from which on the kernel is harmonic.
    harmonic: f64,
    /// The estimate of errors of the last evaluation, if cells are opened by it.
    estimate: Option<Estimate>,
}

impl<X: Interaction> TreeLaw<X> {
    /// Refuses an interaction without charges, and an opening that is not possible.
    pub fn new(interaction: X, opening: Opening) -> Result<Self, Error> {
        opening.check()?;
        let law = X::LAW.name;
        let charges = X::LAW.charges.map_err(|reason| Error::NoTree { law, reason })?;
        let (harmonic, estimate) = (f64::INFINITY, None);
        let mut law = Self { interaction, opening, charges, harmonic, estimate };
        law.set_interaction(interaction);
        law.set_opening(opening)?;
        Ok(law)
    }

    /// Returns the interaction with its parameters.
    pub fn interaction(&self) -> &X {
        &self.interaction
    }

    /// Sets the interaction with its parameters.
    pub fn set_interaction(&mut self, interaction: X) {
        let (charges, mut harmonic) = (self.charges, f64::INFINITY);
        // Without the stack for it, six far particles do for three.
        let task = &mut || harmonic = harmonic::distance(&interaction, charges);
        parallel::with_stack(X::LAW.stack(size_of::<f64>()), task);
        (self.interaction, self.harmonic, self.estimate) = (interaction, harmonic, None);
    }

    /// Returns the criterion by which cells are opened.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// Sets the criterion by which cells are opened.
    pub fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        opening.check()?;
        if opening.share().is_some() && !Estimate::exists(self.charges) {
            return Err(Error::NoEstimate { law: X::LAW.name });
        }
        (self.opening, self.estimate) = (opening, None);
        Ok(())
    }

    /// Returns the charges.
    pub fn charges(&self) -> Charges {
        self.charges
    }

    /// Returns the power with which the error of the field falls where that is least, of charges of one sign or not.
    pub fn error_order(&self, is_of_one_sign: bool) -> u32 {
        let expansion = self.opening.far_particles();
        let order = |sum| self.charges.error_order(sum, expansion, is_of_one_sign);
        self.charges.sums.iter().map(order).min().unwrap_or(0)
    }

    /// Returns the distance from which on the interaction is harmonic; infinite if it is nowhere.
    pub fn harmonic_distance(&self) -> f64 {
        self.harmonic
    }

    /// Returns the estimate of errors for distances in units of 1 / `scale`, if cells are opened by it. The charges of
    /// the whole tree are of one sign or not.
    pub fn table(&mut self, scale: f64, is_of_one_sign: bool) -> Result<Option<Table>, Error> {
        if self.opening.share().is_none() {
            return Ok(None);
        }
        if self.estimate.as_ref().is_none_or(|estimate| !estimate.has_scale(scale)) {
            let (mut estimate, bytes) = (None, X::LAW.stack(size_of::<f64>()));
            let task =
                &mut || estimate = Some(Estimate::of(&self.interaction, self.charges, scale));
            if !parallel::with_stack(bytes, task) {
                return Err(Error::OutOfStack { bytes });
            }
            self.estimate = estimate;
        }
        let (expansion, first) = (self.opening.far_particles(), self.charges.sums.first());
        let power = first.map_or(0, |sum| self.charges.error_order(sum, expansion, is_of_one_sign));
        Ok(self.estimate.as_ref().map(|estimate| estimate.table(power)))
    }
}
