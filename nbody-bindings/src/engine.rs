//! The engine of a law, by any schedule, which its owner shares with runs of integrators.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nbody::law::Law;
use nbody::untyped::{self, Buffer, Engine, EngineState, Listed, Origin};
use nbody::{Device, Domain, Error, Opening, Options, Sources, Store};

use crate::failure::{Failure, UnknownState};

/// The schedule of an engine.
#[derive(Debug)]
enum Schedule {
    AllPairs(Box<dyn Engine>),
    Tree(Box<dyn untyped::Tree>),
    Lists(Box<Listed>),
}

/// The engine of a law, and its device.
#[derive(Debug)]
pub struct LawEngine {
    /// The device of the engine.
    pub device: Device,
    schedule: Schedule,
}

impl LawEngine {
    /// Creates an engine of all pairs.
    pub fn all_pairs(
        device: &Device,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Self, Failure> {
        let engine = device.untyped().all_pairs(law, parameters, options)?;
        Ok(Self { device: device.clone(), schedule: Schedule::AllPairs(engine) })
    }

    /// Creates an engine that evaluates by a tree.
    pub fn tree(
        device: &Device,
        law: &'static Law,
        parameters: &[u64],
        opening: Opening,
        options: Options,
    ) -> Result<Self, Failure> {
        let tree = device.untyped().tree(law, parameters, opening, options)?;
        Ok(Self { device: device.clone(), schedule: Schedule::Tree(tree) })
    }

    /// Creates an engine that evaluates over neighbour lists of its own.
    pub fn lists(
        device: &Device,
        law: &'static Law,
        parameters: &[u64],
        origin: Origin,
        options: Options,
    ) -> Result<Self, Failure> {
        if !law.cutoff && matches!(origin, Origin::Found(_)) {
            return Err(Error::NoCutoff { law: law.name }.into());
        }
        let mut listed = device.listed(law, parameters, options)?;
        let lists = device.untyped().neighbours(options.domain, origin, options.precision)?;
        listed.set_lists(lists);
        Ok(Self { device: device.clone(), schedule: Schedule::Lists(Box::new(listed)) })
    }

    /// Returns the engine.
    pub fn get(&self) -> &dyn Engine {
        match &self.schedule {
            Schedule::AllPairs(engine) => &**engine,
            Schedule::Tree(tree) => &**tree,
            Schedule::Lists(lists) => &**lists,
        }
    }

    /// Returns the engine, for changes.
    pub fn get_mut(&mut self) -> &mut dyn Engine {
        match &mut self.schedule {
            Schedule::AllPairs(engine) => &mut **engine,
            Schedule::Tree(tree) => &mut **tree,
            Schedule::Lists(lists) => &mut **lists,
        }
    }

    /// Returns the tree; refuses an engine without one.
    pub fn tree_mut(&mut self) -> Result<&mut dyn untyped::Tree, Failure> {
        match &mut self.schedule {
            Schedule::Tree(tree) => Ok(&mut **tree),
            _ => Err(Failure::argument("an engine without a tree has no opening; create a tree")),
        }
    }

    /// Returns the engine with its lists; refuses an engine without them.
    pub fn listed_mut(&mut self) -> Result<&mut Listed, Failure> {
        match &mut self.schedule {
            Schedule::Lists(listed) => Ok(listed),
            _ => Err(Failure::argument(
                "an engine of all pairs or of a tree has no lists; create one of lists",
            )),
        }
    }
}

/// An engine that a call locks until it ends.
pub type Shared = Mutex<LawEngine>;

/// Locks an engine; refuses one that a panic left in an unknown state.
pub fn lock(engine: &Shared) -> Result<MutexGuard<'_, LawEngine>, Failure> {
    engine.lock().map_err(|_| Failure::poisoned("engine"))
}

/// An engine of the caller. Other calls may use it between the steps of its integrator.
#[derive(Debug)]
pub struct Lent {
    engine: Arc<Shared>,
    /// The parameters at the beginning of the run.
    parameters: Vec<u64>,
}

impl Lent {
    /// Returns an engine that hands its work to another one.
    pub fn new(engine: Arc<Shared>) -> Result<Self, Failure> {
        let locked = engine.lock().map_err(|_| Failure::from(Error::of_device(UnknownState)))?;
        let parameters = locked.get().parameters().to_vec();
        drop(locked);
        Ok(Self { engine, parameters })
    }

    fn lock(&self) -> Result<MutexGuard<'_, LawEngine>, Error> {
        self.engine.lock().map_err(|_| Error::of_device(UnknownState))
    }

    /// Returns a constant of the engine, which is good after a panic too.
    fn constant<R>(&self, of: impl FnOnce(&dyn Engine) -> R) -> R {
        of(self.engine.lock().unwrap_or_else(PoisonError::into_inner).get())
    }
}

impl Engine for Lent {
    fn law(&self) -> &'static Law {
        self.constant(Engine::law)
    }

    fn options(&self) -> Options {
        self.constant(Engine::options)
    }

    fn parameters(&self) -> &[u64] {
        &self.parameters
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.lock()?.get_mut().set_parameters(parameters)?;
        parameters.clone_into(&mut self.parameters);
        Ok(())
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        self.lock()?.get_mut().set_domain(domain)
    }

    fn prepare(&mut self, n: usize) -> Result<(), Error> {
        self.lock()?.get_mut().prepare(n)
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        self.lock()?.get().results(n)
    }

    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        self.lock()?.get_mut().evaluate(i, j, out, store)
    }

    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        self.lock()?.get_mut().time(i, j, out)
    }

    fn rounded_length(&self) -> Result<f64, Error> {
        self.lock()?.get().rounded_length()
    }

    fn evaluated_pairs(&self) -> Result<Option<u64>, Error> {
        self.lock()?.get().evaluated_pairs()
    }

    fn settle(&mut self) -> Result<(), Error> {
        self.lock()?.get_mut().settle()
    }

    fn is_stateless(&self) -> bool {
        self.constant(Engine::is_stateless)
    }

    fn state(&self) -> Result<EngineState, Error> {
        self.lock()?.get().state()
    }

    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        self.lock()?.get_mut().restore(state)
    }
}
