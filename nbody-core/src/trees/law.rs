//! A law evaluated by a tree: its charges, and the criterion that opens cells.

use crate::error::Error;
use crate::law::charges::Charges;
use crate::law::interaction::Law;
use crate::parallel;
use crate::records::parameters::check_parameters;
use crate::trees::estimate::{Estimate, Table};
use crate::trees::harmonic;
use crate::trees::kernel::Kernel;
use crate::trees::opening::Opening;

/// A law with its parameters, evaluated by a tree, on any engine.
#[derive(Clone, Debug)]
pub struct TreeLaw {
    law: &'static Law,
    parameters: Vec<u64>,
    opening: Opening,
    charges: Charges,
    /// The distance beyond which the kernel is harmonic.
    harmonic: f64,
    /// The estimate of errors of the last evaluation, if the criterion is relative.
    estimate: Option<Estimate>,
}

impl TreeLaw {
    /// Creates the law; refuses a law without charges, parameters that are no record or NaN, and
    /// an invalid opening.
    pub fn new(law: &'static Law, parameters: &[u64], opening: Opening) -> Result<Self, Error> {
        opening.check()?;
        let name = law.name;
        let charges = law.charges.map_err(|reason| Error::NoTree { law: name, reason })?;
        let (harmonic, estimate) = (f64::INFINITY, None);
        let parameters_of_law = Vec::new();
        let mut tree =
            Self { law, parameters: parameters_of_law, opening, charges, harmonic, estimate };
        tree.set_parameters(parameters)?;
        tree.set_opening(opening)?;
        Ok(tree)
    }

    /// Returns the law.
    pub fn law(&self) -> &'static Law {
        self.law
    }

    /// Sets the parameters (one row).
    pub fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        let Self { law, charges, .. } = *self;
        check_parameters(law.parameters, parameters)?;
        let mut harmonic = f64::INFINITY;
        // If the stack is too small, uses six far particles.
        let task = &mut || harmonic = harmonic::distance(law, parameters, charges);
        parallel::with_stack(law.stack(size_of::<f64>()), task);
        self.parameters = parameters.to_vec();
        (self.harmonic, self.estimate) = (harmonic, None);
        Ok(())
    }

    /// Returns the criterion that opens cells.
    pub fn opening(&self) -> Opening {
        self.opening
    }

    /// Sets the criterion that opens cells.
    pub fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        opening.check()?;
        if opening.share().is_some() {
            self.law.check_loops()?;
        }
        if opening.share().is_some() && !Estimate::exists(self.charges) {
            return Err(Error::NoEstimate { law: self.law.name });
        }
        (self.opening, self.estimate) = (opening, None);
        Ok(())
    }

    /// Returns the charges.
    pub fn charges(&self) -> Charges {
        self.charges
    }

    /// Returns the exponent of the error bound, the smallest over all fields, for charges of one
    /// sign or of both.
    pub fn error_order(&self, is_of_one_sign: bool) -> u32 {
        let expansion = self.opening.far_particles();
        let order = |sum| self.charges.error_order(sum, expansion, is_of_one_sign);
        self.charges.sums.iter().map(order).min().unwrap_or(0)
    }

    /// Returns the distance beyond which the law is harmonic; infinite if it is nowhere harmonic.
    pub fn harmonic_distance(&self) -> f64 {
        self.harmonic
    }

    /// Returns the table of errors for distances in units of 1 / `scale`, if the criterion is
    /// relative. `is_of_one_sign` tells whether the charges of the whole tree have one sign.
    pub fn table(&mut self, scale: f64, is_of_one_sign: bool) -> Result<Option<Table>, Error> {
        if self.opening.share().is_none() {
            return Ok(None);
        }
        if self.estimate.as_ref().is_none_or(|estimate| !estimate.has_scale(scale)) {
            let (mut estimate, bytes) = (None, self.law.stack(size_of::<f64>()));
            let task = &mut || {
                let kernel = Kernel::new(self.law, &self.parameters, self.charges);
                estimate = Some(kernel.map(|kernel| Estimate::of(&kernel, scale)));
            };
            if !parallel::with_stack(bytes, task) {
                return Err(Error::OutOfStack { bytes });
            }
            self.estimate = estimate.transpose()?;
        }
        let (expansion, first) = (self.opening.far_particles(), self.charges.sums.first());
        let power = first.map_or(0, |sum| self.charges.error_order(sum, expansion, is_of_one_sign));
        Ok(self.estimate.as_ref().map(|estimate| estimate.table(power)))
    }
}
