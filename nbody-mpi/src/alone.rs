//! A rank alone.

use nbody_core::Error as CoreError;
use nbody_core::untyped::{Communicator, OnHost};

use crate::error::Error;

/// The only rank of a job, for programs that run with and without other ranks. Its device is as it
/// is without ranks, with a summation order of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Communicator for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn on_host(&self) -> OnHost {
        OnHost { rank: 0, size: 1 }
    }

    fn gather(&self, mine: &[u8], sizes: &[usize], all: &mut [u8]) -> Result<(), CoreError> {
        check_sizes(0, mine, sizes, all)?;
        all.copy_from_slice(mine);
        Ok(())
    }

    fn exchange(&self, sent: &[&[u8]], sizes: &[usize]) -> Result<Vec<u8>, CoreError> {
        check_exchange([0, 1], sent, sizes)?;
        Ok(sent.concat())
    }
}

/// Refuses a message of another size than its rank was to send, and memory that is not as large as
/// all messages.
pub(crate) fn check_sizes(
    rank: usize,
    mine: &[u8],
    sizes: &[usize],
    all: &[u8],
) -> Result<(), Error> {
    let (found, expected) = (mine.len(), sizes.get(rank).copied().unwrap_or(0));
    if found != expected {
        return Err(Error::OtherSize { rank, found, expected });
    }
    let total = sizes.iter().sum();
    if all.len() != total {
        return Err(Error::OtherSize { rank, found: all.len(), expected: total });
    }
    Ok(())
}

/// Refuses an exchange without a message to each rank and a size from each, and a message of another
/// size from this rank to itself.
pub(crate) fn check_exchange(
    [rank, ranks]: [usize; 2],
    sent: &[&[u8]],
    sizes: &[usize],
) -> Result<(), Error> {
    if let Some(found) = [sent.len(), sizes.len()].into_iter().find(|found| *found != ranks) {
        return Err(Error::OtherSize { rank, found, expected: ranks });
    }
    let (found, expected) = (sent.get(rank).map_or(0, |it| it.len()), sizes[rank]);
    if found == expected { Ok(()) } else { Err(Error::OtherSize { rank, found, expected }) }
}
