//! Tests the cells of `cells.cuh` against the cells of nbody-core.

use nbody_compile::Cache;
use nbody_core::order::frame::{Frame, Grid};
use nbody_core::trees::cells;

use super::build::WARPS;
use super::declared::{self, Cell, Cells, Extent, Sights, cell, division};
use crate::backend::emulator::Emulator;
use crate::backend::{Backend, Launch, Memory, Module, gpu};
use crate::border::{self, Address, Declared as _, border};
use crate::compile::program::Program;
use crate::order::sort::tests::random;
use crate::order::{BLOCK, sort};

border! {
    /// Keys in ascending order.
    pub struct Keys {
        pub n: u32,
        pub dimensions: u32,
    }
}

const PARTS: [&str; 6] = [
    include_str!("../../kernels/grid.cuh"),
    include_str!("../../kernels/scan.cuh"),
    sort::TEXT,
    include_str!("boundaries.cuh"),
    include_str!("cells.cuh"),
    "
namespace nbody {

extern \"C\" __global__ void __launch_bounds__(BLOCK, 2) divide_keys(
    const Cells cells, const u64 *keys, Extent *extent, const Keys of, u32 *arrived,
    const u32 first_phase, const u32 end_phase)
{
    in_phases(first_phase, end_phase, arrived, [&](u32 phase) {
        divide(cells, keys, of.n, of.dimensions, extent, phase);
    });
}

} // namespace nbody
",
];

/// A kernel that divides keys into cells, on a backend.
struct Divider<'a> {
    backend: &'a dyn Backend,
    module: Box<dyn Module>,
    arrived: Box<dyn Memory>,
}

/// Cells, the next cell after each cell and its descendants, and the first cell of each depth.
#[derive(Debug, PartialEq)]
struct Divided {
    cells: Vec<cells::Cell>,
    next: Vec<u32>,
    firsts: Vec<u32>,
}

impl<'a> Divider<'a> {
    fn new(backend: &'a dyn Backend) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let declared = declared::of_division() + &border::text(&[Keys::text()]);
        let parts = [&[&*declared], &PARTS[..]].concat();
        let program =
            Program::of_words("divide", "cells of keys", &[c"divide_keys"], BLOCK, &parts);
        let module = match backend.build(&program, &Cache::at(folder.path())) {
            Err(crate::error::Error::NvrtcNotFound(_)) => return None,
            built => built.unwrap().0,
        };
        let mut arrived = backend.allocate(4).unwrap();
        arrived.zero().unwrap();
        Some(Self { backend, module, arrived })
    }

    /// Divides ascending keys by this number of blocks. Returns the number of cells if they do not
    /// fit.
    fn divide(
        &self,
        keys: &[u64],
        dimensions: usize,
        blocks: usize,
        capacity: usize,
    ) -> Result<Divided, u32> {
        let n = keys.len();
        let allocate = |bytes: usize| self.backend.allocate(bytes.max(1)).unwrap();
        let mut from = allocate(8 * n);
        from.write(&mut |words| words[..n].copy_from_slice(keys)).unwrap();
        let [cells, next, marks] =
            [size_of::<Cell>() * capacity.max(1), 4 * capacity, 8 * n].map(allocate);
        let depths = division::DEPTHS as usize;
        let [sights, counts] =
            [size_of::<Sights>(), 4 * depths].map(|bytes| allocate(bytes * blocks * (1 + WARPS)));
        let [firsts, extent] = [4 * (depths + 1), size_of::<Extent>()].map(allocate);
        let all = [&cells, &next, &marks, &sights, &counts, &firsts].map(|memory| &**memory);
        let memory = Cells {
            cells: Address::of(&*cells),
            next: Address::of(&*next),
            marks: Address::of(&*marks),
            sights: Address::of(&*sights),
            counts: Address::of(&*counts),
            firsts: Address::of(&*firsts),
            capacity: capacity as u32,
        };
        let launch = Launch::new(c"divide_keys", blocks as u32).value(&memory);
        let launch = launch.pointers([&*from, &*extent]);
        let launch = launch.value(&Keys { n: n as u32, dimensions: dimensions as u32 });
        let launch = launch.pointers([&*self.arrived]);
        let launch = all.into_iter().chain([&*from]).fold(launch, Launch::reads);
        self.module.launch(launch.phases(0..4)).unwrap();
        let Extent { depths, cells: count, is_short } = extent.value().unwrap();
        if is_short > 0 {
            return Err(count);
        }
        let cells = cells_in(&*cells, count as usize);
        let mut next = numbers(&*next);
        next.truncate(count as usize);
        let mut firsts = numbers(&*firsts);
        firsts.truncate(depths as usize + 1);
        Ok(Divided { cells, next, firsts })
    }

    fn check(&self, mut keys: Vec<u64>, dimensions: usize, blocks: usize) {
        keys.sort_unstable();
        let expected = expected(&keys, dimensions);
        let room = expected.cells.len();
        let most = keys.len().div_ceil(BLOCK).clamp(1, blocks);
        let found = self.divide(&keys, dimensions, most, room);
        assert!(found.as_ref() == Ok(&expected), "{} {dimensions} {blocks}", keys.len());
        let without_room = self.divide(&keys, dimensions, most, room - 1);
        assert_eq!(without_room, Err(room as u32));
    }

    fn check_all(&self) {
        let most = self.module.resident_blocks(c"divide_keys");
        let mut turn = 0;
        for n in [1, 2, 16, 17, 255, 256, 257, 4099, 20_001] {
            for (bits, dimensions) in [(63, 3), (62, 2)] {
                let limit = 1 << bits;
                for keys in [
                    random(n, limit),
                    // Clustered: cells of all levels.
                    random(n, limit).into_iter().map(|key| key >> (key % 61)).collect(),
                    random(n, 3),
                    // Runs of equal keys between others, and near the last one.
                    random(n, limit).into_iter().map(|key| (key % 41) << (bits - 9)).collect(),
                    random(n, limit).into_iter().map(|key| limit - 1 - key % 29 / 20).collect(),
                ] {
                    self.check(keys, dimensions, [most, 1, 3, 5, 70][turn % 5]);
                    turn += 1;
                }
            }
        }
        for n in [128, 129, 10_000] {
            self.check(vec![(1 << 63) - 1; n], 3, most);
        }
    }
}

/// Returns 32-bit numbers.
fn numbers(memory: &dyn Memory) -> Vec<u32> {
    let mut numbers = Vec::new();
    memory.read(&mut |words| numbers = bytemuck::cast_slice(words).to_owned()).unwrap();
    numbers
}

/// Returns the cells in memory.
fn cells_in(memory: &dyn Memory, count: usize) -> Vec<cells::Cell> {
    let of = |words: &[u32]| {
        let [first, end, children, level] = *words else { panic!("the fields of a cell") };
        let level = level as u16;
        if children == cell::NO_CHILD {
            return cells::Cell { first, end, child: 0, children: 0, level };
        }
        let (child, last) = (children / cell::FAN, children % cell::FAN);
        cells::Cell { first, end, child, children: last as u16 + 1, level }
    };
    let words = numbers(memory);
    words.chunks(size_of::<Cell>() / size_of::<u32>()).take(count).map(of).collect()
}

fn expected(keys: &[u64], dimensions: usize) -> Divided {
    let frame = Frame { origin: [0.0; 3], scale: 1.0, dimensions, grid: Grid::TREES };
    let pairs: Vec<_> = keys.iter().zip(0..).map(|(&key, index)| (key, index)).collect();
    let cells = cells::divide(&pairs, &frame);
    let mut next = vec![0; cells.len()];
    for (k, cell) in cells.iter().enumerate() {
        for child in cell.cells() {
            let is_last = child + 1 == cell.cells().end;
            next[child] = if is_last { next[k] } else { child as u32 + 1 };
        }
    }
    let mut firsts = vec![0, 1];
    while let Some(child) = cells[firsts[firsts.len() - 2]..*firsts.last().unwrap()]
        .iter()
        .rfind(|cell| cell.children > 0)
    {
        firsts.push(child.cells().end);
    }
    Divided { cells, next, firsts: firsts.into_iter().map(|first| first as u32).collect() }
}

#[test]
fn cells_are_those_of_nbody_core() {
    Divider::new(&Emulator::open().unwrap()).unwrap().check_all();
    let Some((_one, gpu)) = gpu::tests::gpu() else { return };
    let Some(divider) = Divider::new(&gpu) else { return };
    divider.check_all();
    let most = divider.module.resident_blocks(c"divide_keys");
    for n in [1 << 20, 3_000_017] {
        divider.check(random(n, 1 << 63), 3, most);
        divider.check(random(n, 1 << 40), 2, most);
    }
}
