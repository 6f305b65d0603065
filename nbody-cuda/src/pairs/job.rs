//! Evaluations of all pairs by a kernel.

use std::ffi::CStr;
use std::ops::Range;

use nbody_core::pack::dim;
use nbody_core::untyped::Shares;
use nbody_core::{Law, Options, Sources};

use crate::backend::{Backend, Buffer, Kernel, Launch, Scratch};
use crate::engine::parameters::DeviceParameters;
use crate::error::Error;
use crate::layout::bytes_of;

/// One evaluation by a kernel.
pub(crate) struct Job<'a> {
    pub law: &'static Law,
    pub options: Options,
    pub backend: &'a dyn Backend,
    pub kernel: &'a Kernel,
    /// The parameters and the space, as arguments of kernels.
    pub parameters: &'a DeviceParameters,
    pub space: &'a [u64],
    pub buffers: Buffers<'a>,
    pub workspace: &'a mut Workspace,
}

/// The particles and results of an evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Buffers<'a> {
    pub i: &'a Buffer,
    pub j: &'a Buffer,
    pub out: &'a Buffer,
    pub one_set: bool,
    /// The share of the i-particles to evaluate; `None` for all.
    pub share: Option<Range<usize>>,
}

/// The numbers of particles that an evaluation is planned for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Numbers {
    /// The numbers of i-particles and j-particles.
    pub n: [usize; 2],
    /// Whether i and j are one set in one buffer.
    pub one_buffer: bool,
    /// Whether a share is evaluated. All shares have one plan, which is made for the largest share
    /// of `SHARES`, whatever the numbers of the others.
    pub is_share: bool,
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

/// The number of shares that the summation order of a share is planned for. With more ranks the
/// kernel does not fill the GPU as well, with one it merges more splits.
pub const SHARES: usize = 2;

impl<'a> Buffers<'a> {
    pub fn of(i: &'a Buffer, j: Sources<'a, Buffer>, out: &'a Buffer) -> Self {
        Self { i, j: j.particles(), out, one_set: j.is_one_set(), share: None }
    }

    /// Returns the i-particles to evaluate, which may be the first of their buffer.
    pub fn range(&self) -> Range<usize> {
        self.share.clone().unwrap_or(0..self.out.n)
    }

    /// Returns the numbers for a plan.
    pub fn numbers(&self) -> Numbers {
        let (ni, nj, is_share) = (self.out.n, self.j.n, self.share.is_some());
        if is_share {
            let ni = Shares::new(ni, SHARES).piece.min(ni);
            return Numbers { n: [ni, nj], one_buffer: false, is_share };
        }
        let is_whole = self.one_set && ni == nj;
        let one_buffer = is_whole && self.i.memory.address() == self.j.memory.address();
        Numbers { n: [ni, nj], one_buffer, is_share }
    }
}

impl<'a> Job<'a> {
    /// Creates a launch with the leading arguments of every kernel of pairs.
    pub fn kernel_of_pairs(&self, kernel: &'static CStr, blocks: usize) -> Launch<'a> {
        self.parameters.pass(Launch::new(kernel, blocks as u32)).record(self.space)
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
        let Buffers { i, j, out, one_set, .. } = self.buffers;
        let range = self.buffers.range();
        let Workspace { i_parts, ended, .. } = &mut *self.workspace;
        let count = if splits > 1 { splits } else { 0 };
        let sums = [range.len(), dim(self.law.f), count, bytes_of(self.options.backup())];
        let parts = i_parts.reserve(self.backend, &sums, false)?;
        let ended = ended.reserve(self.backend, &[tiles, size_of::<u32>()], true)?;
        let launch = launch
            .pointers([&*i.memory])
            .numbers([range.start, range.len(), out.n].map(|number| number as u32))
            .pointers([&*j.memory])
            .numbers(numbers.map(|number| number as u32))
            .numbers([one_set.into()])
            .pointers([parts, ended, &*out.memory]);
        self.kernel.module.launch(launch)
    }
}
