//! Evaluations of all pairs by a kernel.

use std::ffi::CStr;

use nbody_core::pack::dim;
use nbody_core::{Law, Options, Sources};

use crate::backend::{Backend, Buffer, Kernel, Launch, Scratch};
use crate::error::Error;
use crate::layout::bytes_of;

/// One evaluation by a kernel.
pub(crate) struct Job<'a> {
    pub law: &'static Law,
    pub options: Options,
    pub backend: &'a dyn Backend,
    pub kernel: &'a Kernel,
    /// The parameters and the space, as arguments of kernels.
    pub parameters: &'a [u64],
    pub space: &'a [u64],
    pub buffers: Buffers<'a>,
    pub workspace: &'a mut Workspace,
}

/// The particles and results of an evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffers<'a> {
    pub i: &'a Buffer,
    pub j: &'a Buffer,
    pub out: &'a Buffer,
    pub one_set: bool,
}

/// Scratch memory of an engine, which is reused from one evaluation to the next.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Partial sums of splits, or of blocks in the symmetric schedule.
    pub i_parts: Scratch,
    /// Partial sums of j-particles in the symmetric schedule.
    pub j_parts: Scratch,
    /// Counts of finished blocks, one per tile, all zero between launches.
    pub ended: Scratch,
}

impl<'a> Buffers<'a> {
    pub fn of(i: &'a Buffer, j: Sources<'a, Buffer>, out: &'a Buffer) -> Self {
        Self { i, j: j.particles(), out, one_set: j.is_one_set() }
    }

    /// Returns the numbers of i-particles, which may be the first of their buffer, and j-particles.
    pub fn n(&self) -> [usize; 2] {
        [self.out.n, self.j.n]
    }

    /// Returns whether i and j are one set in one buffer.
    pub fn is_one_buffer(&self) -> bool {
        self.one_set && self.out.n == self.j.n && self.i.memory.address() == self.j.memory.address()
    }
}

impl Job<'_> {
    /// Creates a launch with the leading arguments of every kernel of pairs.
    pub fn kernel_of_pairs<'b>(&self, kernel: &'static CStr, blocks: usize) -> Launch<'b> {
        Launch::new(kernel, blocks as u32).record(self.parameters).record(self.space)
    }

    /// Launches a kernel that divides the j-particles into splits, with a block for each split of a
    /// tile. `numbers` are its arguments after the j-particles. Provides memory for the partial sums
    /// of splits, if there are several, and for the counts of finished blocks.
    pub fn launch_splits(
        &mut self,
        kernel: &'static CStr,
        [tiles, splits]: [usize; 2],
        numbers: [usize; 4],
    ) -> Result<(), Error> {
        let launch = self.kernel_of_pairs(kernel, tiles * splits);
        let Buffers { i, j, out, one_set } = self.buffers;
        let Workspace { i_parts, ended, .. } = &mut *self.workspace;
        let count = if splits > 1 { splits } else { 0 };
        let sums = [out.n, dim(self.law.f), count, bytes_of(self.options.backup())];
        let parts = i_parts.reserve(self.backend, &sums, false)?;
        let ended = ended.reserve(self.backend, &[tiles, size_of::<u32>()], true)?;
        let launch = launch
            .pointers([&*i.memory])
            .numbers([out.n as u32])
            .pointers([&*j.memory])
            .numbers(numbers.map(|number| number as u32))
            .numbers([one_set.into()])
            .pointers([parts, ended, &*out.memory]);
        self.kernel.module.launch(launch)
    }
}
