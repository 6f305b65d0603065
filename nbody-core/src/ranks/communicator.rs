//! The interface of communicators.

use std::fmt;
use std::ops::Range;

use crate::error::Error;

/// Connects the ranks of a job. All ranks call the same operations in the same order; each
/// operation waits for all ranks.
pub trait Communicator: fmt::Debug + Send + Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn size(&self) -> usize;

    /// Returns whether there are never other ranks: engines are then as they are without ranks.
    fn is_alone(&self) -> bool {
        false
    }

    /// Returns the place of this rank among the ranks on its host.
    fn on_host(&self) -> OnHost;

    /// Gathers the messages of all ranks in the order of ranks; the message of rank r has
    /// `sizes[r]` bytes.
    fn gather(&self, mine: &[u8], sizes: &[usize], all: &mut [u8]) -> Result<(), Error>;

    /// Sends a message to each rank, `sent[r]` to rank r, and returns the messages of all ranks to
    /// this one, one after another; the message of rank r has `sizes[r]` bytes.
    fn exchange(&self, sent: &[&[u8]], sizes: &[usize]) -> Result<Vec<u8>, Error>;

    /// Returns what passes memory by its address; `None` if messages are always copied.
    fn memory(&self) -> Option<&dyn PassMemory> {
        None
    }
}

/// Passes memory of ranks by its address, without copies.
pub trait PassMemory {
    /// Returns whether it takes memory of devices, not only memory of the host.
    fn takes_devices(&self) -> bool;

    /// Sends the bytes of each message to its rank, and receives bytes from it; there is at most one
    /// message for each other rank. All ranks call this together.
    fn pass(&self, messages: &[Message]) -> Result<(), Error>;
}

/// Bytes of memory that a rank sends to another one, and bytes that it receives from it.
#[derive(Debug)]
pub struct Message {
    rank: usize,
    sent: Range<u64>,
    received: Range<u64>,
}

impl Message {
    /// Returns a message to and from a rank; the ranges are addresses.
    ///
    /// # Safety
    ///
    /// The communicator that passes the message has this rank. While it lives, the sent bytes can be
    /// read and are not written, and nothing else reads or writes the received bytes. If they are
    /// memory of a device, the message only passes where
    /// [`PassMemory::takes_devices`] is true.
    #[allow(unsafe_code, reason = "the caller vouches for the addresses")]
    pub const unsafe fn new(rank: usize, sent: Range<u64>, received: Range<u64>) -> Self {
        Self { rank, sent, received }
    }

    /// Returns the other rank.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the addresses of the bytes to send.
    pub fn sent(&self) -> Range<u64> {
        self.sent.clone()
    }

    /// Returns the addresses of the bytes to receive.
    pub fn received(&self) -> Range<u64> {
        self.received.clone()
    }
}

/// The place of a rank among the ranks on its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnHost {
    /// The number of ranks with a lower number on the host.
    pub rank: usize,
    /// The number of ranks on the host.
    pub size: usize,
}

impl dyn Communicator + '_ {
    /// Gathers a message of the same size from each rank, in the order of ranks.
    pub fn gather_equal(&self, mine: &[u8]) -> Result<Vec<u8>, Error> {
        let mut all = vec![0; mine.len() * self.size()];
        self.gather(mine, &vec![mine.len(); self.size()], &mut all)?;
        Ok(all)
    }

    /// Gathers a message of any size from each rank.
    pub fn gather_all(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let sizes = self.gather_equal(&(mine.len() as u64).to_le_bytes())?;
        let size = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes) as usize;
        let sizes: Vec<_> = sizes.as_chunks().0.iter().map(size).collect();
        let mut all = vec![0; sizes.iter().sum()];
        self.gather(mine, &sizes, &mut all)?;
        let mut rest = &all[..];
        let mut next = |size| {
            let (message, others) = rest.split_at(size);
            rest = others;
            message.to_vec()
        };
        Ok(sizes.into_iter().map(&mut next).collect())
    }
}
