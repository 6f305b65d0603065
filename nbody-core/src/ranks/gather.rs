//! Gathering results of which each rank has evaluated a share.

use std::fmt;
use std::sync::Arc;

use crate::error::Error;
use crate::memory::buffer::Buffer;
use crate::memory::buffers::results;
use crate::ranks::communicator::Communicator;
use crate::ranks::shares::Shares;
use crate::records::pack;

/// Gathers results on the devices of ranks.
pub trait Gather: fmt::Debug + Send + Sync {
    /// Replaces the rows of other ranks by the rows that they have.
    fn gather(&mut self, results: &mut dyn Buffer, shares: Shares) -> Result<(), Error>;

    /// Waits for the device of this rank.
    fn wait(&self) -> Result<(), Error>;

    /// Returns the way of the results: `memory`, `staging`, `NCCL 2.28`.
    fn way(&self) -> String;
}

/// Gathers results in the memory of the CPU.
#[derive(Debug)]
pub(crate) struct CpuGather {
    communicator: Arc<dyn Communicator>,
}

impl CpuGather {
    pub fn new(communicator: Arc<dyn Communicator>) -> Self {
        Self { communicator }
    }
}

impl Gather for CpuGather {
    fn gather(&mut self, out: &mut dyn Buffer, shares: Shares) -> Result<(), Error> {
        let fields = out.fields();
        let out = results(out, fields)?;
        Error::check_length("results", out.columns.len(), shares.n)?;
        let words = pack::dim(out.fields);
        let mine = shares.range(self.communicator.rank());
        let mut sent = vec![0; mine.len() * words];
        out.columns.rows(mine, &mut sent);
        let sizes: Vec<_> = (0..shares.ranks)
            .map(|rank| shares.range(rank).len() * words * size_of::<u64>())
            .collect();
        let mut all = vec![0_u64; shares.n * words];
        self.communicator.gather(
            bytemuck::cast_slice(&sent),
            &sizes,
            bytemuck::cast_slice_mut(&mut all),
        )?;
        out.columns.set_rows(&all);
        Ok(())
    }

    fn wait(&self) -> Result<(), Error> {
        Ok(())
    }

    fn way(&self) -> String {
        "memory".to_owned()
    }
}
