//! Tuples of given particles on any device.

use std::time::Duration;

use nbody_core::pack;
use nbody_core::untyped::{self, OwnedRows, TupleList};

use super::buffers::{Particles, Results};
use super::parameters::{assert_taken, row};
use crate::law::{Members, Record};
use crate::{Device, Domain, Error, Precision, Store, Tuple};

/// Evaluates a [`Tuple`], such as bonds, angles or dihedrals, on any [`Device`].
///
/// Each tuple is evaluated once, in `f64`, whatever the precision of the buffers. The result of each
/// of its particles is rounded to the precision of the results, and each particle sums the results
/// of its tuples in `f64`, in the order in which they were given. Results are therefore the same to
/// the last bit in every evaluation and on every device, except for functions such as `exp`, whose
/// last bits depend on the platform.
///
/// Particles stay where they are: the same buffers serve neighbour lists, programs per particle and
/// tuples, and results of tuples are added to results of pairs by [`Store::Add`].
#[derive(Debug)]
pub struct Tuples<X> {
    parameters: X,
    device: Device,
    engine: Box<dyn untyped::Tuples>,
}

impl<X: Tuple> Tuples<X> {
    /// Creates an engine with these parameters and without tuples, in unbounded space. Programs are
    /// compiled, or loaded from the cache, when they first meet buffers of new records or
    /// precisions.
    pub fn new(device: &Device, parameters: X) -> Result<Self, Error> {
        let engine = device.untyped().tuples(X::PROGRAM, &row(&parameters))?;
        Ok(Self { parameters, device: device.clone(), engine })
    }

    /// Returns the device.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the parameters.
    pub fn parameters(&self) -> &X {
        &self.parameters
    }

    /// Sets the parameters; nothing is compiled again. After NaN every evaluation is an error that
    /// names the parameter.
    pub fn set_parameters(&mut self, parameters: X) {
        assert_taken(self.engine.set_parameters(&row(&parameters)));
        self.parameters = parameters;
    }

    /// Returns the domain for differences of positions.
    pub fn domain(&self) -> Domain {
        self.engine.domain()
    }

    /// Sets the domain for differences of positions, which are taken to the nearest image in a
    /// periodic box. A box that `f64` cannot represent is an error, and so is a periodic box for
    /// particles without points; the domain then stays.
    pub fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.engine.set_domain(domain)
    }

    /// Replaces the tuples. Each names its particles among `particles` particles, by their indices
    /// in the buffers, and has a record, which is kept in `f64`; `records` is empty if the tuple
    /// declares none. Indices of no particle, a particle twice in one tuple, and another number of
    /// records are errors, and the old tuples stay.
    pub fn set(
        &mut self,
        tuples: &[X::Members],
        records: &[X::T],
        particles: usize,
    ) -> Result<(), Error> {
        let indices = tuples.iter().flat_map(Members::indices).copied().collect();
        let list = TupleList::new(X::PROGRAM.members, indices, particles)?;
        let records = OwnedRows::new(<X::T as Record>::FIELDS, pack::rows(&records))?;
        self.engine.set(list, &records)
    }

    /// Returns the number of tuples.
    pub fn len(&self) -> usize {
        self.engine.len()
    }

    /// Returns whether there are no tuples.
    pub fn is_empty(&self) -> bool {
        self.engine.is_empty()
    }

    /// Allocates the results of `n` particles in single or double precision, set to the result
    /// without any tuple. Mixed precision has results in double precision.
    pub fn results(&self, n: usize, precision: Precision) -> Result<Results<X::F>, Error> {
        let is_single = precision == Precision::Single;
        let precision = if is_single { precision } else { Precision::Double };
        Results::of(self.engine.results(n, precision)?)
    }

    /// Evaluates the tuples, and stores the sums of each particle in `out`. Particles and results
    /// must have the number that the tuples were given for. If an evaluation fails, the results keep their
    /// values.
    pub fn evaluate_into(
        &mut self,
        particles: &Particles<X::P>,
        out: &mut Results<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        self.evaluate_by_name(particles, out, store)
    }

    /// Evaluates the tuples as [`evaluate_into`](Self::evaluate_into) does, with buffers of any
    /// records that have the fields of the program's records, by name and type: the atoms and
    /// forces of neighbour lists, for instance. Other fields of the results stay. Records that lack
    /// a field are an error.
    pub fn evaluate_by_name<P: Record, F: Record>(
        &mut self,
        particles: &Particles<P>,
        out: &mut Results<F>,
        store: Store,
    ) -> Result<(), Error> {
        self.engine.evaluate(particles.untyped(), out.untyped_mut(), store)
    }

    /// Measures the time of one evaluation on the device: by events on a GPU, by the clock on the
    /// CPU.
    pub fn time<P: Record, F: Record>(
        &mut self,
        particles: &Particles<P>,
        out: &mut Results<F>,
        store: Store,
    ) -> Result<Duration, Error> {
        self.engine.time(particles.untyped(), out.untyped_mut(), store)
    }
}
