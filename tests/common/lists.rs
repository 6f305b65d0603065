//! Neighbour lists as an engine, which is compared with all pairs.

use std::cell::RefCell;
use std::time::Duration;

use nbody::prelude::*;
use nbody::{Engine, Error, Interaction, Particles, Record, Results, Scalar, Store};

/// Lists that are updated before each evaluation.
pub struct Lists<X> {
    /// The interaction over the lists.
    pub engine: ShortRange<X>,
    near: RefCell<Neighbours>,
}

impl<X: Interaction> Lists<X> {
    /// Makes lists on a device, in the space of these options.
    ///
    /// # Panics
    ///
    /// Panics if the device refuses them.
    pub fn new(device: &Device, x: X, options: Options, skin: Skin) -> Self {
        let engine = ShortRange::with_options(device, x, options.domain(Domain::Open)).unwrap();
        let (domain, precision) = (options.domain, options.precision);
        let near = Neighbours::with_precision(device, domain, skin, precision).unwrap();
        Self { engine, near: RefCell::new(near) }
    }
}

impl<X: Interaction> Engine<X> for Lists<X> {
    type Error = Error;
    type Particles<P: Record<Lane = f64>> = Particles<P>;
    type Results = Results<X::F>;

    fn upload<P>(&self, particles: &[P]) -> Result<Particles<P::Host>, Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        self.near.borrow().upload(particles)
    }

    fn results(&self, n: usize) -> Result<Results<X::F>, Error> {
        self.engine.results(n)
    }

    fn evaluate_with(
        &mut self,
        i: &Particles<X::I>,
        j: Sources<'_, Particles<X::J>>,
        out: &mut Results<X::F>,
        store: Store,
    ) -> Result<(), Error> {
        let near = self.near.get_mut();
        near.update_with(i, j, &[&self.engine])?;
        self.engine.evaluate_with(near, i, j, out, store)
    }

    fn time(
        &mut self,
        _: &Particles<X::I>,
        _: Sources<'_, Particles<X::J>>,
        _: &mut Results<X::F>,
    ) -> Result<Duration, Error> {
        unimplemented!("no test measures it")
    }

    fn download<S: Scalar>(
        &self,
        results: &Results<X::F>,
    ) -> Result<Vec<<X::F as Record>::With<S>>, Error> {
        self.engine.download::<S>(results)
    }
}
