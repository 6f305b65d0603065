//! The engines that evaluate forces for an integrator.

use nbody::{
    AllPairs, Device, Domain, Engine as _, Interaction, ListState, Neighbours, Particles, Record,
    Results, Scalar, ShortRange, Sources, Store, Tree,
};

use crate::Error;
use crate::softening::softened;

/// The engine that evaluates the forces of a run: an [`AllPairs`], a [`Tree`], or a [`ShortRange`] with the
/// [`Neighbours`] that it shares with nobody else, which the run updates before each evaluation.
#[derive(Debug)]
pub struct Evaluator<X: Interaction>(Engine<X>);

#[derive(Debug)]
enum Engine<X: Interaction> {
    All(Box<AllPairs<X>>),
    Near(Box<(ShortRange<X>, Neighbours)>),
    Tree(Box<Tree<X>>),
}

/// The state of an [`Evaluator`] that comes from evaluations before, and on which its next results depend in their
/// last bits.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum EvaluatorState {
    /// Nothing: that of all pairs, and of trees that are opened by an angle.
    #[default]
    Nothing,
    /// The state of neighbour lists.
    Lists(ListState),
    /// The lengths of the results that the last evaluation compared estimates of errors with, of trees that
    /// are opened by a share of the results.
    Results(Vec<f64>),
}

impl<X: Interaction> From<AllPairs<X>> for Evaluator<X> {
    fn from(engine: AllPairs<X>) -> Self {
        Self(Engine::All(Box::new(engine))).softened()
    }
}

impl<X: Interaction> From<Tree<X>> for Evaluator<X> {
    fn from(engine: Tree<X>) -> Self {
        Self(Engine::Tree(Box::new(engine))).softened()
    }
}

impl<X: Interaction> From<(ShortRange<X>, Neighbours)> for Evaluator<X> {
    fn from(engine: (ShortRange<X>, Neighbours)) -> Self {
        Self(Engine::Near(Box::new(engine))).softened()
    }
}

impl<X: Interaction> Evaluator<X> {
    pub(crate) fn device(&self) -> &Device {
        match &self.0 {
            Engine::All(engine) => engine.device(),
            Engine::Near(engine) => engine.0.device(),
            Engine::Tree(engine) => engine.device(),
        }
    }

    pub(crate) fn domain(&self) -> Domain {
        match &self.0 {
            Engine::All(engine) => engine.options().domain,
            Engine::Near(engine) => engine.1.domain(),
            Engine::Tree(engine) => engine.options().domain,
        }
    }

    pub(crate) fn upload<P>(&self, particles: &[P]) -> Result<Particles<P::Host>, nbody::Error>
    where
        P: Record,
        P::Lane: Scalar,
    {
        match &self.0 {
            Engine::All(engine) => engine.upload(particles),
            Engine::Near(engine) => engine.1.upload(particles),
            Engine::Tree(engine) => engine.upload(particles),
        }
    }

    pub(crate) fn results(&self, n: usize) -> Result<Results<X::F>, nbody::Error> {
        match &self.0 {
            Engine::All(engine) => engine.results(n),
            Engine::Near(engine) => engine.0.results(n),
            Engine::Tree(engine) => engine.results(n),
        }
    }

    pub(crate) fn download(&self, results: &Results<X::F>) -> Result<Vec<X::F>, nbody::Error> {
        match &self.0 {
            Engine::All(engine) => engine.download::<f64>(results),
            Engine::Near(engine) => engine.0.download::<f64>(results),
            Engine::Tree(engine) => engine.download::<f64>(results),
        }
    }

    pub(crate) fn state(&self) -> Result<EvaluatorState, nbody::Error> {
        let lists = |state| EvaluatorState::Lists(state);
        Ok(match &self.0 {
            Engine::All(_) => None,
            Engine::Near(engine) => engine.1.state()?.map(lists),
            Engine::Tree(engine) => engine.compared()?.map(EvaluatorState::Results),
        }
        .unwrap_or_default())
    }

    /// Softens the forces between bodies at one place, where the interaction has a softening length of zero.
    fn softened(mut self) -> Self {
        match &mut self.0 {
            Engine::All(engine) => {
                if let Some(law) = softened(engine.interaction(), engine.options().precision) {
                    engine.set_interaction(law);
                }
            }
            Engine::Near(engine) => {
                let engine = &mut engine.0;
                if let Some(law) = softened(engine.interaction(), engine.options().precision) {
                    engine.set_interaction(law);
                }
            }
            Engine::Tree(engine) => {
                if let Some(law) = softened(engine.interaction(), engine.options().precision) {
                    engine.set_interaction(law);
                }
            }
        }
        self
    }

    /// Takes the state that an evaluator of the same kind had.
    pub(crate) fn restore(&mut self, state: &EvaluatorState) -> Result<(), Error> {
        match (&mut self.0, state) {
            (_, EvaluatorState::Nothing) => Ok(()),
            (Engine::Near(engine), EvaluatorState::Lists(state)) => Ok(engine.1.restore(state)?),
            (Engine::Tree(engine), EvaluatorState::Results(lengths)) => {
                Ok(engine.compare_with(lengths)?)
            }
            _ => Err(Error::OtherEvaluator),
        }
    }

    /// Evaluates the particles of one set.
    pub(crate) fn evaluate(
        &mut self,
        i: &Particles<X::I>,
        j: &Particles<X::J>,
        results: &mut Results<X::F>,
    ) -> Result<(), nbody::Error> {
        match &mut self.0 {
            Engine::All(engine) => engine.evaluate_self_into(i, j, results),
            Engine::Tree(engine) => engine.evaluate_self_into(i, j, results),
            Engine::Near(engine) => {
                let (short_range, near) = &mut **engine;
                near.update_with(i, Sources::Same(j), &[&*short_range])?;
                short_range.evaluate_with(near, i, Sources::Same(j), results, Store::Replace)
            }
        }
    }
}
