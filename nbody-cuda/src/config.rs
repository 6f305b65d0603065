//! Kernel configurations.

use std::fmt;
use std::str::FromStr;

use crate::border::border;

border! {
    /// Warps.
    pub mod warp {
        /// The number of threads of a warp.
        pub const LANES: u32 = 32;
    }
}

/// The schedule of a program: the pairs that it evaluates together, and their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// Ordered pairs of many i-particles.
    Ordered,
    /// Both directions of each pair at once, by Newton's third law.
    Symmetric,
    /// Ordered pairs of few i-particles: groups of threads share out the j-particles.
    Few,
}

impl Schedule {
    /// Every schedule.
    pub const ALL: [Self; 3] = [Self::Ordered, Self::Symmetric, Self::Few];

    /// Returns the name in tables and files.
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
        let expected = &const { [Self::Ordered.name(), Self::Symmetric.name(), Self::Few.name()] };
        let found = Self::ALL.into_iter().find(|schedule| schedule.name() == name);
        found.ok_or_else(|| nbody_core::Error::UnknownName { found: name.to_owned(), expected })
    }
}

/// A walk through a tree on a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Walk {
    /// Groups of 32 i-particles share a walk. A cell acts from afar on all of them or on none, so
    /// that more cells are opened and errors are smaller.
    #[default]
    Groups,
    /// Each i-particle has its own walk (Nakasato 2012, J. Comput. Sci. 3, 132).
    Particles,
}

impl Walk {
    /// Every walk.
    pub const ALL: [Self; 2] = [Self::Groups, Self::Particles];

    /// Returns the name in tables and files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Groups => "groups",
            Self::Particles => "particles",
        }
    }
}

impl fmt::Display for Walk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Walk {
    type Err = nbody_core::Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let expected = &const { [Self::Groups.name(), Self::Particles.name()] };
        let found = Self::ALL.into_iter().find(|walk| walk.name() == name);
        found.ok_or_else(|| nbody_core::Error::UnknownName { found: name.to_owned(), expected })
    }
}

/// A kernel configuration, for which a program is compiled.
///
/// It affects speed. The schedule and the bag also determine the order of the sums, and therefore
/// the rounding errors of results (see [`SummationOrder`](nbody_core::SummationOrder)).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct KernelConfig {
    /// The schedule.
    pub schedule: Schedule,
    /// Threads per block.
    pub block: usize,
    /// i-particles per thread.
    pub i_per_thread: usize,
    /// j-particles per bag.
    pub bag: usize,
    /// j-particles per iteration of the FORCE-LOOP.
    pub unroll: usize,
    /// Resident blocks per multiprocessor, for which registers must suffice; 0 leaves the number
    /// to the compiler.
    pub resident: usize,
}

impl KernelConfig {
    /// Returns the number of i-particles of a thread block tile, if each thread has different
    /// i-particles.
    pub fn tile(&self) -> usize {
        self.block.saturating_mul(self.i_per_thread)
    }

    /// Returns the configuration of programs with one thread per particle or word.
    pub(crate) const fn per_thread(block: usize) -> Self {
        let schedule = Schedule::Ordered;
        Self { schedule, block, i_per_thread: 1, bag: 1, unroll: 1, resident: 1 }
    }
}
