//! Interactions by trees, on any device.

use std::marker::PhantomData;

use nbody_core::{pack, untyped};
#[cfg(feature = "cuda")]
use nbody_cuda::{Program, Walk, programs};

use super::{Engine, assert_taken, row};
use crate::{Device, Error, Interaction, Opening, Options, TreeReport};

/// Sums an interaction over all pairs by a tree, on any [`Device`]: cells of j-particles act from afar through a few
/// far particles each. The interaction must be a sum over [charges](crate::Law::charges).
///
/// The order of summation is that of the tree: it depends on the positions of the particles, and neither on the number
/// of threads nor on timing. With [`Opening::relative`] it depends on the results before, too. Of a
/// [`SummationOrder`](crate::SummationOrder) a tree takes the bag and not the splits. In a periodic box every pair has
/// its nearest image: cells with several are opened.
///
/// ```
/// use nbody::{Device, Engine as _, Opening, Tree};
/// # use nbody::{Error, Interaction, Record};
/// # fn sum<B: Record<Lane = f64, Host = B, With<f64> = B>, X>(gravity: X, bodies: &[B]) -> Result<(), Error>
/// # where X: Interaction<I = B, J = B> {
/// let mut tree = Tree::new(&Device::cpu(), gravity, Opening::theta(0.6))?;
/// let results = tree.evaluate_self::<f64>(bodies)?;
/// println!("{}", tree.report()?);
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Tree<X> {
    interaction: PhantomData<X>,
    device: Device,
    engine: Box<dyn untyped::Tree>,
}

impl<X: Interaction> Tree<X> {
    /// Creates an engine with the default [`Options`]. On a GPU the first evaluation compiles its programs, or loads
    /// them from the cache.
    pub fn new(device: &Device, interaction: X, opening: Opening) -> Result<Self, Error> {
        Self::with_options(device, interaction, opening, Options::default())
    }

    /// Creates an engine with these options.
    pub fn with_options(
        device: &Device,
        interaction: X,
        opening: Opening,
        options: Options,
    ) -> Result<Self, Error> {
        let engine = device.untyped().tree(X::LAW, &row(&interaction), opening, options)?;
        Ok(Self { interaction: PhantomData, device: device.clone(), engine })
    }

    /// Returns the criterion by which cells are opened.
    pub fn opening(&self) -> Opening {
        self.engine.opening()
    }

    /// Sets the criterion by which cells are opened.
    pub fn set_opening(&mut self, opening: Opening) -> Result<(), Error> {
        self.engine.set_opening(opening)
    }

    /// Returns the distance from which on the interaction is harmonic, so that the trace of second moments has no
    /// effect, and three far particles do for six; infinite if it is nowhere, for several charges, and where
    /// results depend on fields of i other than its position.
    pub fn harmonic_distance(&self) -> f64 {
        self.engine.harmonic_distance()
    }

    /// Returns the lengths of results, in the order of the caller, that the last evaluation compared estimates of
    /// errors with; `None` unless cells are opened by [`Opening::relative`]. The evaluation is the same again
    /// after [`compare_with`](Self::compare_with).
    pub fn compared(&self) -> Result<Option<Vec<f64>>, Error> {
        self.engine.compared()
    }

    /// Has the next evaluation compare estimates of errors with results of these lengths. An evaluation of another
    /// number of results is an error, and the lengths stay for the next one. Without lengths the next evaluation finds
    /// its own.
    pub fn compare_with(&mut self, lengths: &[f64]) -> Result<(), Error> {
        self.engine.compare_with(lengths)
    }

    /// Measures the times of sort, build and walk on a GPU from now on, or no more: the parts then wait for one
    /// another. The CPU always measures them.
    pub fn set_timed(&mut self, is_on: bool) {
        self.engine.set_timed(is_on);
    }

    /// Returns the size of the tree of the last evaluation, its work and its times, once the device has done it. No tree
    /// is built on a GPU where there are no pairs.
    pub fn report(&self) -> Result<TreeReport, Error> {
        self.engine.report()
    }
}

#[cfg(feature = "cuda")]
impl<X: Interaction> Tree<X> {
    /// Returns the CUDA program of the walk; `None` on the CPU and before the first evaluation by this walk.
    pub fn program(&self) -> Option<&Program> {
        programs::compiled(&*self.engine).map(|(program, _)| program)
    }

    /// Returns the walk.
    pub fn walk(&self) -> Walk {
        programs::walk(&*self.engine)
    }

    /// Sets the walk. The CPU walks by groups.
    pub fn set_walk(&mut self, walk: Walk) -> Result<(), Error> {
        programs::set_walk(&mut *self.engine, self.device.untyped(), walk)
    }
}

impl<X: Interaction> Engine<X> for Tree<X> {
    fn device(&self) -> &Device {
        &self.device
    }

    fn untyped(&self) -> &dyn untyped::Engine {
        &*self.engine
    }

    fn untyped_mut(&mut self) -> &mut dyn untyped::Engine {
        &mut *self.engine
    }

    fn interaction(&self) -> X {
        pack::record(untyped::Engine::parameters(&*self.engine))
    }

    fn set_interaction(&mut self, interaction: X) {
        assert_taken(self.engine.set_parameters(&row(&interaction)));
    }
}
