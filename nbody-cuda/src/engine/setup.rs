//! Common parts of all engines of a law on one backend.

use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::pack::dim;
use nbody_core::{Domain, Law, Options, Sources, untyped};

use crate::backend::{Backend, Buffer};
use crate::engine::buffer::CudaResults;
use crate::engine::parameters::DeviceParameters;
use crate::error::Error;
use crate::layout::space;

/// A law with its parameters and options on a backend.
#[derive(Debug)]
pub(crate) struct Setup {
    pub law: &'static Law,
    pub options: Options,
    pub backend: Arc<dyn Backend>,
    pub cache: Cache,
    /// The parameters and the space, as arguments of kernels.
    pub parameters: DeviceParameters,
    pub space: Vec<u64>,
    /// Scratch memory for results that are then added to earlier results.
    fresh: Option<Buffer>,
}

impl Setup {
    /// Refuses parameters whose length is not the length of the record, NaN, and options that no
    /// engine can have.
    pub fn new(
        backend: &Arc<dyn Backend>,
        cache: &Cache,
        law: &'static Law,
        parameters: &[u64],
        options: Options,
    ) -> Result<Self, nbody_core::Error> {
        if let Some(order) = options.order {
            order.check()?;
        }
        options.domain.check(options.precision)?;
        law.check_domain(&options.domain)?;
        let precision = options.precision;
        Ok(Self {
            law,
            options,
            backend: backend.clone(),
            cache: cache.clone(),
            parameters: DeviceParameters::new(backend, law.parameters, parameters, precision)?,
            space: space(options.domain, precision),
            fresh: None,
        })
    }

    /// Returns the options with another domain, and whether it needs other programs.
    pub fn in_domain(&self, domain: Domain) -> Result<(Options, bool), nbody_core::Error> {
        domain.check(self.options.precision)?;
        self.law.check_domain(&domain)?;
        let needs_others = domain.kind() != self.options.domain.kind();
        Ok((self.options.domain(domain), needs_others))
    }

    /// Sets the domain. Programs for it must exist.
    pub fn set_options(&mut self, options: Options) {
        self.space = space(options.domain, options.precision);
        self.options = options;
    }

    /// Allocates the results of `n` i-particles, set to the results of no pair.
    pub fn results(&self, n: usize) -> Result<Buffer, Error> {
        let mut results = self.unset_results(n)?;
        results.clear(self.law.f)?;
        Ok(results)
    }

    /// Allocates the results of `n` i-particles, as a buffer of the device.
    pub fn boxed_results(&self, n: usize) -> Result<Box<dyn untyped::Buffer>, Error> {
        Ok(CudaResults::boxed(self.results(n)?, self.law.f, &self.cache))
    }

    /// Allocates `n` results without values.
    pub fn unset_results(&self, n: usize) -> Result<Buffer, Error> {
        Buffer::new(&self.backend, n, dim(self.law.f), self.options.backup())
    }

    /// Returns scratch memory for `n` results; [`keep_fresh`](Self::keep_fresh) takes it back.
    pub fn fresh(&mut self, n: usize) -> Result<Buffer, Error> {
        if let Some(fresh) = self.fresh.take().filter(|fresh| fresh.n == n) {
            return Ok(fresh);
        }
        self.unset_results(n)
    }

    /// Keeps scratch memory for the next evaluation.
    pub fn keep_fresh(&mut self, fresh: Buffer) {
        self.fresh = Some(fresh);
    }

    /// Refuses buffers of the wrong length, device or precision, more than `limit` particles, and
    /// parameters that are NaN. The soundness of launches depends on this check.
    pub fn check(
        &self,
        i: &Buffer,
        j: Sources<Buffer>,
        out: &Buffer,
        limit: usize,
    ) -> Result<(), Error> {
        j.check([i.n, j.particles().n, out.n])?;
        self.check_particles(i, j, limit)?;
        out.check("results", &self.backend, self.options.backup())
    }

    /// Refuses particles as [`check`](Self::check) does, without results.
    pub fn check_particles(
        &self,
        i: &Buffer,
        j: Sources<Buffer>,
        limit: usize,
    ) -> Result<(), Error> {
        self.parameters.check()?;
        j.check([i.n, j.particles().n, i.n])?;
        let j = j.particles();
        for (what, found) in [("i-particles", i.n), ("j-particles", j.n)] {
            if found > limit {
                return Err(Error::TooManyParticles { what, found, limit });
            }
        }
        i.check("i-particles", &self.backend, self.options.precision)?;
        j.check("j-particles", &self.backend, self.options.precision)
    }
}
