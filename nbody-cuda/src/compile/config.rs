//! What a program is compiled for.

use std::fmt;
use std::str::FromStr;

/// The order in which a program goes through the pairs: a file of this name in `schedule/` each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// Every ordered pair, for many i-particles.
    Ordered,
    /// Both directions of a pair at once, by Newton's third law.
    Symmetric,
    /// Every ordered pair, for few i-particles, which share the threads of a block.
    Few,
}

impl Schedule {
    /// Every schedule.
    pub const ALL: [Self; 3] = [Self::Ordered, Self::Symmetric, Self::Few];

    /// The name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Symmetric => "symmetric",
            Self::Few => "few",
        }
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Schedule {
    type Err = nbody_core::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let expected = &["ordered", "symmetric", "few"];
        let found = Self::ALL.into_iter().find(|schedule| schedule.name() == name);
        found.ok_or_else(|| nbody_core::Error::UnknownName { found: name.to_owned(), expected })
    }
}

/// What a program is compiled for. None of it changes results, but for the bag, which is part of
/// the order of summation ([`SummationOrder`](nbody_core::SummationOrder)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct KernelConfig {
    /// How it goes through the pairs.
    pub schedule: Schedule,
    /// Threads of a block.
    pub block: usize,
    /// i-particles of a thread.
    pub i_per_thread: usize,
    /// j-particles of a bag.
    pub bag: usize,
    /// j-particles of one turn of the FORCE-LOOP.
    pub unroll: usize,
    /// Blocks that a multiprocessor must have registers for; 0 leaves it to the compiler.
    pub resident: usize,
}

impl KernelConfig {
    /// The i-particles of a block, where each thread has its own.
    pub fn tile(&self) -> usize {
        self.block.saturating_mul(self.i_per_thread)
    }
}
