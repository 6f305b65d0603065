//! The engines that evaluate forces for an integrator.

use nbody::{
    AllPairs, Device, Domain, Engine as _, Interaction, Neighbours, Particles, Record, Results,
    Scalar, ShortRange, Sources, Store, Tree,
};

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

impl<X: Interaction> From<AllPairs<X>> for Evaluator<X> {
    fn from(engine: AllPairs<X>) -> Self {
        Self(Engine::All(Box::new(engine)))
    }
}

impl<X: Interaction> From<Tree<X>> for Evaluator<X> {
    fn from(engine: Tree<X>) -> Self {
        Self(Engine::Tree(Box::new(engine)))
    }
}

impl<X: Interaction> From<(ShortRange<X>, Neighbours)> for Evaluator<X> {
    fn from(engine: (ShortRange<X>, Neighbours)) -> Self {
        Self(Engine::Near(Box::new(engine)))
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
