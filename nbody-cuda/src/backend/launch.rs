//! The kernels of a program and their arguments.

use std::ffi::{CStr, c_void};

use crate::backend::Memory;

/// One launch, with arguments as the schemes in `kernels/` declare them.
#[derive(Debug)]
pub(crate) enum Launch<'a> {
    AllPairs {
        common: Common<'a>,
        i: &'a dyn Memory,
        ni: u32,
        j: &'a dyn Memory,
        nj: u32,
        tiles: u32,
        splits: u32,
        bags_per_split: u32,
        one_set: bool,
        /// Whether to add to the results that are there.
        add: bool,
        /// The sums of the splits, where there are several.
        parts: &'a dyn Memory,
        /// Counts of blocks that have ended, one for each tile, all zero.
        ended: &'a dyn Memory,
        out: &'a dyn Memory,
    },
    Symmetric {
        common: Common<'a>,
        particles: &'a dyn Memory,
        share: Share,
        i_parts: &'a dyn Memory,
        j_parts: &'a dyn Memory,
    },
    MergeParts {
        share: Share,
        /// Whether to add to the results that are there.
        add: bool,
        /// i-particles of a tile.
        tile: u32,
        i_parts: &'a dyn Memory,
        j_parts: &'a dyn Memory,
        out: &'a dyn Memory,
    },
}

/// What every evaluation takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Common<'a> {
    /// The parameters of the interaction, as they lie in memory.
    pub parameters: &'a [u64],
    /// The lengths of the periodic box and their inverses, as they lie in memory.
    pub space: &'a [u64],
}

/// The tiles of `n` particles that one launch evaluates, and its blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share {
    pub n: u32,
    /// The first tile.
    pub first: u32,
    /// Behind the last tile.
    pub end: u32,
    pub blocks: u32,
}

/// The values of the arguments, in the order of the kernel's parameters.
pub(crate) struct Arguments {
    words: Vec<u64>,
    /// Where each argument begins.
    begins: Vec<usize>,
}

impl Launch<'_> {
    /// The kernel's name in a CUDA module.
    pub fn kernel(&self) -> &'static CStr {
        match self {
            Self::AllPairs { .. } => c"all_pairs",
            Self::Symmetric { .. } => c"symmetric",
            Self::MergeParts { .. } => c"merge_parts",
        }
    }

    /// The blocks of the grid, each of `block` threads.
    pub fn blocks(&self, block: usize) -> u32 {
        match *self {
            Self::AllPairs { tiles, splits, .. } => tiles * splits,
            Self::Symmetric { share, .. } => share.blocks,
            Self::MergeParts { share, tile, .. } => {
                (share.n - share.first * tile).div_ceil(block as u32)
            }
        }
    }

    /// The memory that the kernel reads and writes.
    pub fn memory(&self) -> Vec<&dyn Memory> {
        match *self {
            Self::AllPairs { i, j, parts, ended, out, .. } => vec![i, j, parts, ended, out],
            Self::Symmetric { particles, i_parts, j_parts, .. } => {
                vec![particles, i_parts, j_parts]
            }
            Self::MergeParts { i_parts, j_parts, out, .. } => vec![i_parts, j_parts, out],
        }
    }

    pub fn arguments(&self) -> Arguments {
        let mut to = Arguments::default();
        match *self {
            Self::AllPairs {
                common,
                i,
                ni,
                j,
                nj,
                tiles,
                splits,
                bags_per_split,
                one_set,
                add,
                parts,
                ended,
                out,
            } => {
                to.common(common);
                to.memory(&[i]);
                to.numbers(&[ni]);
                to.memory(&[j]);
                to.numbers(&[nj, tiles, splits, bags_per_split, one_set.into(), add.into()]);
                to.memory(&[parts, ended, out]);
            }
            Self::Symmetric { common, particles, share, i_parts, j_parts } => {
                to.common(common);
                to.memory(&[particles]);
                to.share(share);
                to.memory(&[i_parts, j_parts]);
            }
            Self::MergeParts { share, add, i_parts, j_parts, out, tile: _ } => {
                to.share(share);
                to.numbers(&[add.into()]);
                to.memory(&[i_parts, j_parts, out]);
            }
        }
        to
    }
}

#[cfg(test)]
impl<'a> Launch<'a> {
    /// One block of the kernel of all pairs, with no particles.
    pub fn of_nothing(memory: &'a dyn Memory) -> Self {
        Self::AllPairs {
            common: Common { parameters: &[], space: &[] },
            i: memory,
            ni: 0,
            j: memory,
            nj: 0,
            tiles: 1,
            splits: 1,
            bags_per_split: 0,
            one_set: false,
            add: false,
            parts: memory,
            ended: memory,
            out: memory,
        }
    }
}

impl Default for Arguments {
    fn default() -> Self {
        Self { words: Vec::with_capacity(32), begins: Vec::with_capacity(16) }
    }
}

impl Arguments {
    fn push(&mut self, words: &[u64]) {
        self.begins.push(self.words.len());
        self.words.extend_from_slice(words);
    }

    fn common(&mut self, common: Common) {
        // A struct without fields still has an address.
        self.push(if common.parameters.is_empty() { &[0] } else { common.parameters });
        self.push(common.space);
    }

    fn numbers(&mut self, numbers: &[u32]) {
        for &number in numbers {
            self.push(&[number.into()]);
        }
    }

    fn memory(&mut self, memory: &[&dyn Memory]) {
        for memory in memory {
            self.push(&[memory.address()]);
        }
    }

    fn share(&mut self, Share { n, first, end, blocks }: Share) {
        let two = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        self.push(&[two(n, first), two(end, blocks)]);
    }

    /// The addresses of the values, as launches want them. They hold while `self` lives; on a
    /// little-endian machine a `u32` is at the address of the `u64` that holds it.
    pub fn addresses(&mut self) -> Vec<*mut c_void> {
        let Self { words, begins } = self;
        begins.iter().map(|&begin| words[begin..].as_mut_ptr().cast()).collect()
    }
}

#[cfg(not(target_endian = "little"))]
compile_error!("CUDA devices and the machines they sit in are little-endian");
