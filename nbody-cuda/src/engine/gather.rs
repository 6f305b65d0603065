//! Gathering results of ranks in device memory: by a link between GPUs, or through the host.

use std::sync::Arc;

use nbody_compile::Cache;
use nbody_core::Error;
use nbody_core::pack::dim;
use nbody_core::untyped::{self, Communicator, Shares};

use super::buffer::results;
use crate::backend::{Backend, LateKernel, Launch, Link, Memory, Scratch};
use crate::compile::program::Program;
use crate::layout::bytes_of;

/// Threads of a block.
const BLOCK: usize = 256;

/// Gathers results on one backend of each rank.
#[derive(Debug)]
pub(crate) struct CudaGather {
    backend: Arc<dyn Backend>,
    communicator: Arc<dyn Communicator>,
    kernels: LateKernel,
    /// The link to the devices of the other ranks; without it results pass through the host.
    link: Option<Arc<dyn Link>>,
    /// The pieces of all ranks.
    pieces: Scratch,
}

impl CudaGather {
    pub fn new(
        (backend, cache): (&Arc<dyn Backend>, &Cache),
        communicator: &Arc<dyn Communicator>,
        link: Option<Arc<dyn Link>>,
    ) -> Self {
        Self {
            backend: backend.clone(),
            communicator: communicator.clone(),
            kernels: LateKernel::new(cache, Program::gather),
            link,
            pieces: Scratch::default(),
        }
    }

    /// Gathers pieces of this number of bytes: by the link, or by way of the host.
    fn gather_pieces(&self, memory: &mut dyn Memory, bytes: usize) -> Result<(), Error> {
        if let Some(link) = &self.link {
            return Ok(link.gather(memory, bytes)?);
        }
        let (rank, ranks) = (self.communicator.rank(), self.communicator.size());
        let words = bytes / size_of::<u64>();
        let mut mine = Vec::new();
        memory.read_words(rank * words..(rank + 1) * words, &mut |words| mine = words.to_vec())?;
        let (sizes, communicator) = (vec![bytes; ranks], &self.communicator);
        Ok(memory.write_first(ranks * words, &mut |words| {
            let all = bytemuck::cast_slice_mut(words);
            Ok(communicator.gather(bytemuck::cast_slice(&mine), &sizes, all)?)
        })?)
    }
}

impl untyped::Gather for CudaGather {
    fn gather(&mut self, out: &mut dyn untyped::Buffer, shares: Shares) -> Result<(), Error> {
        let fields = out.fields();
        let out = results(&*self.backend, out, fields)?;
        Error::check_length("results", out.n, shares.n)?;
        let real = bytes_of(out.precision);
        let (rank, columns) = (self.communicator.rank(), dim(fields));
        if out.n == 0 || columns == 0 {
            return Ok(());
        }
        // A piece is a whole number of words of 8 bytes.
        let bytes = shares.piece * columns * real;
        if shares.in_rows {
            return self.gather_pieces(&mut *out.memory, bytes);
        }
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.reserve(&*self.backend, &[shares.ranks, bytes], false)?;
        let kernels = self.kernels.get(&self.backend)?;
        let numbers = [out.n, columns, real / size_of::<u32>(), shares.piece, rank];
        let [n, columns, words, piece, of_rank] = numbers.map(|number| number as u32);
        let mine = shares.range(rank);
        if !mine.is_empty() {
            let pack = Launch::new(c"pack_share", mine.len().div_ceil(BLOCK) as u32)
                .pointers([&*out.memory, pieces.memory()])
                .numbers([n, mine.start as u32, mine.end as u32])
                .numbers([columns, words, piece, of_rank]);
            kernels.module.launch(pack)?;
        }
        self.gather_pieces(pieces.memory_mut(), bytes)?;
        out.changes();
        let unpack = Launch::new(c"unpack_shares", out.n.div_ceil(BLOCK) as u32)
            .pointers([pieces.memory(), &*out.memory])
            .numbers([n, columns, words, piece, of_rank]);
        kernels.module.launch(unpack)?;
        self.pieces = pieces;
        Ok(())
    }

    fn wait(&self) -> Result<(), Error> {
        Ok(self.backend.wait_for_all()?)
    }

    fn way(&self) -> String {
        self.link.as_ref().map_or_else(|| "staging".to_owned(), |link| link.name())
    }
}

impl Program {
    /// Returns the program that gathers the results of ranks.
    pub fn gather() -> Self {
        let parts = [include_str!("gather.cuh")];
        let kernels = &[c"pack_share", c"unpack_shares"];
        Self::of_words("gather", "results of ranks", kernels, BLOCK, &parts)
    }
}
