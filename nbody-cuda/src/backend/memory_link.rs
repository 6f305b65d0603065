//! A link by a communicator that takes addresses of device memory, as GPU-aware MPI does.
#![allow(unsafe_code)]

use std::fmt::Debug;
use std::sync::Arc;

use nbody_compile::variable;
use nbody_core::untyped::{Communicator, Message, PassMemory};

use super::{Backend, Link, Memory, Transfer};
use crate::error::Error;

/// The variable that lets the communicator take addresses; [`NONE`] keeps even memory of the emulator
/// from it.
const SWITCH: &str = "NBODY_GPU_AWARE";
const NONE: &str = "none";

/// A link by the addresses of memory.
#[derive(Debug)]
pub(super) struct MemoryLink<B> {
    backend: B,
    communicator: Arc<dyn Communicator>,
}

impl<B: Backend + Clone + 'static> MemoryLink<B> {
    /// Connects the devices of all ranks; `None` if the communicator of a rank does not take their
    /// memory.
    pub fn connect(
        backend: &B,
        communicator: &Arc<dyn Communicator>,
        is_device: bool,
    ) -> Result<Option<Box<dyn Link>>, Error> {
        let takes = |it: &dyn PassMemory| !is_device || it.takes_devices();
        // A library that says that it takes memory of GPUs may fail with memory of pools, as here.
        let is_wanted = variable(SWITCH).map_or(!is_device, |value| value != NONE);
        let mine = is_wanted && communicator.memory().is_some_and(takes);
        let all = communicator.gather_equal(&[mine.into()])?;
        let link = Self { backend: backend.clone(), communicator: communicator.clone() };
        Ok(all.iter().all(|takes| *takes != 0).then(|| Box::new(link) as Box<dyn Link>))
    }
}

impl<B: Backend + Clone> Link for MemoryLink<B> {
    fn name(&self) -> String {
        "GPU-aware MPI".to_owned()
    }

    fn gather(&self, memory: &dyn Memory, bytes: usize) -> Result<(), Error> {
        let (own, ranks) = (self.communicator.rank(), self.communicator.size());
        let piece = |rank: usize| rank * bytes..(rank + 1) * bytes;
        let others = (0..ranks).filter(|rank| *rank != own);
        let transfers =
            others.map(|rank| Transfer { rank, sent: piece(own), received: piece(rank) });
        self.exchange(memory, memory, &transfers.collect::<Vec<_>>())
    }

    fn exchange(
        &self,
        from: &dyn Memory,
        to: &dyn Memory,
        transfers: &[Transfer],
    ) -> Result<(), Error> {
        let message = |transfer: &Transfer| {
            let [sent, received] = transfer.addresses(from, to);
            // SAFETY: the memory has these bytes and stays borrowed until they have passed; work of
            // the device has ended, and ranges of received bytes are apart from all others.
            unsafe { Message::new(transfer.rank, sent, received) }
        };
        self.backend.wait_for_all()?;
        let messages: Vec<_> = transfers.iter().map(message).collect();
        let memory = self.communicator.memory().expect("as when the link was made");
        Ok(memory.pass(&messages)?)
    }
}
