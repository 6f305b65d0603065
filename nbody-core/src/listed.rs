//! An engine with its own neighbour lists, on any device.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use crate::device::Device;
use crate::domain::Domain;
use crate::error::Error;
use crate::law::interaction::Law;
use crate::lists::Skin;
use crate::lists::cutoff::Cutoff;
use crate::lists::engine::{Neighbours, Origin, ShortRange};
use crate::lists::is_short;
use crate::memory::buffer::Buffer;
use crate::options::Options;
use crate::pairs::engine::Engine;
use crate::pairs::sources::{Sources, Store};
use crate::state::{EngineState, check_state};

/// A law with its own neighbour lists: each evaluation first checks whether they are still valid,
/// and rebuilds them if not. The type `Of` names the owner, so that no other code can replace its
/// engine.
#[derive(Debug)]
pub struct Listed<Of = ()> {
    owner: PhantomData<fn() -> Of>,
    device: Arc<dyn Device>,
    law: Box<dyn ShortRange>,
    cutoff: Cutoff,
    domain: Domain,
    /// The lists, created when first needed.
    lists: Option<Box<dyn Neighbours>>,
    /// Whether the law excludes pairs.
    excludes: bool,
    /// All pairs, for boxes that are too short for lists.
    all_pairs: Option<Box<dyn Engine>>,
}

impl<Of> Listed<Of> {
    /// Creates an engine of a law with these parameters. The space of the options is also the
    /// space of the lists.
    pub fn new(
        device: Arc<dyn Device>,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Self, Error> {
        let (domain, cutoff) = (options.domain, Cutoff::new(law, parameters));
        domain.check(options.precision)?;
        law.check_domain(&domain)?;
        let law = device.short_range(law, parameters, options.domain(Domain::Open))?;
        let (owner, lists, all_pairs) = Default::default();
        Ok(Self { owner, device, law, cutoff, domain, lists, excludes: false, all_pairs })
    }

    /// Leaves out these pairs, instead of the pairs that were left out before.
    pub fn exclude(&mut self, pairs: &[[u32; 2]]) {
        self.law.exclude(pairs);
        self.excludes = !pairs.is_empty();
    }

    /// Evaluates the pairs of lists that are given, and stores the sums.
    pub fn evaluate_over(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        self.law.evaluate(lists, i, j, out, store)
    }

    /// Measures the time of one evaluation over lists that are given.
    pub fn time_over(
        &mut self,
        lists: &dyn Neighbours,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        self.law.time(lists, i, j, out)
    }

    /// Returns the engine that evaluates over given lists.
    pub fn over(&self) -> &dyn ShortRange {
        &*self.law
    }

    /// Returns the lists; creates them if they do not exist yet.
    pub fn lists(&mut self) -> Result<&mut dyn Neighbours, Error> {
        let lists = if let Some(lists) = self.lists.take() {
            lists
        } else {
            let (origin, options) = (Origin::Found(Skin::default()), self.law.options());
            self.device.neighbours(self.domain, origin, options.precision)?
        };
        Ok(&mut **self.lists.insert(lists))
    }

    /// Adopts these lists, and their space.
    pub fn set_lists(&mut self, lists: Box<dyn Neighbours>) {
        self.domain = lists.domain();
        self.lists = Some(lists);
    }

    /// Returns the cutoff with the parameters.
    pub fn cutoff(&self) -> &Cutoff {
        &self.cutoff
    }

    /// Returns the box, if it is too short for lists of all pairs within the cutoff.
    fn short_box(&self) -> Option<Domain> {
        let lists = self.lists.as_deref();
        let domain = lists.map_or(self.domain, Neighbours::domain);
        let is_restricted = self.excludes || lists.is_some_and(|lists| !lists.is_unrestricted());
        (!is_restricted && is_short(&domain, &self.cutoff)).then_some(domain)
    }

    /// Returns the engine of all pairs, if the box is shorter than two cutoffs: a list would have
    /// nearly all particles, in several images. `None` if lists are used, which refuse pairs that are
    /// given or excluded in such a box, and cutoffs that depend on particles.
    fn in_short_box(&mut self) -> Result<Option<&mut dyn Engine>, Error> {
        let Some(domain) = self.short_box() else { return Ok(None) };
        let (law, parameters) = (self.law.law(), self.law.parameters());
        let engine = match self.all_pairs.take() {
            Some(engine) => engine,
            None => self.device.all_pairs(law, parameters, self.law.options().domain(domain))?,
        };
        let engine = self.all_pairs.insert(engine);
        engine.set_parameters(parameters)?;
        engine.set_domain(domain)?;
        Ok(Some(&mut **engine))
    }

    /// Updates the lists, and returns the j-particles as the lists take them.
    fn update<'a>(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'a, dyn Buffer>,
        out: &dyn Buffer,
    ) -> Result<Sources<'a, dyn Buffer>, Error> {
        Error::check_record("results", out.fields(), self.law.law().f)?;
        j.check([i.len(), j.particles().len(), out.len()])?;
        let cutoffs = vec![self.cutoff.clone()];
        self.lists()?;
        let lists = self.lists.as_deref_mut().expect("created");
        self.law.update(lists, i, j, cutoffs, out.len())?;
        Ok(j)
    }
}

impl<Of: fmt::Debug + 'static> Engine for Listed<Of> {
    fn law(&self) -> &'static Law {
        self.law.law()
    }

    fn options(&self) -> Options {
        let domain = self.lists.as_ref().map_or(self.domain, |lists| lists.domain());
        self.law.options().domain(domain)
    }

    fn parameters(&self) -> &[u64] {
        self.law.parameters()
    }

    fn set_parameters(&mut self, parameters: &[u64]) -> Result<(), Error> {
        self.law.set_parameters(parameters)?;
        self.cutoff = Cutoff::new(self.law.law(), parameters);
        Ok(())
    }

    fn set_domain(&mut self, domain: Domain) -> Result<(), Error> {
        domain.check(self.law.options().precision)?;
        self.law.law().check_domain(&domain)?;
        if let Some(lists) = &mut self.lists {
            lists.set_domain(domain)?;
        }
        self.domain = domain;
        Ok(())
    }

    fn results(&self, n: usize) -> Result<Box<dyn Buffer>, Error> {
        self.law.results(n)
    }

    fn evaluate(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
        store: Store,
    ) -> Result<(), Error> {
        if let Some(all_pairs) = self.in_short_box()? {
            return all_pairs.evaluate(i, j, out, store);
        }
        let j = self.update(i, j, out)?;
        let lists = self.lists.as_deref().expect("updated");
        self.law.evaluate(lists, i, j, out, store)
    }

    fn time(
        &mut self,
        i: &dyn Buffer,
        j: Sources<'_, dyn Buffer>,
        out: &mut dyn Buffer,
    ) -> Result<Duration, Error> {
        if let Some(all_pairs) = self.in_short_box()? {
            return all_pairs.time(i, j, out);
        }
        let j = self.update(i, j, out)?;
        let lists = self.lists.as_deref().expect("updated");
        self.law.time(lists, i, j, out)
    }

    fn rounded_length(&self) -> Result<f64, Error> {
        let lists = self.lists.as_deref().filter(|_| self.short_box().is_none());
        lists.map_or(Ok(0.0), Neighbours::rounded_length)
    }

    fn settle(&mut self) -> Result<(), Error> {
        // The number of rebuilds is known once the check has ended.
        self.lists.as_mut().map_or(Ok(()), |lists| lists.rebuilds().map(|_| ()))
    }

    fn is_stateless(&self) -> bool {
        false
    }

    fn state(&self) -> Result<EngineState, Error> {
        let Some(lists) = &self.lists else { return Ok(EngineState::Nothing) };
        Ok(lists.state()?.map(EngineState::Lists).unwrap_or_default())
    }

    fn restore(&mut self, state: &EngineState) -> Result<(), Error> {
        match state {
            EngineState::Lists(state) => self.lists()?.restore(state),
            state => check_state(state),
        }
    }
}
