//! Sorting by keys on one backend: the memory for the phases of a kernel (`sort.cuh`).

use crate::backend::{Backend, Memory, Scratch};
use crate::border::{Address, Declared as _, border};
use crate::config::warp;
use crate::error::Error;

border! {
    /// Keys and their values.
    pub struct Keyed {
        pub keys: Address<u64>,
        pub values: Address<u32>,
    }

    /// The memory of a sort. Even passes move keys and values from `even` to `odd`, odd passes
    /// back. The first pass does not read values: they are the indices of the keys.
    pub struct Sort {
        pub even: Keyed,
        pub odd: Keyed,
        /// The number of keys of each block and digit.
        pub counts: Address<u32>,
        /// The sums of counts over squads of blocks, for even and odd passes.
        pub sums: Address<u32>,
        pub n: u32,
    }
}

border! {
    /// The digits of keys.
    pub mod digit {
        /// Bits of a digit: a pass sorts by one digit.
        pub const DIGIT_BITS: u32 = 8;
        pub const DIGITS: u32 = 1 << DIGIT_BITS;
        /// The number of blocks whose counts are summed together.
        pub const SQUAD: u32 = 16;
    }
}

/// The text of the device functions.
pub(crate) const TEXT: &str = include_str!("sort.cuh");

/// Returns the declarations that the text needs.
pub(crate) fn declared() -> [String; 4] {
    [warp::text(), digit::text(), Keyed::text(), Sort::text()]
}

/// The memory of a sort of 64-bit keys with 32-bit values, which are initially the indices of the
/// keys.
#[derive(Debug, Default)]
pub(crate) struct SortMemory {
    keys: [Scratch; 2],
    values: [Scratch; 2],
    counts: Scratch,
    sums: Scratch,
    n: usize,
}

/// Returns the number of phases of a sort of keys with this number of bits.
pub(crate) const fn phases(bits: u32) -> u32 {
    2 * bits.div_ceil(digit::DIGIT_BITS)
}

impl SortMemory {
    /// Reserves memory for `n` keys, sorted by this number of blocks.
    pub fn reserve(&mut self, backend: &dyn Backend, n: usize, blocks: usize) -> Result<(), Error> {
        for keys in &mut self.keys {
            keys.reserve(backend, &[n, size_of::<u64>()], false)?;
        }
        for values in &mut self.values {
            values.reserve(backend, &[n, size_of::<u32>()], false)?;
        }
        let row = digit::DIGITS as usize * size_of::<u32>();
        self.counts.reserve(backend, &[blocks, row], false)?;
        self.sums.reserve(backend, &[2, blocks.div_ceil(digit::SQUAD as usize), row], false)?;
        self.n = n;
        Ok(())
    }

    /// Returns the memory.
    pub fn memory(&self) -> [&dyn Memory; 6] {
        let Self { keys: [keys, keys_to], values: [values, values_to], counts, sums, .. } = self;
        [keys, values, keys_to, values_to, counts, sums].map(Scratch::memory)
    }

    /// Returns the memory that was reserved.
    pub fn reserved(&self) -> impl Iterator<Item = &dyn Memory> {
        let all = self.keys.iter().chain(&self.values).chain([&self.counts, &self.sums]);
        all.filter_map(Scratch::get)
    }

    /// Returns the memory as an argument of kernels.
    pub fn argument(&self) -> Sort {
        let Self { keys, values, counts, sums, n } = self;
        let keyed = |k: usize| Keyed {
            keys: Address::of(keys[k].memory()),
            values: Address::of(values[k].memory()),
        };
        let [counts, sums] = [counts, sums].map(|it| Address::of(it.memory()));
        Sort { even: keyed(0), odd: keyed(1), counts, sums, n: *n as u32 }
    }

    /// Returns the values, after a sort of keys with this number of bits.
    pub fn values(&self, bits: u32) -> &dyn Memory {
        self.values[(bits.div_ceil(digit::DIGIT_BITS) % 2) as usize].memory()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use nbody_compile::Cache;

    use super::super::BLOCK;
    use super::*;
    use crate::backend::emulator::Emulator;
    use crate::backend::gpu;
    use crate::backend::{Launch, Module};
    use crate::border;
    use crate::compile::program::Program;

    const PARTS: [&str; 4] = [
        include_str!("../../kernels/grid.cuh"),
        include_str!("../../kernels/scan.cuh"),
        TEXT,
        "
namespace nbody {

extern \"C\" __global__ void __launch_bounds__(BLOCK, 2) sort(
    u32 *arrived, const Sort sort, const u64 *from, u32 first_phase, u32 end_phase)
{
    __shared__ SortShared shared;
    in_phases(first_phase, end_phase, arrived, [&](u32 phase) {
        if (phase > 0) return sort_phase(sort, phase - 1, shared);
        clear_sums(sort, 0);
        const u32 first = blockIdx.x * BLOCK + threadIdx.x;
        for (u32 k = first; k < sort.n; k += gridDim.x * BLOCK) sort.even.keys[k] = from[k];
    });
}

} // namespace nbody
",
    ];

    /// A kernel that sorts keys, on a backend.
    struct Sorter<'a> {
        backend: &'a dyn Backend,
        module: Box<dyn Module>,
        arrived: Box<dyn Memory>,
        sort: SortMemory,
    }

    impl<'a> Sorter<'a> {
        fn new(backend: &'a dyn Backend) -> Option<Self> {
            let folder = tempfile::tempdir().unwrap();
            let declared = border::text(&super::declared());
            let parts = [&[&*declared], &PARTS[..]].concat();
            let program = Program::of_words("sort", "a radix sort", &[c"sort"], BLOCK, &parts);
            let module = match backend.build(&program, &Cache::at(folder.path())) {
                Err(Error::NvrtcNotFound(_)) => return None,
                built => built.unwrap().0,
            };
            let mut arrived = backend.allocate(4).unwrap();
            arrived.zero().unwrap();
            Some(Self { backend, module, arrived, sort: SortMemory::default() })
        }

        /// Sorts keys by their lowest bits and returns their indices in order.
        fn sort(&mut self, keys: &[u64], bits: u32, blocks: usize) -> Vec<u32> {
            let mut from = self.backend.allocate(size_of_val(keys)).unwrap();
            from.write(&mut |words| words.copy_from_slice(keys)).unwrap();
            self.sort.reserve(self.backend, keys.len(), blocks).unwrap();
            let launch = Launch::new(c"sort", blocks as u32).pointers([&*self.arrived]);
            let launch = self.sort.memory().into_iter().fold(launch, Launch::reads);
            let launch = launch.value(&self.sort.argument()).pointers([&*from]);
            let launch = launch.phases(0..1 + phases(bits));
            self.module.launch(launch).unwrap();
            let mut found = Vec::new();
            let take = &mut |words: &[u64]| found = bytemuck::cast_slice(words).to_owned();
            self.sort.values(bits).read(take).unwrap();
            found.truncate(keys.len());
            found
        }

        fn check(&mut self, keys: &[u64], bits: u32, blocks: usize) {
            let low = |k: &u32| keys[*k as usize] & (u64::MAX >> (u64::BITS - bits));
            let mut expected: Vec<_> = (0..keys.len() as u32).collect();
            expected.sort_by_key(low);
            assert!(self.sort(keys, bits, blocks) == expected, "{}, {bits}, {blocks}", keys.len());
        }

        fn check_all(&mut self) {
            let most = self.module.resident_blocks(c"sort");
            for n in [0, 1, 33, 4099] {
                self.check(&random(n, 1 << 48), 48, most);
            }
            // Several batches of a block, and several squads; few values, which show that the sort
            // is stable; few bits; and bits above the sorted ones.
            let cases = [
                (20_001, 1 << 48, 48),
                (20_001, 1 << 24, 24),
                (9000, 3, 8),
                (5000, 1 << 13, 13),
                (777, 1 << 60, 16),
            ];
            for ((n, values, bits), blocks) in cases.into_iter().zip([37, 3, 1, most, 2]) {
                self.check(&random(n, values), bits, blocks);
            }
            self.check(&vec![u64::MAX; 4099], 64, most);
            let down: Vec<_> = (0..6000).map(|k| (6000 - k) << 51).collect();
            self.check(&down, 64, 3);
        }
    }

    /// Returns keys below a limit.
    pub(crate) fn random(n: usize, limit: u64) -> Vec<u64> {
        let mut state = 1_u64;
        let next = |_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % limit
        };
        (0..n).map(next).collect()
    }

    #[test]
    fn keys_are_sorted_and_equal_ones_keep_their_order() {
        Sorter::new(&Emulator::open().unwrap()).unwrap().check_all();
        let Some((_one, gpu)) = gpu::tests::gpu() else { return };
        let Some(mut sorter) = Sorter::new(&gpu) else { return };
        sorter.check_all();
        let most = sorter.module.resident_blocks(c"sort");
        for n in [1 << 20, 3_000_017] {
            sorter.check(&random(n, 1 << 48), 48, most);
        }
    }
}
