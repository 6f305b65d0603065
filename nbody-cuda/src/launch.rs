//! The kernels of a program and their arguments.

use std::ffi::{CStr, c_void};

use crate::machine::Memory;

/// One launch, with arguments as `all_pairs.cuh` declares them.
#[derive(Debug)]
pub(crate) enum Launch<'a> {
    AllPairs {
        /// The parameters of the interaction, as they lie in memory.
        parameters: &'a [u64],
        /// The lengths of the periodic box and their inverses, as they lie in memory.
        space: &'a [u64],
        i: &'a dyn Memory,
        ni: u32,
        j: &'a dyn Memory,
        nj: u32,
        tiles: u32,
        splits: u32,
        bags_per_split: u32,
        one_set: bool,
        sums: &'a dyn Memory,
    },
    MergeSplits {
        sums: &'a dyn Memory,
        ni: u32,
        splits: u32,
        out: &'a dyn Memory,
    },
}

/// The values of the arguments, in the order of the kernel's parameters.
pub(crate) struct Arguments {
    values: Vec<Vec<u64>>,
}

impl Launch<'_> {
    /// The kernel's name in a CUDA module.
    pub fn kernel(&self) -> &'static CStr {
        match self {
            Self::AllPairs { .. } => c"all_pairs",
            Self::MergeSplits { .. } => c"merge_splits",
        }
    }

    /// The blocks of the grid, each of `block` threads.
    pub fn blocks(&self, block: usize) -> u32 {
        match *self {
            Self::AllPairs { tiles, splits, .. } => tiles * splits,
            Self::MergeSplits { ni, .. } => ni.div_ceil(block as u32),
        }
    }

    /// The memory that the kernel reads and writes.
    pub fn memory(&self) -> Vec<&dyn Memory> {
        match *self {
            Self::AllPairs { i, j, sums, .. } => vec![i, j, sums],
            Self::MergeSplits { sums, out, .. } => vec![sums, out],
        }
    }

    pub fn arguments(&self) -> Arguments {
        let one = |value: u32| vec![u64::from(value)];
        let values = match *self {
            Self::AllPairs {
                parameters,
                space,
                i,
                ni,
                j,
                nj,
                tiles,
                bags_per_split,
                one_set,
                sums,
                splits: _,
            } => vec![
                // A struct without fields still has an address.
                if parameters.is_empty() { vec![0] } else { parameters.to_vec() },
                space.to_vec(),
                vec![i.address()],
                one(ni),
                vec![j.address()],
                one(nj),
                one(tiles),
                one(bags_per_split),
                one(one_set.into()),
                vec![sums.address()],
            ],
            Self::MergeSplits { sums, ni, splits, out } => {
                vec![vec![sums.address()], one(ni), one(splits), vec![out.address()]]
            }
        };
        Arguments { values }
    }
}

impl Arguments {
    /// The addresses of the values, as launches want them. They hold while `self` lives; on a
    /// little-endian machine a `u32` is at the address of the `u64` that holds it.
    pub fn addresses(&mut self) -> Vec<*mut c_void> {
        self.values.iter_mut().map(|value| value.as_mut_ptr().cast()).collect()
    }
}

#[cfg(not(target_endian = "little"))]
compile_error!("CUDA devices and the machines they sit in are little-endian");
