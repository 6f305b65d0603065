//! Memory that kernels read and write.

use std::fmt::Debug;

use crate::Error;

/// Memory of a backend.
pub(crate) trait Memory: Debug + Send + Sync {
    fn address(&self) -> u64;
    /// Words around the memory that nothing may change, where the backend keeps such.
    fn guards(&self) -> Vec<u64> {
        Vec::new()
    }
    /// Replaces the contents by what `fill` writes, in whole words of 8 bytes.
    fn write(&mut self, fill: &mut dyn FnMut(&mut [u64])) -> Result<(), Error>;
    fn zero(&mut self) -> Result<(), Error>;
    /// Shows the contents to `take`, once all that was launched before has ended.
    fn read(&self, take: &mut dyn FnMut(&[u64])) -> Result<(), Error>;
}
