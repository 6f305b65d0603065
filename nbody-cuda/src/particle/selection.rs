//! Selections of particles on one backend, without their types.

use std::sync::Arc;

use nbody_core::pack::Place;
use nbody_core::{Mixed, Precision};

use super::program::BLOCK;
use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Reply, Scratch, check_backend};
use crate::compile::cache::Cache;
use crate::layout::{LIMIT, bytes_of};
use crate::{Error, Program};

const LAST_BLOCK: &str = include_str!("../../kernels/last_block.cuh");
const SCAN: &str = include_str!("../../kernels/scan.cuh");

/// Bytes of the state of a selection, and of the finding of a block, which follow it.
const STATE: usize = 16;
const FOUND: usize = 8;

/// An order of particles in which those that take part come first.
#[derive(Debug)]
pub(crate) struct Order {
    pub backend: Arc<dyn Backend>,
    kernel: Kernel,
    state: Scratch,
    indices: Scratch,
    reply: Box<dyn Reply>,
    /// The number of particles.
    pub n: usize,
}

impl Order {
    pub fn new(backend: &Arc<dyn Backend>, cache: &Cache) -> Result<Self, Error> {
        let program = Program::selection();
        let (module, build) = backend.build(&program, cache)?;
        let kernel = Kernel { program, module, build };
        let (state, indices) = Default::default();
        let reply = backend.reply()?;
        Ok(Self { backend: backend.clone(), kernel, state, indices, reply, n: 0 })
    }

    /// Orders particles of this many words, without waiting for it: those that take part first, with
    /// `now` those whose integers follow it first.
    pub fn seek(
        &mut self,
        p: &Buffer,
        words: usize,
        integer: Place,
        now: Option<u32>,
    ) -> Result<(), Error> {
        p.check("particles", &self.backend, p.precision)?;
        if p.n > LIMIT {
            return Err(Error::TooManyParticles { what: "particles", found: p.n, limit: LIMIT });
        }
        self.n = 0;
        if p.n == 0 {
            return Ok(());
        }
        let blocks = p.n.div_ceil(BLOCK);
        let Self { backend, kernel, state, indices, reply, .. } = self;
        let state = state.reserve(&**backend, &[STATE + FOUND * blocks], true)?;
        let indices = indices.reserve(&**backend, &[p.n, size_of::<u32>()], false)?;
        let bytes = bytes_of(p.precision);
        let word = match p.precision {
            Precision::Single => integer.word::<f32>(),
            Precision::Mixed => integer.word::<Mixed>(),
            Precision::Double => integer.word::<f64>(),
        };
        let [n, row_bytes, byte] = [p.n, words * bytes, word * bytes].map(|it| it as u64);
        let (soonest, now) = (u64::from(now.is_some()), u64::from(now.unwrap_or(0)));
        let rows = [p.memory.address(), n | row_bytes << 32, byte | now << 32, soonest];
        let launch = |name| {
            let launch = Launch::new(name, blocks as u32).argument(&rows).reads(&*p.memory);
            launch.pointers([state])
        };
        let module = &kernel.module;
        reply.expect()?;
        let find = launch(c"find_active").numbers([blocks as u32]);
        module.launch(find.argument(&[reply.address()]))?;
        module.launch(launch(c"order").pointers([indices]))?;
        self.n = p.n;
        Ok(())
    }

    /// Waits until it is known how many particles take part, and with `now` the difference of their
    /// integers to it, and returns both.
    pub fn found(&self) -> Result<[u32; 2], Error> {
        if self.n == 0 {
            return Ok([0; 2]);
        }
        let found = self.reply.receive()?;
        Ok([(found >> 32) as u32, found as u32])
    }

    /// Refuses an order of another backend than this.
    pub fn check(&self, backend: &Arc<dyn Backend>) -> Result<(), Error> {
        check_backend("a selection", &self.backend, backend)
    }

    /// Returns the address of the time at which the particles take part.
    pub fn due(&self) -> u64 {
        const DUE: u64 = 12;
        self.state.memory().address() + DUE
    }

    /// Returns the indices in this order.
    pub fn indices(&self) -> &dyn Memory {
        self.indices.memory()
    }

    /// Copies the first particles in this order, of this many words, to memory that has room for them.
    pub fn copy_first(
        &self,
        count: usize,
        from: &Buffer,
        words: usize,
        to: &mut Buffer,
    ) -> Result<(), Error> {
        nbody_core::Error::check_length("particles to select from", from.n, self.n)?;
        nbody_core::Error::check_range(&(0..count), self.n)?;
        from.check("particles to select from", &self.backend, from.precision)?;
        to.check("selected particles", &self.backend, from.precision)?;
        to.resize(count, words)?;
        let words = words * bytes_of(from.precision) / size_of::<u32>();
        if count * words == 0 {
            return Ok(());
        }
        let blocks = (count * words).div_ceil(BLOCK) as u32;
        let launch = Launch::new(c"gather", blocks).pointers([&*from.memory, self.indices()]);
        let launch = launch.pointers([&*to.memory]).numbers([count as u32, words as u32]);
        self.kernel.module.launch(launch)
    }
}

impl Program {
    /// Returns the program of selections ([`Selection`](crate::Selection)).
    pub fn selection() -> Self {
        let parts = [LAST_BLOCK, SCAN, include_str!("selection.cuh")];
        let kernels = &[c"find_active", c"order", c"gather"];
        Self::of_words("selection", "an order of particles", kernels, BLOCK, &parts)
    }
}
