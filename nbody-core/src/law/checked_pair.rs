//! The pair function of a law on the numbers of checks, as a value: a function of the Rust compiler,
//! or of a C++ compiler at run time.

use std::fmt;

use crate::numeric::bounded::Bounded;
use crate::numeric::positions::Positions;

/// Constants of all pairs of a check.
#[derive(Clone, Copy)]
pub struct CheckSetting<'a> {
    /// The parameters, as one record.
    pub parameters: &'a [Bounded],
    /// The space.
    pub positions: Positions,
}

/// The numbers of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckNumbers {
    /// Running error bounds.
    Bounded,
    /// Numbers in `f64` with the range of `f32`; they have no errors.
    Narrow,
}

/// The pair function of a law on the numbers of checks. A record is its numbers, in order; integers
/// have no error.
#[derive(Clone, Copy)]
pub enum CheckedPair {
    /// Functions of the Rust compiler.
    Compiled(CompiledPair),
    /// Functions that were compiled at run time.
    Loaded(&'static dyn LoadedPair),
}

/// Functions of the Rust compiler: see the methods of [`CheckedPair`].
#[derive(Clone, Copy)]
pub struct CompiledPair {
    pub(crate) pair: OnPair,
    pub(crate) cutoff: fn(&CheckSetting<'_>, &[Bounded], &[Bounded]) -> Bounded,
    pub(crate) within: fn(&CheckSetting<'_>, &[Bounded], &[Bounded]) -> bool,
}

type OnPair = fn(&CheckSetting<'_>, &[Bounded], &[Bounded], u32, &mut [Bounded]);

/// Functions that were compiled at run time: see the methods of [`CheckedPair`].
#[allow(missing_docs, reason = "documented there")]
pub trait LoadedPair: Send + Sync {
    fn pair(
        &self,
        setting: &CheckSetting<'_>,
        i: &[Bounded],
        j: &[Bounded],
        index: u32,
        f: &mut [Bounded],
    );
    fn cutoff(&self, setting: &CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> Bounded;
    fn within(&self, setting: &CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> bool;
}

impl CheckedPair {
    /// Adds the contribution of a j-particle with this index to the result of an i-particle.
    pub(crate) fn pair(
        &self,
        setting: &CheckSetting<'_>,
        i: &[Bounded],
        j: &[Bounded],
        index: u32,
        f: &mut [Bounded],
    ) {
        match self {
            Self::Compiled(code) => (code.pair)(setting, i, j, index, f),
            Self::Loaded(code) => code.pair(setting, i, j, index, f),
        }
    }

    /// Returns the cutoff of a pair.
    pub(crate) fn cutoff(
        &self,
        setting: &CheckSetting<'_>,
        i: &[Bounded],
        j: &[Bounded],
    ) -> Bounded {
        match self {
            Self::Compiled(code) => (code.cutoff)(setting, i, j),
            Self::Loaded(code) => code.cutoff(setting, i, j),
        }
    }

    /// Returns whether the distance of a pair is less than its cutoff.
    pub(crate) fn within(&self, setting: &CheckSetting<'_>, i: &[Bounded], j: &[Bounded]) -> bool {
        match self {
            Self::Compiled(code) => (code.within)(setting, i, j),
            Self::Loaded(code) => code.within(setting, i, j),
        }
    }
}

impl fmt::Debug for CheckedPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Compiled(_) => "Compiled",
            Self::Loaded(_) => "Loaded",
        })
    }
}
