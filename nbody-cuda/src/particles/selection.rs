//! Selections of particles on one backend, without their types.

use std::mem::offset_of;
use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::pack::{Binding, Place};
use nbody_core::{Mixed, Precision, untyped};

use super::program::BLOCK;
use crate::backend::{Backend, Buffer, Kernel, Launch, Memory, Reply, Scratch, check_backend};
use crate::border::{self, Address, Const, Declared as _, border};
use crate::compile::program::Program;
use crate::config::warp;
use crate::engine::buffer::{CudaParticles, particles, particles_mut};
use crate::error::Error;
use crate::layout::{PARTICLE_LIMIT, bytes_of};

const LAST_BLOCK: &str = include_str!("../../kernels/last_block.cuh");
const SCAN: &str = include_str!("../../kernels/scan.cuh");

border! {
    /// The integers of particles. Active particles are the particles whose integer is not zero;
    /// with `soonest`, the particles whose integers are the first to follow `now`, modulo 2^32.
    pub struct Candidates {
        pub rows: Address<Const<u8>>,
        pub n: u32,
        pub row_bytes: u32,
        /// The byte of the integer in a row.
        pub byte: u32,
        pub now: u32,
        pub soonest: u32,
    }

    /// The state of a selection, followed by the findings of blocks.
    pub struct SelectionState {
        /// The least difference to `now`.
        pub least: u32,
        /// The number of active particles.
        pub active: u32,
        /// The number of blocks that have ended; zero before and after a launch.
        pub ended: u32,
        /// The time at which the active particles are due.
        pub due: u32,
    }

    /// The least difference to `now` in a block, and the number of particles with this difference;
    /// later the number of active particles in all earlier blocks.
    pub struct BlockFound {
        pub least: u32,
        pub count: u32,
    }
}

/// An order of particles in which active particles come first.
#[derive(Debug)]
pub(crate) struct CudaSelection {
    pub backend: Arc<dyn Backend>,
    kernel: Kernel,
    state: Scratch,
    indices: Scratch,
    /// Memory for the particles that are kept.
    kept: Scratch,
    reply: Box<dyn Reply>,
    /// The number of particles.
    pub n: usize,
}

impl CudaSelection {
    pub fn new(backend: &Arc<dyn Backend>, cache: &Cache) -> Result<Self, Error> {
        let program = Program::selection();
        let (module, build) = backend.build(&program, cache)?;
        let kernel = Kernel { program, module, build };
        let (state, indices, kept) = Default::default();
        let reply = backend.reply()?;
        Ok(Self { backend: backend.clone(), kernel, state, indices, kept, reply, n: 0 })
    }

    /// Orders particles of `words` words, active particles first, without waiting. With `now`,
    /// active particles are the particles whose integers follow it first.
    pub fn seek(
        &mut self,
        p: &Buffer,
        words: usize,
        integer: Place,
        now: Option<u32>,
    ) -> Result<(), Error> {
        p.check("particles", &self.backend, p.precision)?;
        if p.n > PARTICLE_LIMIT {
            return Err(Error::TooManyParticles {
                what: "particles",
                found: p.n,
                limit: PARTICLE_LIMIT,
            });
        }
        self.n = 0;
        if p.n == 0 {
            return Ok(());
        }
        let blocks = p.n.div_ceil(BLOCK);
        let Self { backend, kernel, state, indices, reply, .. } = self;
        let state = state.reserve(&**backend, &[bytes_of_state(blocks)], true)?;
        let indices = indices.reserve(&**backend, &[p.n, size_of::<u32>()], false)?;
        let bytes = bytes_of(p.precision);
        let word = match p.precision {
            Precision::Single => integer.word::<f32>(),
            Precision::Mixed => integer.word::<Mixed>(),
            Precision::Double => integer.word::<f64>(),
        };
        let [n, row_bytes, byte] = [p.n, words * bytes, word * bytes].map(|it| it as u32);
        let (soonest, now) = (now.is_some().into(), now.unwrap_or(0));
        let rows = Address::of(&*p.memory);
        let candidates = Candidates { rows, n, row_bytes, byte, now, soonest };
        let launch = |name| {
            let launch = Launch::new(name, blocks as u32).value(&candidates).reads(&*p.memory);
            launch.pointers([state])
        };
        let module = &kernel.module;
        reply.expect()?;
        let find = launch(c"find_active").numbers([blocks as u32]);
        module.launch(find.value(&Address::<u64>::at(reply.address())))?;
        module.launch(launch(c"order").pointers([indices]))?;
        self.n = p.n;
        Ok(())
    }

    /// Waits for the number of active particles, and returns it; and, with `now`, the difference
    /// of their integers to it.
    pub fn found(&self) -> Result<[u32; 2], Error> {
        if self.n == 0 {
            return Ok([0; 2]);
        }
        let found = self.reply.receive()?;
        Ok([(found >> 32) as u32, found as u32])
    }

    /// Refuses an order of another backend.
    pub fn check(&self, backend: &Arc<dyn Backend>) -> Result<(), Error> {
        check_backend("a selection", &self.backend, backend)
    }

    /// Returns the address of the time at which the active particles are due.
    pub fn due(&self) -> Address<u32> {
        let state = Address::<SelectionState>::of(self.state.memory());
        state.part(offset_of!(SelectionState, due))
    }

    /// Returns the indices in this order.
    pub fn indices(&self) -> &dyn Memory {
        self.indices.memory()
    }

    /// Copies the first particles in this order, of `words` words each. Resizes the memory if
    /// necessary.
    pub fn copy_first(
        &self,
        count: usize,
        from: &Buffer,
        words: usize,
        to: &mut Buffer,
    ) -> Result<(), Error> {
        self.check_first(count, from)?;
        to.check("selected particles", &self.backend, from.precision)?;
        to.resize(count, words)?;
        self.launch_gather(count, from, words, &*to.memory)
    }

    /// Refuses other particles than the particles in this order, and more than all.
    fn check_first(&self, count: usize, from: &Buffer) -> Result<(), Error> {
        nbody_core::Error::check_length("particles to select from", from.n, self.n)?;
        nbody_core::Error::check_range(&(0..count), self.n)?;
        from.check("particles to select from", &self.backend, from.precision)
    }

    fn launch_gather(
        &self,
        count: usize,
        from: &Buffer,
        words: usize,
        to: &dyn Memory,
    ) -> Result<(), Error> {
        let words = words * bytes_of(from.precision) / size_of::<u32>();
        if count * words == 0 {
            return Ok(());
        }
        let blocks = (count * words).div_ceil(BLOCK) as u32;
        let launch = Launch::new(c"gather", blocks).pointers([&*from.memory, self.indices()]);
        let launch = launch.pointers([to]).numbers([count as u32, words as u32]);
        self.kernel.module.launch(launch)
    }

    /// Keeps the first particles in this order.
    fn keep_first(&mut self, count: usize, p: &mut CudaParticles) -> Result<(), Error> {
        self.check_first(count, &p.buffer)?;
        let sizes = [count, p.words(), bytes_of(p.buffer.precision)];
        self.kept.reserve(&*self.backend, &sizes, false)?;
        let kept = self.kept.memory();
        self.launch_gather(count, &p.buffer, p.words(), kept)?;
        p.shorten(kept, count)
    }
}

impl untyped::Selection for CudaSelection {
    fn len(&self) -> usize {
        self.n
    }

    fn select(
        &mut self,
        buffer: &dyn untyped::Buffer,
        field: &str,
    ) -> Result<usize, nbody_core::Error> {
        let p = particles("particles", &*self.backend, buffer)?;
        let active = Binding::integer(field, p.fields)?;
        self.seek(&p.buffer, p.words(), active, None)?;
        Ok(self.found()?[0] as usize)
    }

    fn seek_soonest(
        &mut self,
        buffer: &dyn untyped::Buffer,
        field: &str,
        now: u32,
    ) -> Result<(), nbody_core::Error> {
        let p = particles("particles", &*self.backend, buffer)?;
        let due = Binding::integer(field, p.fields)?;
        Ok(self.seek(&p.buffer, p.words(), due, Some(now))?)
    }

    fn soonest(&self) -> Result<(usize, u32), nbody_core::Error> {
        let [count, least] = self.found()?;
        Ok((count as usize, least))
    }

    fn gather(
        &self,
        count: usize,
        from: &dyn untyped::Buffer,
        to: &mut dyn untyped::Buffer,
    ) -> Result<(), nbody_core::Error> {
        let from = particles("particles", &*self.backend, from)?;
        let to = particles_mut("selected particles", &*self.backend, to)?;
        nbody_core::Error::check_record("selected particles", to.fields, from.fields)?;
        Ok(self.copy_first(count, &from.buffer, from.words(), &mut to.buffer)?)
    }

    fn keep(
        &mut self,
        count: usize,
        particles: &mut dyn untyped::Buffer,
    ) -> Result<(), nbody_core::Error> {
        let p = particles_mut("particles", &*self.backend, particles)?;
        Ok(self.keep_first(count, p)?)
    }
}

/// Returns the bytes of the state and of the findings of this number of blocks.
fn bytes_of_state(blocks: usize) -> usize {
    size_of::<SelectionState>() + size_of::<BlockFound>() * blocks
}

impl Program {
    /// Returns the program of selections (`Selection`).
    pub fn selection() -> Self {
        let state = [SelectionState::text(), BlockFound::text()];
        let declared = border::text(&[&[warp::text(), Candidates::text()][..], &state].concat());
        let parts = [&*declared, LAST_BLOCK, SCAN, include_str!("selection.cuh")];
        let kernels = &[c"find_active", c"order", c"gather"];
        Self::of_words("selection", "an order of particles", kernels, BLOCK, &parts)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use nbody_core::pack::OwnedRows;
    use nbody_core::untyped::{Buffer as _, Selection as _};
    use nbody_core::{Field, FieldKind};

    use super::*;
    use crate::backend::another::Another;
    use crate::backend::emulator::Emulator;
    use crate::engine::copies::RowCopies;

    const FIELDS: &[Field] = &[
        Field { name: "x", kind: FieldKind::Real },
        Field { name: "alive", kind: FieldKind::U32 },
    ];

    /// Nothing is copied to or from the host, memory is used again, and engines can see the change.
    #[test]
    fn particles_that_go_stay_on_the_device() {
        let another = Arc::new(Another::of(Emulator::open().unwrap()));
        let backend: Arc<dyn Backend> = another.clone();
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path());
        let copies = Arc::new(RowCopies::new(&cache));
        let mut selection = CudaSelection::new(&backend, &cache).unwrap();
        let words = (0..1000_u64).flat_map(|k| [(k as f64).to_bits(), k % 4]).collect();
        let rows = OwnedRows::new(FIELDS, words).unwrap();
        let upload = || CudaParticles::upload(&backend, &rows, Precision::Single, &copies).unwrap();
        let mut addresses = [0; 2];
        for address in &mut addresses {
            let mut p = upload();
            let (before, memory) = (p.buffer.contents([1]), p.buffer.memory.address());
            another.copied.store(0, Ordering::Relaxed);
            assert_eq!(selection.retain(&mut p, "alive"), Ok(750));
            assert_eq!((p.len(), another.copied.load(Ordering::Relaxed)), (750, 0));
            assert_eq!(p.buffer.memory.address(), memory);
            assert!(p.buffer.contents([1]) > before);
            *address = selection.kept.memory().address();
            // All stay, and nothing changes.
            let before = p.buffer.contents([1]);
            assert_eq!(selection.retain(&mut p, "alive"), Ok(750));
            assert_eq!(p.buffer.contents([1]), before);
        }
        assert_eq!(addresses[0], addresses[1]);
        // Without memory nothing changes.
        let mut p = upload();
        let mut other = CudaSelection::new(&backend, &cache).unwrap();
        other.select(&p, "alive").unwrap();
        another.is_full.store(true, Ordering::Relaxed);
        assert!(other.keep(750, &mut p).is_err());
        assert_eq!(p.len(), 1000);
    }
}
