//! Interactions by trees, on any device.

use std::marker::PhantomData;

use nbody_core::{pack, untyped};
#[cfg(feature = "cuda")]
use nbody_cuda::{Build, Program, Walk, programs};

use super::interface::Engine;
use super::parameters::{assert_taken, row};
use crate::trees::TreeReport;
use crate::{Device, Error, Interaction, Opening, Options};

/// Sums an interaction over all pairs by a tree, on any [`Device`]: cells of j-particles act from
/// afar through a few far particles each. The interaction must be a sum over
/// [charges](crate::law::Law::charges).
///
/// The order of summation is the order of the tree. It depends on the positions of the particles,
/// and neither on the number of threads nor on timing. With [`Opening::relative`] it also depends
/// on the previous results. A tree uses the bag of a [`SummationOrder`](crate::SummationOrder) but
/// not the splits. In a periodic box every pair has its nearest image: cells with several images
/// are opened.
///
/// ```
/// use nbody::{Device, Engine as _, Opening, Tree};
/// # use nbody::{Error, Interaction};
/// # use nbody::law::Record;
/// # fn sum<B: Record<Lane = f64, Host = B, With<f64> = B>, X>(
/// #     gravity: X,
/// #     bodies: &[B],
/// # ) -> Result<(), Error>
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
    /// Creates an engine with the default [`Options`]. On a GPU the first evaluation compiles its
    /// programs, or loads them from the cache.
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

    /// Returns the distance beyond which the interaction is harmonic, so that the trace of second
    /// moments has no effect and three far particles suffice instead of six; infinite if there is
    /// none, for several charges, and if results depend on fields of i other than its position.
    pub fn harmonic_distance(&self) -> f64 {
        self.engine.harmonic_distance()
    }

    /// Returns the lengths of the results that the last evaluation compared error estimates with,
    /// in the order of the caller; `None` unless cells are opened by [`Opening::relative`]. After
    /// [`compare_with`](Self::compare_with) these lengths, an evaluation gives the same results
    /// again. Over ranks, all of them call this together.
    pub fn compared(&self) -> Result<Option<Vec<f64>>, Error> {
        self.engine.compared()
    }

    /// Makes the next evaluation compare error estimates with results of these lengths. An
    /// evaluation of another number of results is an error, and the lengths are kept for the next
    /// one. Without lengths the next evaluation finds its own.
    pub fn compare_with(&mut self, lengths: &[f64]) -> Result<(), Error> {
        self.engine.compare_with(lengths)
    }

    /// Sets whether the times of sort, build, walk and exchange are measured on a GPU, where each part then
    /// waits for the one before. The CPU always measures them.
    pub fn set_timed(&mut self, is_on: bool) {
        self.engine.set_timed(is_on);
    }

    /// Returns the size, work and times of the tree of the last evaluation, once the device has
    /// finished it. Without pairs, no tree is built on a GPU. Over ranks, all ranks call this together;
    /// the work is of all ranks, the times are of this one.
    pub fn report(&self) -> Result<TreeReport, Error> {
        self.engine.report()
    }
}

#[cfg(feature = "cuda")]
impl<X: Interaction> Tree<X> {
    /// Returns the CUDA program of the walk; `None` on the CPU and before the first evaluation
    /// with this walk.
    pub fn program(&self) -> Option<&Program> {
        programs::compiled(&*self.engine).map(|(program, _)| program)
    }

    /// Returns how that program was compiled; `None` where there is none.
    pub fn build(&self) -> Option<&Build> {
        programs::compiled(&*self.engine).map(|(_, build)| build)
    }

    /// Returns the walk.
    pub fn walk(&self) -> Walk {
        programs::walk(&*self.engine)
    }

    /// Sets the walk. The CPU always walks by groups.
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

    fn into_untyped(self: Box<Self>) -> Box<dyn untyped::Engine> {
        self.engine
    }

    fn parameters(&self) -> X {
        pack::record(untyped::Engine::parameters(&*self.engine))
    }

    fn set_parameters(&mut self, parameters: X) {
        assert_taken(self.engine.set_parameters(&row(&parameters)));
    }
}
