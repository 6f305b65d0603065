//! The connection of the device of a rank to the devices of other ranks.

use crate::ranks::gather::Gather;
use crate::ranks::parts::Parts;

/// A connection to the devices of other ranks.
#[derive(Debug)]
pub struct Connection {
    /// Gathers results.
    pub gather: Box<dyn Gather>,
    /// Moves parts of particles; `None` where they move by way of the host.
    pub parts: Option<Box<dyn Parts>>,
}
